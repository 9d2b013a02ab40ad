package httpapi

import (
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"io"
	"mime"
	"net"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

const (
	// BodyLimit is the default limit of a JSON body in bytes.
	BodyLimit = 8 << 20
	// Unlimited as a limit means that a body may have any length. It is for bodies whose lists have no limit.
	Unlimited = 0
)

// Body is the decompressed body of a request. It is read completely before the handler uses it, so that no transaction
// waits for a client. The server closes it after the handler has returned.
type Body struct {
	*Buffer
	// Sum is the SHA-256 of the decompressed bytes. A request with a known Idempotency-Key is a repetition only if its
	// sum is the same as that of the first request.
	Sum [sha256.Size]byte
}

// ReadJSON calls [Request.DecodeJSON] and returns the result of decode, or the zero value if decode was not called.
func ReadJSON[T any](r *Request, decode func(in *wire.Reader) T) (value T) {
	r.DecodeJSON(func(in *wire.Reader) { value = decode(in) })
	return value
}

// DecodeJSON calls decode with a reader of the body, which must be JSON of at most BodyLimit bytes. An error of the
// body or of decode becomes the error of the request.
func (r *Request) DecodeJSON(decode func(in *wire.Reader)) {
	if body := r.JSONBody(BodyLimit); body != nil {
		r.decode(body, decode)
	}
}

// DecodeOptionalJSON is like DecodeJSON, but accepts a request without a body. It does not call decode for one.
func (r *Request) DecodeOptionalJSON(decode func(in *wire.Reader)) {
	if r.ContentLength == 0 {
		return
	}
	if body := r.JSONBody(BodyLimit); body != nil && body.Len() > 0 {
		r.decode(body, decode)
	}
}

func (r *Request) decode(body *Body, decode func(in *wire.Reader)) {
	in := wire.NewReader(body.Reader())
	decode(in)
	r.Fail(in.End())
}

// JSONBody returns the body, or nil if the request has an error. The Content-Type must be JSON, and the decompressed
// body may have at most limit bytes. JSONBody does not check the JSON syntax.
func (r *Request) JSONBody(limit int64) *Body {
	if r.err == nil {
		r.err = r.readJSONBody(limit)
	}
	return r.sent
}

func (r *Request) readJSONBody(limit int64) error {
	if r.ContentLength == 0 {
		return errEmptyBody()
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !isJSON(media) {
		return fault.New(fault.Unsupported, "unsupported_media_type",
			"The body must be JSON, sent with Content-Type: application/json.")
	}
	return r.readBody(limit)
}

func errEmptyBody() error {
	return fault.New(fault.Malformed, "malformed_json", "The body is empty; a JSON document is expected.")
}

func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

// readBody reads a body of any media type, of at most limit bytes after decompression, and sets r.sent.
func (r *Request) readBody(limit int64) error {
	decompressed, done, err := r.decompress(r.body)
	if err != nil {
		return err
	}
	defer done()
	body := &Body{Buffer: r.newBuffer()}
	sum := sha256.New()
	if err := copyBody(io.MultiWriter(body, sum), decompressed, limit); err != nil {
		return bodyFault(err, limit)
	}
	if err := body.flush(); err != nil {
		return err
	}
	sum.Sum(body.Sum[:0])
	r.sent = body
	return nil
}

// decompress returns a reader that decompresses raw as the Content-Encoding of the request says. The caller calls done
// when it has finished reading.
func (r *Request) decompress(raw io.Reader) (decompressed io.Reader, done func(), err error) {
	switch strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))) {
	case "", "identity":
		return raw, func() {}, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, nil, bodyFault(errors.Join(errDecompress, err), 0)
		}
		return decompressReader{z}, func() {}, nil
	case "zstd":
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(32<<20))
		if err != nil {
			return nil, nil, bodyFault(errors.Join(errDecompress, err), 0)
		}
		return decompressReader{z}, z.Close, nil
	}
	return nil, nil, fault.New(fault.Unsupported, "unsupported_encoding",
		"Content-Encoding must be gzip, zstd or identity.")
}

// errDecompress marks an error of the decompression, as opposed to one of the connection.
var errDecompress = errors.New("decompress the request body")

// decompressReader marks the errors of a decompressor with errDecompress.
type decompressReader struct{ r io.Reader }

func (p decompressReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = errors.Join(errDecompress, err)
	}
	return n, err
}

var errTooLarge = errors.New("the request body exceeds its limit")

func copyBody(dst io.Writer, src io.Reader, limit int64) error {
	if limit == Unlimited {
		_, err := io.Copy(dst, src)
		return err
	}
	n, err := io.Copy(dst, io.LimitReader(src, limit+1))
	if err == nil && n > limit {
		return errTooLarge
	}
	return err
}

func bodyFault(err error, limit int64) error {
	var network net.Error
	switch {
	case errors.Is(err, errTooLarge):
		return fault.New(fault.TooLarge, "body_too_large", "The body is over the limit of %d bytes.", limit)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return fault.New(fault.Malformed, "body_incomplete", "The body stopped coming for %s.", clientIdleTimeout)
	case errors.Is(err, errDecompress):
		// The cause has the text of err, but does not wrap it: compressed data that ends too early has the error
		// io.ErrUnexpectedEOF, which callers would take for a lost connection.
		return fault.New(fault.Malformed, "malformed_encoding",
			"The body is not what its Content-Encoding says, or is cut off.").Because(errors.New(err.Error()))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errBodyRead):
		return fault.New(fault.Malformed, "body_incomplete", "The body was cut off.")
	}
	return err
}
