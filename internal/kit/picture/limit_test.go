package picture_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestClean_refusesUnsupportedAndBrokenFiles(t *testing.T) {
	photo := jpegOf(quadrants(40, 30))
	drawing := pngOf(quadrants(40, 30))
	animation := gifOf(40, 30, 3)
	flat := webpOf(40, 30, color.NRGBA{255, 0, 0, 255})
	apng := animatedPNG(40, 30, false, nil)

	damaged := func(file []byte, at int) []byte {
		b := slices.Clone(file)
		b[at] ^= 0x55
		return b
	}
	for name, c := range map[string]struct {
		file []byte
		code string
	}{
		"nothing": {nil, "broken_image"},
		"a text":  {[]byte("hello"), "unsupported_image"},
		"an SVG": {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
			"unsupported_image"},
		"an HTML page":            {[]byte("<!doctype html><script>alert(1)</script>"), "unsupported_image"},
		"a BMP":                   {[]byte("BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00"), "unsupported_image"},
		"a HEIC":                  {[]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"), "unsupported_image"},
		"a WAVE file":             {[]byte("RIFF\x24\x00\x00\x00WAVEfmt "), "unsupported_image"},
		"HTML after a GIF header": {[]byte("GIF89a\x2f\x00\x2a\x00*<script>alert(1)</script>*/"), "broken_image"},
		"a truncated JPEG":        {photo[:len(photo)/2], "broken_image"},
		"a JPEG without its end":  {photo[:len(photo)-2], "broken_image"},
		"a JPEG's head":           {photo[:3], "broken_image"},
		"a JPEG without tables": {insertAfterSOI(photo[:2],
			jpegSegment(0xc0, "\x08\x00\x10\x00\x10\x01\x01\x11\x00"), jpegSegment(0xda, "\x01\x01\x00\x00\x3f\x00"),
			[]byte("abc\xff\xd9")), "broken_image"},
		"a lossless JPEG": {insertAfterSOI(photo[:2],
			jpegSegment(0xc3, "\x08\x00\x10\x00\x10\x01\x01\x11\x00"), []byte("\xff\xd9")), "unsupported_image"},
		"a truncated PNG":        {drawing[:len(drawing)/2], "broken_image"},
		"a PNG without its end":  {drawing[:len(drawing)-12], "broken_image"},
		"a PNG with a wrong CRC": {damaged(drawing, 60), "broken_image"},
		"a PNG's head":           {drawing[:8], "broken_image"},
		"a PNG with two headers": {insertAfterIHDR(drawing, drawing[8:33]), "broken_image"},
		"a truncated GIF":        {animation[:len(animation)/2], "broken_image"},
		"a GIF without its end":  {animation[:len(animation)-1], "broken_image"},
		"a GIF without a frame":  {[]byte("GIF89a\x10\x00\x10\x00\x00\x00\x00\x3b"), "broken_image"},
		"a GIF without pixels":   {[]byte("GIF89a\x00\x00\x10\x00\x00\x00\x00\x3b"), "broken_image"},
		"a GIF, a frame outside": {[]byte(
			"GIF89a\x01\x00\x01\x00\x00\x00\x00\x2c\x01\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b"),
			"broken_image"},
		"a truncated WebP":         {flat[:len(flat)-4], "broken_image"},
		"a WebP without a picture": {webpFile(vp8xChunk(0, 40, 30)), "broken_image"},
		"a WebP, a frame outside": {webpFile(vp8xChunk(2, 4, 4),
			anmfChunk(2, 0, 4, 4, riffChunk("VP8L", vp8lOf(4, 4, color.NRGBA{})))), "broken_image"},
		"a WebP, a frame's size": {webpFile(vp8xChunk(2, 4, 4),
			anmfChunk(0, 0, 4, 4, riffChunk("VP8L", vp8lOf(5, 4, color.NRGBA{})))), "broken_image"},
		"a truncated APNG": {apng[:len(apng)-30], "broken_image"},
		"an APNG, a frame missing": {slices.Concat(apng[:bytes.LastIndex(apng, []byte("fcTL"))-4],
			pngChunk("IEND", nil)), "broken_image"},
	} {
		t.Run(name, func(t *testing.T) {
			r := refusalOf(t, c.file)
			if r.Code != c.code {
				t.Errorf("got %s, want %s", r.Code, c.code)
			}
			if r.Code == "unsupported_image" && !strings.Contains(r.Message, "JPEG, PNG, WebP or GIF") ||
				!strings.HasSuffix(r.Message, ".") {
				t.Errorf("the message does not say what is accepted: %s", r.Message)
			}
		})
	}
}

// Small files that would take much memory to decode are refused before they are decoded.
func TestClean_refusesDecompressionBombsInLittleMemory(t *testing.T) {
	header := func(w, h uint32) []byte { return pngHeader(w, h, 8, 6) }
	signature := []byte("\x89PNG\r\n\x1a\n")
	frame := []byte("\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00")
	wide := []byte("\x2c\x00\x00\x00\x00\x00\x10\x00\x10\x00\x02\x02\x44\x01\x00")
	apng := slices.Concat(signature, header(4000, 4000), pngChunk("acTL", []byte{0, 0, 3, 0, 0, 0, 0, 0}))
	huge := riffChunk("VP8L", vp8lOf(16384, 16384, color.NRGBA{1, 2, 3, 4}))

	zeroes := deflatedZeroes(16 << 20)
	for name, c := range map[string]struct {
		file []byte
		code string
	}{
		"a PNG of 50,000 × 50,000": {slices.Concat(signature, header(50_000, 50_000), pngChunk("IDAT", zeroes),
			pngChunk("IEND", nil)), "too_many_pixels"},
		"a PNG just too large": {slices.Concat(signature, header(4900, 4900), pngChunk("IDAT", zeroes),
			pngChunk("IEND", nil)), "too_many_pixels"},
		"a PNG of the largest size": {slices.Concat(signature, header(1<<31-1, 1<<31-1), pngChunk("IEND", nil)),
			"unsupported_image"},
		"a PNG with more than pixels": {slices.Concat(signature, header(10, 10), pngChunk("IDAT", zeroes),
			pngChunk("IEND", nil)), "broken_image"},
		"a PNG of one long column": {blackPNG(1, 65_536), "too_many_pixels"},
		"a PNG of one long row":    {blackPNG(24_000_000, 1), "too_many_pixels"},
		"a WebP with a long canvas": {webpFile(vp8xChunk(2, 1, 65_536),
			anmfChunk(0, 0, 1, 1, riffChunk("VP8L", vp8lOf(1, 1, color.NRGBA{})))), "too_many_pixels"},
		"an APNG of large frames": {apng, "too_many_pixels"},
		"an APNG of many frames": {slices.Concat(signature, header(1, 1),
			pngChunk("acTL", []byte{255, 255, 255, 255, 0, 0, 0, 0})), "too_many_frames"},
		"a JPEG of 65,000 × 65,000": {slices.Concat([]byte("\xff\xd8"),
			jpegSegment(0xc0, "\x08\xfd\xe8\xfd\xe8\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00"),
			jpegSegment(0xda, "\x01\x01\x00\x00\x3f\x00"), []byte("\xff\xd9")), "too_many_pixels"},
		"a GIF of 65,535 × 65,535": {[]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00\x3b"), "too_many_pixels"},
		"a GIF of thousands of frames": {slices.Concat(
			[]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"), bytes.Repeat(frame, 5000),
			[]byte{0x3b}), "too_many_frames"},
		"a GIF of large frames": {slices.Concat(
			[]byte("GIF89a\x00\x10\x00\x10\x80\x00\x00\x00\x00\x00\xff\xff\xff"), bytes.Repeat(wide, 100),
			[]byte{0x3b}), "too_many_pixels"},
		"a WebP of 16,384 × 16,384":  {webpFile(huge), "too_many_pixels"},
		"a WebP with a small canvas": {webpFile(vp8xChunk(0, 10, 10), huge), "broken_image"},
		"a WebP with a huge frame": {webpFile(vp8xChunk(2, 10, 10), anmfChunk(0, 0, 10, 10, huge)),
			"broken_image"},
		"a WebP with a huge canvas": {webpFile(vp8xChunk(2, 1<<24, 1<<24), anmfChunk(0, 0, 10, 10, huge)),
			"broken_image"},
		"a WebP of thousands of frames": {webpFile(vp8xChunk(2, 1, 1),
			bytes.Repeat(anmfChunk(0, 0, 1, 1, riffChunk("VP8L", vp8lOf(1, 1, color.NRGBA{}))), 3000)),
			"too_many_frames"},
		"a WebP with alpha for a canvas": {webpFile(vp8xChunk(0x10, 5000, 5000), riffChunk("ALPH", []byte{0}),
			riffChunk("VP8 ", nil)), "too_many_pixels"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := refusalOf(t, c.file)
			runtime.ReadMemStats(&after)
			if r.Code != c.code {
				t.Errorf("got %s, want %s: %s", r.Code, c.code, r.Message)
			}
			if r.Code == "too_many_pixels" && !strings.Contains(r.Message, "million") {
				t.Errorf("the message does not say what is accepted: %s", r.Message)
			}

			if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
				t.Errorf("refusing it allocated %d MiB", used>>20)
			}
		})
	}
}

