package httpapi

import (
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
	// BodyLimit is the default limit of a JSON body in bytes. PublicBodyLimit is the limit of routes that visitors may
	// write to, with a publishable key or a customer token.
	BodyLimit       = 8 << 20
	PublicBodyLimit = 256 << 10
	// Unlimited as a limit means that a body may have any length. It is for bodies whose lists have no limit.
	Unlimited = 0
)

// Body is the decompressed body of a request. It is read completely before the handler uses it, so that no transaction
// waits for a client. The server closes it after the handler has returned.
type Body struct {
	*Buffer
	// Sum is the SHA-256 of the decompressed bytes. A request with a known Idempotency-Key is a repetition only if its
	// sum is the same as for the first request.
	Sum [sha256.Size]byte
}

// ReadJSON calls [Request.DecodeJSON] and returns the result of decode, or the zero value if decode was not called.
func ReadJSON[T any](r *Request, decode func(in *wire.Reader) T) (value T) {
	r.DecodeJSON(func(in *wire.Reader) { value = decode(in) })
	return value
}

// DecodeJSON calls decode with a reader of the body, which must be JSON of at most BodyLimit bytes, or PublicBodyLimit
// on a route that visitors may write to. An error of the body or of decode becomes the error of the request.
func (r *Request) DecodeJSON(decode func(in *wire.Reader)) {
	if body := r.JSONBody(r.bodyLimit()); body != nil {
		r.decode(body, decode)
	}
}

// DecodeOptionalJSON is like DecodeJSON, but accepts a request without a body. It does not call decode for one.
func (r *Request) DecodeOptionalJSON(decode func(in *wire.Reader)) {
	if r.ContentLength == 0 {
		return
	}
	if body := r.JSONBody(r.bodyLimit()); body != nil && body.Len() > 0 {
		r.decode(body, decode)
	}
}

func (r *Request) bodyLimit() int64 {
	if r.publicWrite {
		return PublicBodyLimit
	}
	return BodyLimit
}

func (r *Request) decode(body *Body, decode func(in *wire.Reader)) {
	in := body.JSON()
	decode(in)
	r.Fail(in.End())
}

// JSON returns a reader of the body. What its lists take beyond decodedFactor is counted before it is taken.
func (b *Body) JSON() *wire.Reader {
	in := wire.NewReader(b.Reader())
	in.SetRoom(func(lists int64) error {
		return b.memory.GrowAtMost(int64(cap(b.B)) + max(lists, decodedFactor*b.Len()))
	})
	return in
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
	if err := r.readBody(limit); err != nil {
		return err
	}
	return r.sent.memory.GrowAtMost(int64(cap(r.sent.B)) + decodedFactor*r.sent.Len())
}

// decodedFactor estimates how many bytes of memory a byte of JSON takes once it is decoded.
const decodedFactor = 4

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

	body := &Body{Buffer: r.newBodyBuffer()}
	sum := sha256.New()
	if err := body.readFrom(decompressed, limit, func(part []byte) { sum.Write(part) }); err != nil {
		return bodyFault(err, limit)
	}
	if err := body.flush(); err != nil {
		return err
	}

	sum.Sum(body.Sum[:0])
	r.sent = body
	return nil
}

var errTooLarge = errors.New("the request body exceeds its limit")

func bodyFault(err error, limit int64) error {
	var network net.Error
	switch {
	case errors.Is(err, errTooLarge):
		return fault.New(fault.TooLarge, "body_too_large", "The body is over the limit of %d bytes.", limit)
	case errors.Is(err, errBomb):
		return fault.New(fault.TooLarge, "decompression_bomb", "The body unpacks to more than %d times its size.",
			bombRatio)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fault.New(fault.Malformed, "malformed_encoding",
			"The zstd frame needs a larger window than is accepted: "+
				"at most %d bytes, and in later frames no more than in the first.", maxWindow)
	case errors.Is(err, errBodyTooSlow):
		return fault.New(fault.TooSlow, "body_too_slow",
			"The body came too slowly: after the first %s it must arrive at "+
				"%d bytes a second on average. Nothing was changed.", bodyGracePeriod, minBodyRate)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return fault.New(fault.Malformed, "body_incomplete", "The body stopped coming for %s.", clientIdleTimeout)
	case errors.Is(err, errBodyRead):
		return errBodyIncomplete()
	case errors.Is(err, errDecompress):
		// The cause has the text of err, but does not wrap it: compressed data that ends too early has the error
		// io.ErrUnexpectedEOF, which callers would take for a lost connection.
		return fault.New(fault.Malformed, "malformed_encoding",
			"The body is not what its Content-Encoding says, or is cut off.").Because(errors.New(err.Error()))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errBodyIncomplete()
	}

	return err
}

func errBodyIncomplete() error {
	return fault.New(fault.Malformed, "body_incomplete", "The body was cut off, or its transfer coding is malformed.")
}
