package picture_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
)

// canary marks metadata in the samples. It must not occur in a cleaned file.
const canary = "GPS 59.9386N 30.3141E canary"

// quadrants returns an image with red, green, blue and white quarters, so that tests detect rotation and mirroring.
func quadrants(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{255, 255, 255, 255}
			switch {
			case x < w/2 && y < h/2:
				c = color.NRGBA{255, 0, 0, 255}
			case y < h/2:
				c = color.NRGBA{0, 255, 0, 255}
			case x < w/2:
				c = color.NRGBA{0, 0, 255, 255}
			}

			img.SetNRGBA(x, y, c)
		}
	}

	return img
}

// quadrantsWithHole returns quadrants with a transparent lower right quarter.
func quadrantsWithHole(w, h int) *image.NRGBA {
	img := quadrants(w, h)
	for y := h / 2; y < h; y++ {
		for x := w / 2; x < w; x++ {
			img.SetNRGBA(x, y, color.NRGBA{})
		}
	}
	return img
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func jpegOf(img image.Image) []byte {
	var b bytes.Buffer
	must(jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}))
	return b.Bytes()
}

func pngOf(img image.Image) []byte {
	var b bytes.Buffer
	must(png.Encode(&b, img))
	return b.Bytes()
}

// gifOf returns an animation that repeats for ever. Its second frame is smaller than the canvas.
func gifOf(w, h, frames int) []byte {
	palette := color.Palette{color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}, color.NRGBA{}}
	g := gif.GIF{Config: image.Config{Width: w, Height: h, ColorModel: palette}, LoopCount: 0}
	for i := range frames {
		r := image.Rect(0, 0, w, h)
		if i == 1 {
			r = image.Rect(w/2, h/2, w, h)
		}

		frame := image.NewPaletted(r, palette)
		for j := range frame.Pix {
			frame.Pix[j] = byte(i % 2)
		}

		g.Image, g.Delay, g.Disposal = append(g.Image, frame), append(g.Delay, 10), append(g.Disposal, gif.DisposalNone)
	}

	var b bytes.Buffer
	must(gif.EncodeAll(&b, &g))
	return b.Bytes()
}

// bitWriter writes values with the lowest bit first, as WebP does.
type bitWriter struct {
	b []byte
	n int
}

func (s *bitWriter) put(v uint32, n int) {
	for i := range n {
		if s.n%8 == 0 {
			s.b = append(s.b, 0)
		}
		s.b[s.n/8] |= byte(v>>i&1) << (s.n % 8)
		s.n++
	}
}

// vp8lOf returns a lossless WebP bitstream of one colour. Each of its five prefix codes has a single symbol, so the
// pixels take no bits.
func vp8lOf(w, h int, c color.NRGBA) []byte {
	var s bitWriter
	s.put(0x2f, 8)
	s.put(uint32(w-1), 14)
	s.put(uint32(h-1), 14)
	s.put(1, 1) // alpha is used
	s.put(0, 3) // version
	s.put(0, 3) // no transform, no colour cache, no meta prefix codes
	for _, symbol := range []byte{c.G, c.R, c.B, c.A} {
		s.put(0b101, 3) // a simple code with one symbol of eight bits
		s.put(uint32(symbol), 8)
	}
	s.put(0b001, 3) // distance code: a simple code with one symbol of one bit
	s.put(0, 1)
	return s.b
}

func riffChunk(name string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data)))
	b = append(b, data...)
	if len(data)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func webpFile(chunks ...[]byte) []byte {
	all := slices.Concat(chunks...)
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(all)+4))
	return append(append(b, "WEBP"...), all...)
}

func vp8xChunk(flags byte, w, h int) []byte {
	data := []byte{flags, 0, 0, 0, byte(w - 1), byte((w - 1) >> 8), byte((w - 1) >> 16), byte(h - 1),
		byte((h - 1) >> 8), byte((h - 1) >> 16)}
	return riffChunk("VP8X", data)
}

func webpOf(w, h int, c color.NRGBA) []byte { return webpFile(riffChunk("VP8L", vp8lOf(w, h, c))) }

// anmfChunk returns a frame of an animation at the offset (2x, 2y).
func anmfChunk(x, y, w, h int, chunks ...[]byte) []byte {
	data := []byte{byte(x), 0, 0, byte(y), 0, 0, byte(w - 1), byte((w - 1) >> 8), 0, byte(h - 1),
		byte((h - 1) >> 8), 0, 100, 0, 0, 0}
	return riffChunk("ANMF", append(data, slices.Concat(chunks...)...))
}

// animatedWebP returns an animation: a red frame in the upper left quarter, then a blue frame that covers the canvas.
func animatedWebP(w, h int, inside ...[]byte) []byte {
	red := riffChunk("VP8L", vp8lOf(w/2, h/2, color.NRGBA{255, 0, 0, 255}))
	blue := riffChunk("VP8L", vp8lOf(w, h, color.NRGBA{0, 0, 255, 255}))
	return webpFile(vp8xChunk(0x12, w, h), riffChunk("ANIM", []byte{0, 0, 0, 0, 7, 0}),
		anmfChunk(0, 0, w/2, h/2, append(inside, red)...), anmfChunk(0, 0, w, h, append(inside, blue)...))
}

