package frame

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// minGzipSize is the length in bytes below which compressing a page costs more than it saves.
const minGzipSize = 1400

// gzipPool pools encoders, since making one costs more than compressing a page with it.
type gzipPool struct{ encoders sync.Pool }

// pack compresses a page.
func (p *gzipPool) pack(page []byte) []byte {
	var b bytes.Buffer
	e, ok := p.encoders.Get().(*gzip.Writer)
	if !ok {
		e, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails only for levels that do not exist
	}

	e.Reset(&b)
	_, _ = e.Write(page) // writes to memory cannot fail
	_ = e.Close()
	p.encoders.Put(e)
	return b.Bytes()
}
