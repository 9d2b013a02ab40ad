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
)

const (
	// BodyLimit is the default limit of a JSON body in bytes.
	BodyLimit = 8 << 20
	// Unlimited as a limit means that a body may have any length. It is for bodies whose lists have no limit.
	Unlimited = 0
)

// Body is the body of a request, decompressed. It is read completely before the handler uses it, so that no
// transaction waits for a client.
type Body struct {
	*Buffer
	// Sum is the SHA-256 of the decompressed bytes. Requests with the same Idempotency-Key are the same request if
	// their sums are equal.
	Sum [32]byte
}

// ReadJSON reads a JSON body of at most limit bytes and decodes it with decode. The caller closes the body unless
// ReadJSON returns an error.
func ReadJSON[T any](r *Request, limit int64, decode func(*Body) (T, error)) (*Body, T, error) {
	var value T
	body, err := r.JSONBody(limit)
	if err != nil {
		return nil, value, err
	}
	if value, err = decode(body); err != nil {
		body.Close()
		return nil, value, err
	}
	return body, value, nil
}

// JSONBody reads the body, which must be declared as JSON and have at most limit bytes after decompression. The caller
// closes it. JSONBody does not check the syntax.
func (r *Request) JSONBody(limit int64) (*Body, error) {
	if r.emptyBody() {
		return nil, errEmptyBody()
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !isJSON(media) {
		return nil, fault.New(fault.Unsupported, "unsupported_media_type",
			"The body must be JSON, sent with Content-Type: application/json.")
	}
	return r.readBody(limit)
}

func (r *Request) emptyBody() bool {
	return r.ContentLength == 0
}

func errEmptyBody() error {
	return fault.New(fault.Malformed, "malformed_json", "The body is empty; a JSON document is expected.")
}

func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

// readBody reads a body of any media type and of at most limit bytes after decompression.
func (r *Request) readBody(limit int64) (*Body, error) {
	decompressed, done, err := r.decompress(r.body)
	if err != nil {
		return nil, err
	}
	defer done()
	body := &Body{Buffer: r.server.newBuffer()}
	sum := sha256.New()
	if err := copyBody(io.MultiWriter(body, sum), decompressed, limit); err != nil {
		body.Close()
		return nil, bodyFault(err, limit)
	}
	if err := body.flush(); err != nil {
		body.Close()
		return nil, err
	}
	sum.Sum(body.Sum[:0])
	return body, nil
}

// NoBody returns an empty body for Write and Replay, where a request has none. Its Sum is the same for all requests.
func (r *Request) NoBody() *Body { return &Body{Buffer: r.server.newBuffer()} }

// decompress decompresses raw as its Content-Encoding says. The caller calls done when it no longer reads.
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
		// The cause is the text of err, not err itself. Compressed data that ends too early gives an
		// io.ErrUnexpectedEOF, which callers would take for the end of the connection.
		return fault.New(fault.Malformed, "malformed_encoding",
			"The body is not what its Content-Encoding says, or is cut off.").Because(errors.New(err.Error()))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errBodyRead):
		return fault.New(fault.Malformed, "body_incomplete", "The body was cut off.")
	}
	return err
}