// lossyWebP is an image of 1 × 1 pixels with an ALPH chunk and a VP8 chunk.
var lossyWebP = []byte(
	"RIFF\x4a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"ALPH\x0c\x00\x00\x00\x11\x07\x10\x11\xfd\x0f\x44\x44\xff\x03\x00\x00" +
		"VP8 \x18\x00\x00\x00\x14\x01\x00\x9d\x01\x2a\x01\x00\x01\x00\x00\x00\xfe\x00\x00\x0d\xc0\x00\xfe" +
		"\xe6\xb5\x00\x00\x00")

func jpegSegment(marker byte, payload string) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(payload)+2))
	return append(b, payload...)
}

// insertAfterSOI inserts segments after the SOI marker of a JPEG.
func insertAfterSOI(file []byte, segments ...[]byte) []byte {
	return slices.Concat(append([][]byte{file[:2]}, append(segments, file[2:])...)...)
}

// exifSegment returns an EXIF segment with an orientation and the canary.
func exifSegment(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("Exif\x00\x00II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("Exif\x00\x00MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(order.AppendUint16(b, 0x0110), 2) // tag Model
	b = order.AppendUint32(order.AppendUint32(b, uint32(len(canary))), 38)
	b = order.AppendUint16(order.AppendUint16(b, 0x0112), 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(order.AppendUint16(b, orientation), 0)
	b = order.AppendUint32(b, 0)
	return jpegSegment(0xe1, string(b)+canary)
}

// pngChunk returns a PNG chunk with its CRC.
func pngChunk(name string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// insertAfterIHDR inserts chunks after the IHDR chunk of a PNG.
func insertAfterIHDR(file []byte, chunks ...[]byte) []byte {
	const header = 8 + 12 + 13
	return slices.Concat(append([][]byte{file[:header]}, append(chunks, file[header:])...)...)
}

// pngChunks returns the names of a PNG's chunks in order, and their joined data by name.
func pngChunks(file []byte) (names []string, data map[string][]byte) {
	data = map[string][]byte{}
	for b := file[8:]; len(b) > 0; {
		n := binary.BigEndian.Uint32(b)
		name := string(b[4:8])
		names = append(names, name)
		data[name] = append(data[name], b[8:8+n]...)
		b = b[12+n:]
	}
	return names, data
}

func deflate(b []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, err := z.Write(b)
	must(err)
	must(z.Close())
	return out.Bytes()
}

// fakeProfile returns an ICC profile with a valid header and arbitrary content.
func fakeProfile(space string, length int) []byte {
	p := make([]byte, length)
	binary.BigEndian.PutUint32(p, uint32(length))
	copy(p[16:], space)
	copy(p[36:], "acsp")
	for i := 128; i < length; i++ {
		p[i] = byte(i * 7)
	}
	return p
}

// iccSegments returns a profile as JPEG segments.
func iccSegments(p []byte) []byte {
	var parts [][]byte
	for part := range slices.Chunk(p, 60000) {
		parts = append(parts, part)
	}
	var b []byte
	for i, part := range parts {
		b = append(b, jpegSegment(0xe2, "ICC_PROFILE\x00"+string([]byte{byte(i + 1),
			byte(len(parts))})+string(part))...)
	}
	return b
}

// animatedPNG returns an animation with a red default image and smaller blue frames. If hidden is set, the default
// image is not a frame of the animation. The bytes in trailing are appended to the data of each blue frame.
func animatedPNG(w, h int, hidden bool, trailing []byte) []byte {
	_, red := pngChunks(pngOf(solidImage(w, h, color.NRGBA{255, 0, 0, 255})))
	_, blue := pngChunks(pngOf(solidImage(w/2, h/2, color.NRGBA{0, 0, 255, 255})))
	control := func(number, w, h int) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(number))
		for _, v := range []int{w, h, 0, 0} {
			b = binary.BigEndian.AppendUint32(b, uint32(v))
		}
		return pngChunk("fcTL", append(b, 0, 1, 0, 10, 0, 0))
	}
	b := append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", red["IHDR"])...)
	b = append(b, pngChunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 3})...)
	number := 0
	next := func() int { number++; return number - 1 }

	if !hidden {
		b = append(b, control(next(), w, h)...)
	}

	b = append(b, pngChunk("IDAT", red["IDAT"])...)
	frames := [][]byte{blue["IDAT"]}
	if hidden {
		frames = append(frames, blue["IDAT"])
	}

	for _, data := range frames {
		b = append(b, control(next(), w/2, h/2)...)
		half := len(data) / 2
		b = append(b, pngChunk("fdAT", append(binary.BigEndian.AppendUint32(nil, uint32(next())), data[:half]...))...)
		b = append(b, pngChunk("fdAT", append(binary.BigEndian.AppendUint32(nil, uint32(next())),
			append(data[half:], trailing...)...))...)
	}

	return append(b, pngChunk("IEND", nil)...)
}

// solidImage returns an image in which every pixel has the colour c.
func solidImage(w, h int, c color.NRGBA) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = []byte{c.R, c.G, c.B, c.A}[i%4]
	}
	return img
}

// wantColour fails the test unless a pixel has approximately the given colour.
func wantColour(t *testing.T, img image.Image, x, y int, want color.NRGBA) {
	t.Helper()
	got := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	for i, pair := range [][2]uint8{{got.R, want.R}, {got.G, want.G}, {got.B, want.B}, {got.A, want.A}} {
		if d := int(pair[0]) - int(pair[1]); (d > 24 || d < -24) && (i == 3 || want.A > 0) {
			t.Errorf("the pixel at %d, %d is %v, want about %v", x, y, got, want)
			return
		}
	}
}
