package app_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// largePNG returns a PNG of 24 megapixels, all of them zero.
func largePNG(depth, colours, interlaced byte, bytesPerRow int) []byte {
	const width, height = 6000, 4000
	chunk := func(name string, data []byte) []byte {
		out := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), name...)
		out = append(out, data...)
		return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	var pixels bytes.Buffer
	z := zlib.NewWriter(&pixels)
	for range height {
		_, _ = z.Write(make([]byte, 1+bytesPerRow)) // a buffer accepts everything
	}
	_ = z.Close()
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(header, depth, colours, 0, 0, interlaced)),
		chunk("IDAT", pixels.Bytes()), chunk("IEND", nil))
}

// H5: an image that takes more memory than the share of images is refused, and one of the same size in an ordinary
// format is not.
func TestH5_imagesStayWithinTheirShare(t *testing.T) {
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) { c.Memory = 512 << 20 }))
	r := s.Do("POST", "/v2/images", largePNG(16, 6, 1, 8*6000), apitest.Header("Content-Type", "image/png"))
	if r.Problem() != "413 image_needs_too_much_memory" || !strings.Contains(string(r.Body), "needs 276 MiB; at most ") {
		t.Errorf("an interlaced PNG with 16 bits got %d %s", r.Status, r.Body)
	}
	s.OK(201, "POST", "/v2/images", largePNG(8, 6, 0, 4*6000), apitest.Header("Content-Type", "image/png"))
}
