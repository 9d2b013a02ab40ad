package httpapi

import (
	"errors"
	"io"
	"mime"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

const (
	// bombFrom is how long an unpacked body may be before its packing is looked at, bombRatio how many times as long as the packed one it
	// may be then. Real data is packed to a tenth or a thirtieth.
	bombFrom  = 64 << 20
	bombRatio = 250
)

// Stream is a request's body, unpacked while it comes. Its errors are faults: fault.Malformed for a body that is cut off, falls silent or
// is not what its Content-Encoding says.
type Stream struct {
	// MediaType is that one of the types asked for which the body has.
	MediaType string

	raw      *requestBody
	unpacked io.Reader
	packed   bool
	n        int64 // how many bytes came out
	done     func()
}

// Stream gives the body, of any length, to be read while it comes. Its media type must be one of types; application/json stands for all
// that end in +json too. Another one is fault.Unsupported. The caller calls Release when nobody reads any more.
func (r *Request) Stream(types ...string) (*Stream, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if isJSON(media) {
		media = "application/json"
	}
	if r.emptyBody() && (err != nil || media == "application/json") {
		return nil, errEmptyBody()
	}
	if err != nil || !slices.Contains(types, media) {
		return nil, fault.New(fault.Unsupported, "unsupported_media_type", "The body must be sent with Content-Type: %s.", strings.Join(types, " or "))
	}
	s := &Stream{MediaType: media, raw: r.body}
	if s.unpacked, s.done, err = r.unpack(s.raw); err != nil {
		return nil, err
	}
	s.packed = s.unpacked != io.Reader(s.raw)
	return s, nil
}

// errBomb marks a body that is packed as no real data is.
var errBomb = errors.New("the body unpacks to far more than it is")

// Read implements io.Reader.
func (s *Stream) Read(b []byte) (int, error) {
	n, err := s.unpacked.Read(b)
	s.n += int64(n)
	if s.packed && s.n > bombFrom && s.n/bombRatio > s.raw.received() {
		err = errors.Join(errPacked, errBomb)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = bodyFault(err, Unlimited)
	}
	return n, err
}

// Close ends a Read that waits for the client, and all later ones, and has the connection closed after the response. It
// may be called while another goroutine reads. Closing a stream that was read to its end does nothing.
func (s *Stream) Close() error { return s.raw.Close() }

// Release frees the memory of decompression. Nobody may read any more.
func (s *Stream) Release() { s.done() }
