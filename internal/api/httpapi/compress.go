package httpapi

import (
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// minCompressSize is the length in bytes below which compression costs more than it saves.
const minCompressSize = 1400

// encoderMemory is the approximate memory of an encoder in bytes.
const encoderMemory = 1 << 20

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

// gzipEncoder returns an encoder from the pool, or a new one.
func (p *encoderPools) gzipEncoder() (*gzip.Writer, error) {
	if e, ok := p.gzip.Get().(*gzip.Writer); ok {
		return e, nil
	}
	return gzip.NewWriterLevel(nil, gzip.BestSpeed)
}

// encodingFor returns the Content-Encoding of a response of size bytes: zstd, gzip, or "" for none. A response below
// minCompressSize is not compressed.
func encodingFor(accepted string, size int64) string {
	switch {
	case size < minCompressSize:
	case AcceptsEncoding(accepted, "zstd"):
		return "zstd"
	case AcceptsEncoding(accepted, "gzip"):
		return "gzip"
	}
	return ""
}

// writer returns a writer that compresses to w. Without an encoding it writes the bytes as they are.
func (p *encoderPools) writer(w io.Writer, encoding string) (io.WriteCloser, error) {
	var e bodyEncoder
	var pool *sync.Pool
	var err error
	switch encoding {
	case "zstd":
		pool = &p.zstd
		e, err = p.zstdEncoder()
	case "gzip":
		pool = &p.gzip
		e, err = p.gzipEncoder()
	default:
		return plainWriter{w}, nil
	}

	if err != nil {
		return nil, err
	}

	e.Reset(w)
	return &compressWriter{e, pool}, nil
}

// bodyEncoder is the interface of the zstd and gzip encoders.
type bodyEncoder interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// compressWriter compresses a body. Close returns the encoder to its pool.
type compressWriter struct {
	bodyEncoder
	pool *sync.Pool
}

func (w *compressWriter) Close() error {
	err := w.bodyEncoder.Close()
	if err == nil {
		w.pool.Put(w.bodyEncoder)
	}
	return err
}

// plainWriter writes a body without compression.
type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }

// AcceptsEncoding reports whether the given Accept-Encoding header lists the given encoding with a quality above zero.
func AcceptsEncoding(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) && !hasZeroQuality(params) {
			return true
		}
	}
	return false
}

// hasZeroQuality reports whether the parameters of an encoding have a quality that is zero or cannot be parsed.
func hasZeroQuality(params string) bool {
	q, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
	if !ok {
		return false
	}
	v, err := strconv.ParseFloat(q, 64)
	return err != nil || v <= 0
}