// deflatedZeroes returns a zlib stream of n zero bytes.
func deflatedZeroes(n int64) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, err := io.CopyN(z, zeroReader{}, n)
	must(err)
	must(z.Close())
	return b.Bytes()
}

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func inflate(b []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(b))
	must(err)
	plain, err := io.ReadAll(z)
	must(err)
	return plain
}

// Images exactly at the limits are accepted.
func TestClean_acceptsPicturesAtTheLimits(t *testing.T) {
	for name, file := range map[string][]byte{
		"24 megapixels":     blackPNG(6000, 4000),
		"a thousand frames": gifOf(4, 4, 1000),
		"many large frames": slices.Concat([]byte("GIF89a\x00\x10\x00\x10\x80\x00\x00\x00\x00\x00\xff\xff\xff"),
			bytes.Repeat([]byte("\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"), 14), []byte{0x3b}),
	} {
		t.Run(name, func(t *testing.T) { cleanFile(t, file) })
	}
}

// The sides of the thumbnails of long thin images have at least one pixel. Making them allocates at most 64 MiB.
func TestThumbnails_ofLongThinPicturesTakeLittleMemory(t *testing.T) {
	for _, c := range []struct {
		w, h          uint32
		medium, small image.Point
	}{
		{65_535, 1, image.Pt(640, 1), image.Pt(160, 1)},
		{1, 65_535, image.Pt(1, 640), image.Pt(1, 160)},
		{65_535, 366, image.Pt(640, 4), image.Pt(160, 1)},
		{366, 65_535, image.Pt(4, 640), image.Pt(1, 160)},
	} {
		file := blackPNG(c.w, c.h)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		made := makeThumbnails(t, file, 640, 160)
		runtime.ReadMemStats(&after)

		for i, want := range []image.Point{c.medium, c.small} {
			if got := decode(t, made[i]).Bounds().Size(); got != want {
				t.Errorf("%d × %d becomes %v, want %v", c.w, c.h, got, want)
			}
			wantColour(t, decode(t, made[i]), want.X-1, want.Y-1, color.NRGBA{0, 0, 0, 255})
		}

		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("the thumbnails of %d × %d allocated %d MiB", c.w, c.h, used>>20)
		}
	}
}

func pngHeader(w, h uint32, depth, colours byte) []byte {
	return pngChunk("IHDR", append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h),
		depth, colours, 0, 0, 0))
}

// blackPNG returns a PNG with one bit per pixel, so that large images are fast to encode and decode.
func blackPNG(w, h uint32) []byte {
	rows := deflatedZeroes(int64(h) * int64(1+(w+7)/8))
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngHeader(w, h, 1, 0), pngChunk("IDAT", rows),
		pngChunk("IEND", nil))
}
