package httpapi

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packFrom is the length in bytes below which compression costs more than it saves.
const packFrom = 1400

// packers pools encoders. Allocating an encoder costs more than compressing a page with it.
type packers struct {
	gzip sync.Pool
	zstd sync.Pool
}

// zstdEncoder returns an encoder from the pool, or a new one.
func (p *packers) zstdEncoder() (*zstd.Encoder, error) {
	if e, ok := p.zstd.Get().(*zstd.Encoder); ok {
		return e, nil
	}
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10))
}

// pack negotiates the Content-Encoding of a response of size bytes, sets its headers, and returns the writer for the
// body.
func (s *Server) pack(w http.ResponseWriter, r *http.Request, size int64) (io.WriteCloser, error) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	encoding := ""
	if size >= packFrom {
		encoding = accepted(r.Header.Get("Accept-Encoding"))
	}
	switch encoding {
	case "zstd":
		e, err := s.packers.zstdEncoder()
		if err != nil {
			return nil, err
		}
		e.Reset(w)
		h.Set("Content-Encoding", encoding)
		return &packing{e, func() { s.packers.zstd.Put(e) }}, nil
	case "gzip":
		e, ok := s.packers.gzip.Get().(*gzip.Writer)
		if !ok {
			var err error
			e, err = gzip.NewWriterLevel(nil, gzip.BestSpeed)
			if err != nil {
				return nil, err
			}
		}
		e.Reset(w)
		h.Set("Content-Encoding", encoding)
		return &packing{e, func() { s.packers.gzip.Put(e) }}, nil
	}
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	return plain{w}, nil
}

// packing compresses a body. Close returns the encoder to its pool.
type packing struct {
	io.WriteCloser
	done func()
}

func (p *packing) Close() error {
	err := p.WriteCloser.Close()
	if err == nil {
		p.done()
	}
	return err
}

// plain writes a body without compression.
type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// accepted returns the best encoding that the header Accept-Encoding allows: zstd, gzip, or none, which is "".
func accepted(header string) string {
	for _, encoding := range []string{"zstd", "gzip"} {
		if Accepts(header, encoding) {
			return encoding
		}
	}
	return ""
}

// Accepts reports whether header, an Accept-Encoding, names encoding with a quality above zero.
func Accepts(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) && !refused(params) {
			return true
		}
	}
	return false
}

// refused reports whether the parameters of an encoding give it the quality zero, or one that cannot be parsed.
func refused(params string) bool {
	q, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
	if !ok {
		return false
	}
	v, err := strconv.ParseFloat(q, 64)
	return err != nil || v <= 0
}
