package httpapi

import (
	"errors"
	"io"
	"mime"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
)

const (
	// streamMemory is the approximate memory of a body that is processed while it arrives, in bytes: a batch of its
	// items.
	streamMemory = 4 << 20
	// A stream counts at most one streamPart-th of what its store may hold. A store may have eight pushes at once, one
	// of each entity and one more, and they leave a third of its part to other bodies.
	streamPart = 12
)

// Stream is the body of a request, read and decompressed while it arrives. Its client may be slow, but not silent. Its
// errors are faults: fault.Malformed for a body that is cut off, that pauses for too long, or that does not match its
// Content-Encoding, and fault.TooLarge for a decompression bomb.
type Stream struct {
	// MediaType is the media type of the body, one of those given to Request.Stream.
	MediaType string

	// Memory counts what is made of the body beyond a batch of its items. It is released with the stream.
	Memory *memory.Grant

	raw          *requestBody
	decompressed io.Reader
	release      func()
}

// Stream returns the body, of any length, as a stream. Its media type must be one of types, or Stream returns
// fault.Unsupported; application/json includes all media types that end in +json. The caller calls Release when no
// goroutine reads the stream any more.
func (r *Request) Stream(types ...string) (*Stream, error) {
	if r.err != nil {
		return nil, r.err
	}

	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if isJSON(media) {
		media = "application/json"
	}

	if r.ContentLength == 0 && (err != nil || media == "application/json") {
		return nil, errEmptyBody()
	}

	if err != nil || !slices.Contains(types, media) {
		return nil, fault.New(fault.Unsupported, "unsupported_media_type",
			"The body must be sent with Content-Type: %s.", strings.Join(types, " or "))
	}

	held := r.server.Memory.Bodies.Open(r.owner())
	if err := held.GrowAtMost(min(streamMemory, r.server.Memory.Bodies.StoreLimit()/streamPart)); err != nil {
		return nil, err
	}

	r.body.mayBeSlow = true
	s := &Stream{MediaType: media, Memory: held, raw: r.body}
	var done func()
	if s.decompressed, done, err = r.decompress(s.raw); err != nil {
		held.Release()
		return nil, err
	}

	s.release = func() { done(); held.Release() }
	return s, nil
}

// Read implements io.Reader.
func (s *Stream) Read(b []byte) (int, error) {
	n, err := s.decompressed.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = bodyFault(err, Unlimited)
	}
	return n, err
}

// Close makes a Read that waits for the client, and all later ones, return an error. The server closes the connection
// after the response. Close may be called while another goroutine reads. Closing a stream that was read to its end does
// nothing.
func (s *Stream) Close() error { return s.raw.Close() }

// Release frees the memory of the stream, which must not be read afterwards.
func (s *Stream) Release() { s.release() }
