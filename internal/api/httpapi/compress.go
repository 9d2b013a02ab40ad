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

// packFrom is the length below which packing costs more than it saves.
const packFrom = 1400

// packers keeps encoders between answers; making one costs more than packing a page with it.
type packers struct {
	gzip sync.Pool
	zstd sync.Pool
}

// zstdEncoder returns one that was put back, or a new one.
func (p *packers) zstdEncoder() (*zstd.Encoder, error) {
	if e, ok := p.zstd.Get().(*zstd.Encoder); ok {
		return e, nil
	}
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10))
}

// pack chooses the content encoding and returns where to write the body.
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

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// accepted returns the best encoding that a client takes: zstd, then gzip.
func accepted(header string) string {
	for _, encoding := range []string{"zstd", "gzip"} {
		if Accepts(header, encoding) {
			return encoding
		}
	}
	return ""
}

// Accepts reports whether a client takes an encoding, by its header Accept-Encoding.
func Accepts(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) && !refused(params) {
			return true
		}
	}
	return false
}

// refused reports a quality of zero.
func refused(params string) bool {
	q, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
	if !ok {
		return false
	}
	v, err := strconv.ParseFloat(q, 64)
	return err != nil || v <= 0
}
