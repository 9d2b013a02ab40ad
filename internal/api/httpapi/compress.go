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

// minCompressSize is the length in bytes below which compression costs more than it saves.
const minCompressSize = 1400

// encoderPools pools encoders. Allocating an encoder costs more than compressing a page with it.
type encoderPools struct {
	gzip sync.Pool
	zstd sync.Pool
}

// zstdEncoder returns an encoder from the pool, or a new one.
func (p *encoderPools) zstdEncoder() (*zstd.Encoder, error) {
	if e, ok := p.zstd.Get().(*zstd.Encoder); ok {
		return e, nil
	}
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(256<<10))
}

// compressResponse negotiates the Content-Encoding of a response of size bytes, sets its headers, and returns the
// writer for the body.
func (s *Server) compressResponse(w http.ResponseWriter, r *http.Request, size int64) (io.WriteCloser, error) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	encoding := ""
	if size >= minCompressSize {
		encoding = bestEncoding(r.Header.Get("Accept-Encoding"))
	}
	switch encoding {
	case "zstd":
		e, err := s.encoders.zstdEncoder()
		if err != nil {
			return nil, err
		}
		e.Reset(w)
		h.Set("Content-Encoding", encoding)
		return &compressWriter{e, func() { s.encoders.zstd.Put(e) }}, nil
	case "gzip":
		e, ok := s.encoders.gzip.Get().(*gzip.Writer)
		if !ok {
			var err error
			e, err = gzip.NewWriterLevel(nil, gzip.BestSpeed)
			if err != nil {
				return nil, err
			}
		}
		e.Reset(w)
		h.Set("Content-Encoding", encoding)
		return &compressWriter{e, func() { s.encoders.gzip.Put(e) }}, nil
	}
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	return plainWriter{w}, nil
}

// compressWriter compresses a body. Close returns the encoder to its pool.
type compressWriter struct {
	io.WriteCloser
	release func()
}

func (p *compressWriter) Close() error {
	err := p.WriteCloser.Close()
	if err == nil {
		p.release()
	}
	return err
}

// plainWriter writes a body without compression.
type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }

// bestEncoding returns the best encoding that the header Accept-Encoding allows: zstd, gzip, or none, which is "".
func bestEncoding(header string) string {
	for _, encoding := range []string{"zstd", "gzip"} {
		if AcceptsEncoding(header, encoding) {
			return encoding
		}
	}
	return ""
}

// AcceptsEncoding reports whether header, an Accept-Encoding, names encoding with a quality above zero.
func AcceptsEncoding(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) && !hasZeroQuality(params) {
			return true
		}
	}
	return false
}

// hasZeroQuality reports whether the parameters of an encoding give it the quality zero, or one that cannot be parsed.
func hasZeroQuality(params string) bool {
	q, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
	if !ok {
		return false
	}
	v, err := strconv.ParseFloat(q, 64)
	return err != nil || v <= 0
}
