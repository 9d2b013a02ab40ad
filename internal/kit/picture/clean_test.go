package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"vitrine/internal/kit/picture"
)

func cleanFile(t *testing.T, file []byte) picture.Picture {
	t.Helper()
	p, err := picture.NewDecoder(picture.Options{}).Clean(t.Context(), "", bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refusalOf cleans a file, which must fail, and returns the refusal.
func refusalOf(t *testing.T, file []byte) *picture.Refusal {
	t.Helper()
	_, err := picture.NewDecoder(picture.Options{}).Clean(t.Context(), "", bytes.NewReader(file))
	var r *picture.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal", err)
	}
	return r
}

func decode(t *testing.T, p picture.Picture) image.Image {
	t.Helper()
	read := map[picture.Format]func([]byte) (image.Image, error){
		picture.JPEG: func(b []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(b)) },
		picture.PNG:  func(b []byte) (image.Image, error) { return png.Decode(bytes.NewReader(b)) },
		picture.GIF:  func(b []byte) (image.Image, error) { return gif.Decode(bytes.NewReader(b)) },
		picture.WebP: func(b []byte) (image.Image, error) { return webp.Decode(bytes.NewReader(b)) },
	}
	img, err := read[p.Format](p.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// Each case has metadata wherever the format allows it, and the expected file has none.
func TestClean_removesMetadataAndKeepsTheImageData(t *testing.T) {
	photo := jpegOf(quadrants(40, 30))
	drawing := pngOf(quadrantsWithHole(40, 30))
	animation := gifOf(40, 30, 3)
	flat := webpOf(40, 30, color.NRGBA{255, 0, 0, 255})

	tail := "PK\x03\x04" + canary
	for _, c := range []struct {
		name       string
		file, want []byte
		format     picture.Format
		opaque     bool
	}{
		{"a JPEG without metadata", photo, photo, picture.JPEG, true},
		{"a JPEG", append(insertAfterSOI(photo,
			jpegSegment(0xe0, "JFIF\x00\x01\x02\x01\x00\x48\x00\x48\x01\x01"+canary),
			exifSegment(binary.LittleEndian, 1), jpegSegment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+canary),
			jpegSegment(0xe2, "MPF\x00"+canary), jpegSegment(0xed, "Photoshop 3.0\x00"+canary),
			jpegSegment(0xfe, canary), []byte(canary), []byte("\xff\xff\xff\xfe\x00\x04ab"),
			jpegSegment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01"+canary)), tail...),
			insertAfterSOI(photo, jpegSegment(0xe0, "JFIF\x00\x01\x02\x01\x00\x48\x00\x48\x00\x00"),
				jpegSegment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01")), picture.JPEG, true},
		{"a JPEG with a short JFIF", insertAfterSOI(photo, jpegSegment(0xe0, "JFIF\x00"+"\x01")),
			insertAfterSOI(photo, jpegSegment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")), picture.JPEG,
			true},
		{"a PNG without metadata", drawing, drawing, picture.PNG, false},
		{"a PNG", append(insertAfterIHDR(drawing,
			pngChunk("tEXt", []byte("Comment\x00"+canary)),
			pngChunk("zTXt", append([]byte("Comment\x00\x00"), deflate([]byte(canary))...)),
			pngChunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+canary)),
			pngChunk("eXIf", []byte("II*\x00"+canary)), pngChunk("tIME", []byte{7, 234, 11, 14, 12, 0, 5}),
			pngChunk("caNr", []byte(canary)), pngChunk("sPLT", []byte(canary)),
			pngChunk("gAMA", []byte{0, 0, 0xb1, 0x8f}), pngChunk("pHYs", []byte(canary))), tail...),
			insertAfterIHDR(drawing, pngChunk("gAMA", []byte{0, 0, 0xb1, 0x8f})), picture.PNG, false},
		{"a GIF without metadata", animation, animation, picture.GIF, true},
		{"a GIF", slices.Concat(animation[:len(animation)-1],
			[]byte("\x21\xfe"), gifBlock(canary), []byte("\x00"), []byte("\x21\xff"), gifBlock("XMP DataXMP"),
			gifBlock(canary), []byte("\x00"),
			[]byte("\x21\x01"), gifBlock(canary[:12]), gifBlock(canary), []byte("\x00"), []byte("\x21\xff"),
			gifBlock("NETSCAPE2.0"), gifBlock(canary), []byte("\x00"), []byte("\x3b"), []byte(tail)),
			animation, picture.GIF, true},
		{"a WebP without metadata", flat, flat, picture.WebP, true},
		{"a WebP", append(webpFile(vp8xChunk(0x1c, 40, 30),
			riffChunk("VP8L", vp8lOf(40, 30, color.NRGBA{255, 0, 0, 255})), riffChunk("EXIF", []byte(canary)),
			riffChunk("XMP ", []byte(canary)),
			riffChunk("ABCD", []byte(canary))), tail...),
			webpFile(vp8xChunk(0x10, 40, 30), riffChunk("VP8L", vp8lOf(40, 30, color.NRGBA{255, 0, 0, 255}))),
			picture.WebP, true},
		{"a lossy WebP with alpha", slices.Concat(webpFile(lossyWebP[12:], riffChunk("EXIF", []byte(canary)))),
			lossyWebP, picture.WebP, false},
		{"an animated WebP", append(animatedWebP(40, 30, riffChunk("EXIF", []byte(canary))), tail...),
			animatedWebP(40, 30), picture.WebP, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := cleanFile(t, c.file)
			if p.Format != c.format || p.Opaque != c.opaque {
				t.Errorf("got a %s, opaque: %t", p.Format, p.Opaque)
			}
			if bytes.Contains(p.Bytes, []byte("canary")) {
				t.Error("the result contains the canary")
			}
			if !bytes.Equal(p.Bytes, c.want) {
				t.Errorf("got  %q\nwant %q", p.Bytes, c.want)
			}

			if again := cleanFile(t, p.Bytes); !bytes.Equal(again.Bytes, p.Bytes) {
				t.Error("a second Clean changes the file")
			}
		})
	}
}

// gifBlock returns a data sub-block of a GIF: its length and its data.
func gifBlock(text string) []byte { return append([]byte{byte(len(text))}, text...) }

// In these files the IDAT chunks continue after the zlib stream of the pixels.
func TestClean_removesDataAfterThePixelsOfAPNG(t *testing.T) {
	for name, img := range map[string]image.Image{
		"colours": quadrants(40, 30), "a palette": paletted(40, 30), "grey": image.NewGray(image.Rect(0, 0, 40, 30)),
		"16 bits a channel": image.NewNRGBA64(image.Rect(0, 0, 40, 30)),
	} {
		t.Run(name, func(t *testing.T) {
			file := pngOf(img)
			names, data := pngChunks(file)
			end := pngChunk("IEND", nil)
			body := file[:len(file)-len(end)]
			p := cleanFile(t, slices.Concat(body, pngChunk("IDAT", []byte(canary)), end))
			if !bytes.Equal(p.Bytes, file) {
				t.Errorf("the file of chunks %v has changed", names)
			}

			split := append([]byte(nil), file[:bytes.Index(file, []byte("IDAT"))-4]...)
			for part := range slices.Chunk(append(data["IDAT"], canary...), 50) {
				split = append(split, pngChunk("IDAT", part)...)
			}

			if p := cleanFile(t, append(split, end...)); !bytes.Equal(p.Bytes, file) {
				t.Error("the IDAT chunks are not joined")
			}
		})
	}
}

func paletted(w, h int) image.Image {
	img := image.NewPaletted(image.Rect(0, 0, w, h),
		color.Palette{color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}})
	draw.Draw(img, image.Rect(0, 0, w/2, h), image.NewUniform(color.NRGBA{0, 0, 255, 255}), image.Point{}, draw.Src)
	return img
}

func TestClean_keepsAnimations(t *testing.T) {
	p := cleanFile(t, gifOf(40, 30, 5))
	g, err := gif.DecodeAll(bytes.NewReader(p.Bytes))
	if err != nil || len(g.Image) != 5 || g.LoopCount != 0 || g.Delay[4] != 10 {
		t.Errorf("the GIF has changed: %v", err)
	}

	for _, hidden := range []bool{false, true} {
		want := []string{"IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"}
		if hidden {
			want = []string{"IHDR", "acTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"}
		}

		p := cleanFile(t, append(insertAfterIHDR(animatedPNG(40, 30, hidden, []byte(canary)),
			pngChunk("tEXt", []byte(canary))), canary...))
		if names, _ := pngChunks(p.Bytes); !slices.Equal(names, want) || bytes.Contains(p.Bytes, []byte("canary")) {
			t.Errorf("the chunks of the PNG are %v, want %v", names, want)
		}

		number := uint32(0)
		for b := p.Bytes[8:]; len(b) > 0; b = b[12+binary.BigEndian.Uint32(b):] {
			if name := string(b[4:8]); name == "fcTL" || name == "fdAT" {
				if got := binary.BigEndian.Uint32(b[8:]); got != number {
					t.Errorf("a %s has the sequence number %d, want %d", name, got, number)
				}
				number++
			}
		}

		wantColour(t, decode(t, p), 35, 25, color.NRGBA{255, 0, 0, 255})
	}
}

func TestClean_keepsOnlyValidColourProfiles(t *testing.T) {
	short, long := fakeProfile("RGB ", 600), fakeProfile("RGB ", 150_000)
	photo := jpegOf(quadrants(40, 30))
	drawing := pngOf(quadrants(40, 30))
	flat := riffChunk("VP8L", vp8lOf(40, 30, color.NRGBA{255, 0, 0, 255}))

	iccp := func(p []byte) []byte { return pngChunk("iCCP", append([]byte(canary+"\x00\x00"), deflate(p)...)) }
	for name, c := range map[string]struct {
		file []byte
		want []byte // the expected profile; nil if it is dropped
	}{
		"a JPEG":                 {insertAfterSOI(photo, iccSegments(short)), short},
		"a JPEG with a long one": {insertAfterSOI(photo, iccSegments(long)), long},
		"a JPEG, segments reordered": {insertAfterSOI(photo, iccSegments(long)[60018:], iccSegments(long)[:60018]),
			long},
		"a JPEG, a segment missing": {insertAfterSOI(photo, iccSegments(long)[60018:]), nil},
		"a JPEG with other data": {insertAfterSOI(photo, iccSegments([]byte(canary+strings.Repeat("x", 200)))),
			nil},
		"a JPEG with more than a profile": {insertAfterSOI(photo, iccSegments(append(short[:600:600], canary...))),
			nil},
		"a PNG":                          {insertAfterIHDR(drawing, iccp(short)), short},
		"a PNG with other data":          {insertAfterIHDR(drawing, iccp([]byte(canary))), nil},
		"a PNG with more than a profile": {insertAfterIHDR(drawing, iccp(append(short[:600:600], canary...))), nil},
		"a PNG with a broken one":        {insertAfterIHDR(drawing, pngChunk("iCCP", []byte("x\x00\x00"+canary))), nil},
		"a PNG with a zlib bomb":         {insertAfterIHDR(drawing, iccp(make([]byte, 5<<20))), nil},
		"a WebP":                         {webpFile(vp8xChunk(0x30, 40, 30), riffChunk("ICCP", short), flat), short},
		"a WebP with other data": {webpFile(vp8xChunk(0x30, 40, 30), riffChunk("ICCP", []byte(canary)), flat),
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := cleanFile(t, c.file)
			if got := profileOf(p); !bytes.Equal(got, c.want) {
				t.Errorf("the profile has %d bytes, want %d", len(got), len(c.want))
			}
			if bytes.Contains(p.Bytes, []byte("canary")) {
				t.Error("the result contains the canary")
			}
			decode(t, p)
		})
	}
}

// profileOf returns the ICC profile of a file, or nil.
func profileOf(p picture.Picture) (found []byte) {
	switch p.Format {
	case picture.JPEG:
		for b := p.Bytes[2:]; b[1] != 0xda; {
			end := 2 + int(binary.BigEndian.Uint16(b[2:]))
			if b[1] == 0xe2 {
				found = append(found, b[18:end]...)
			}
			b = b[end:]
		}
	case picture.PNG:
		_, data := pngChunks(p.Bytes)
		if _, z, ok := bytes.Cut(data["iCCP"], []byte("\x00\x00")); ok {
			found = inflate(z)
		}
	case picture.WebP:
		if i := bytes.Index(p.Bytes, []byte("ICCP")); i > 0 {
			found = p.Bytes[i+8:][:binary.LittleEndian.Uint32(p.Bytes[i+4:])]
		}
	}

	return found
}

// The result is upright for each EXIF orientation, and Width and Height are those of the result.
func TestClean_appliesTheEXIFOrientation(t *testing.T) {
	red := color.NRGBA{255, 0, 0, 255}
	green := color.NRGBA{0, 255, 0, 255}
	blue := color.NRGBA{0, 0, 255, 255}

	white := color.NRGBA{255, 255, 255, 255}

	// Corners of the upright image: upper left, upper right, lower left, lower right.
	for orientation, corners := range map[uint16][4]color.NRGBA{
		0: {red, green, blue, white}, 1: {red, green, blue, white}, 2: {green, red, white, blue},
		3: {white, blue, green, red}, 4: {blue, white, red, green},
		5: {red, blue, green, white}, 6: {blue, red, white, green}, 7: {white, green, blue, red},
		8: {green, white, red, blue}, 9: {red, green, blue, white},
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			p := cleanFile(t, insertAfterSOI(jpegOf(quadrants(64, 32)), exifSegment(order, orientation),
				iccSegments(fakeProfile("RGB ", 200))))
			w, h := 64, 32
			if orientation >= 5 && orientation <= 8 {
				w, h = h, w
			}

			img := decode(t, p)
			if p.Width != w || p.Height != h || img.Bounds() != image.Rect(0, 0, w, h) {
				t.Errorf("orientation %d: it has %d × %d pixels and reports %d × %d", orientation, img.Bounds().Dx(),
					img.Bounds().Dy(), p.Width, p.Height)
				continue
			}

			for i, at := range []image.Point{{4, 4}, {w - 5, 4}, {4, h - 5}, {w - 5, h - 5}} {
				wantColour(t, img, at.X, at.Y, corners[i])
			}

			if len(profileOf(p)) != 200 || bytes.Contains(p.Bytes, []byte("canary")) {
				t.Errorf("orientation %d: the profile is missing, or the canary is present", orientation)
			}
		}
	}
}

func TestClean_keepsGreyscaleWhenItAppliesTheOrientation(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 64, 32))
	draw.Draw(grey, image.Rect(0, 0, 32, 16), image.NewUniform(color.Gray{200}), image.Point{}, draw.Src)
	p := cleanFile(t, insertAfterSOI(jpegOf(grey), exifSegment(binary.LittleEndian, 6),
		iccSegments(fakeProfile("GRAY", 200))))
	img, ok := decode(t, p).(*image.Gray)
	if !ok || len(profileOf(p)) != 200 {
		t.Fatal("the result is not greyscale or has lost its profile")
	}
	wantColour(t, img, 28, 4, color.NRGBA{200, 200, 200, 255})
	wantColour(t, img, 4, 4, color.NRGBA{0, 0, 0, 255})
}

func TestDecoder_returnsTheErrorOfACancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := picture.NewDecoder(picture.Options{})
	if _, err := d.Clean(ctx, "", bytes.NewReader(jpegOf(quadrants(40, 30)))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := d.Thumbnails(ctx, "", bytes.NewReader(jpegOf(quadrants(40, 30))), 10); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v", err)
	}
}
