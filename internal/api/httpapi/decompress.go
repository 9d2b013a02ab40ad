package httpapi

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/fault"
)

const (
	// A decompression bomb is a body that decompresses to more than bombMinSize bytes and to more than bombRatio times
	// its compressed length. Real data compresses by a factor of 10 to 30.
	bombMinSize = 64 << 20
	bombRatio   = 250

	// gzipMemory and zstdMemory are the approximate bytes of memory of a decompressor, without the window of zstd.
	gzipMemory = 64 << 10
	zstdMemory = 640 << 10
	// maxWindow is the largest window of a zstd frame. RFC 9659 lets clients use as much for HTTP. Frames that declare
	// less than minWindow are counted with minWindow, so that a body may have a short frame before a longer one.
	maxWindow = 8 << 20
	minWindow = 1 << 20
)

var (
	// errDecompress marks an error of the decompression, as opposed to one of the connection.
	errDecompress = errors.New("decompress the request body")
	errBomb       = errors.New("the request body is a decompression bomb")
)

// decompress returns a reader that decompresses the body as the Content-Encoding of the request says. It acquires the
// memory of the decompressor before it allocates it. The caller calls done when it has finished reading.
func (r *Request) decompress(body *requestBody) (decompressed io.Reader, done func(), err error) {
	held := r.server.Memory.Windows.Open(r.owner())
	switch strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))) {
	case "", "identity":
		return body, func() {}, nil

	case "gzip", "x-gzip":
		if err := held.Grow(gzipMemory); err != nil {
			return nil, nil, err
		}

		z, err := gzip.NewReader(body)
		if err != nil {
			held.Release()
			return nil, nil, bodyFault(errors.Join(errDecompress, err), 0)
		}

		return &decompressReader{z, body, 0}, held.Release, nil

	case "zstd":
		raw := bufio.NewReaderSize(body, zstd.HeaderMaxSize)
		window := frameWindow(raw)
		if err := held.GrowAtMost(zstdMemory + int64(window)); err != nil {
			return nil, nil, err
		}

		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(window), zstd.WithDecoderMaxMemory(window))
		if err != nil {
			held.Release()
			return nil, nil, bodyFault(errors.Join(errDecompress, err), 0)
		}

		return &decompressReader{z, body, 0}, func() { z.Close(); held.Release() }, nil
	}

	return nil, nil, fault.New(fault.Unsupported, "unsupported_encoding",
		"Content-Encoding must be gzip, zstd or identity.")
}

// frameWindow returns the window of the first frame, at least minWindow. If it exceeds maxWindow, or the frame is
// malformed, it returns minWindow: the decoder will refuse the frame.
func frameWindow(raw *bufio.Reader) uint64 {
	start, _ := raw.Peek(zstd.HeaderMaxSize) // fewer bytes if the body is short
	var h zstd.Header
	if err := h.Decode(start); err != nil {
		return minWindow
	}
	window := h.WindowSize
	if h.SingleSegment {
		window = h.FrameContentSize
	}
	if window > maxWindow {
		return minWindow
	}
	return max(minWindow, window)
}

// decompressReader reads from a decompressor. It marks errors of the decompressor with errDecompress, and returns
// errBomb for a decompression bomb.
type decompressReader struct {
	z            io.Reader
	compressed   *requestBody
	decompressed int64 // the number of bytes read so far
}

func (p *decompressReader) Read(b []byte) (int, error) {
	n, err := p.z.Read(b)
	p.decompressed += int64(n)
	if p.decompressed > bombMinSize && p.decompressed/bombRatio > p.compressed.bytesRead() {
		return n, errBomb
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = errors.Join(errDecompress, err)
	}
	return n, err
}
