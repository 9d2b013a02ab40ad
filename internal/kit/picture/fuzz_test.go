package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"golang.org/x/image/webp"

	"vitrine/internal/kit/picture"
)

// FuzzClean checks properties of any input: nothing panics; an accepted file can be decoded by the standard decoders,
// has the reported size, and is unchanged by a second Clean; and metadata that is added to it is removed again.
func FuzzClean(f *testing.F) {
	for _, file := range [][]byte{
		jpegOf(quadrants(16, 12)), insertAfterSOI(jpegOf(quadrants(16, 12)), exifSegment(binary.BigEndian, 6),
			iccSegments(fakeProfile("RGB ", 200)), jpegSegment(0xfe, "x")),
		pngOf(quadrantsWithHole(16, 12)), pngOf(paletted(9, 9)), animatedPNG(16, 12, false, nil),
		animatedPNG(16, 12, true, []byte("x")),
		insertAfterIHDR(pngOf(quadrants(8, 8)), pngChunk("iCCP",
			append([]byte("x\x00\x00"), deflate(fakeProfile("RGB ", 200))...)), pngChunk("tEXt", []byte("a\x00b"))),
		gifOf(16, 12, 3), webpOf(16, 12, color.NRGBA{1, 2, 3, 4}), lossyWebP, animatedWebP(16, 12),
		webpFile(vp8xChunk(0x20, 16, 12), riffChunk("ICCP", fakeProfile("RGB ", 200)),
			riffChunk("VP8L", vp8lOf(16, 12, color.NRGBA{}))),
	} {
		f.Add(file)
	}

	f.Fuzz(func(t *testing.T, file []byte) {
		if claimsManyPixels(file) {
			return // it may be valid, but is slow to decode
		}

		d := picture.NewDecoder(picture.Options{})
		p, err := d.Clean(t.Context(), "", bytes.NewReader(file))
		var r *picture.Refusal
		if err != nil {
			if !errors.As(err, &r) || r.Message == "" {
				t.Fatalf("got %v, want a refusal", err)
			}
			return
		}

		if p.Format != picture.WebP || !bytes.Contains(p.Bytes,
			[]byte("ANMF")) { // the function decode cannot read animated WebP
			if got := decode(t, p).Bounds(); p.Format != picture.GIF && (got.Dx() != p.Width || got.Dy() != p.Height) {
				t.Fatalf("it is %v and was reported as %d × %d", got, p.Width, p.Height)
			}
		}

		for _, dirty := range append(withMetadata(p), p.Bytes) {
			again, err := d.Clean(t.Context(), "", bytes.NewReader(dirty))
			if err != nil || !bytes.Equal(again.Bytes, p.Bytes) {
				t.Fatalf("%v: %q\nbecomes %q\ninstead of %q", err, dirty, again.Bytes, p.Bytes)
			}
		}

		if _, err := d.Thumbnails(t.Context(), "", bytes.NewReader(p.Bytes), 8, 4); err != nil {
			t.Fatal(err)
		}
	})
}

// claimsManyPixels reports whether a file claims so many pixels that decoding it would slow down the fuzzing.
func claimsManyPixels(file []byte) bool {
	const limit = 1 << 18
	for _, config := range []func() (int, int){
		func() (int, int) { c, _ := jpeg.DecodeConfig(bytes.NewReader(file)); return c.Width, c.Height },
		func() (int, int) { c, _ := png.DecodeConfig(bytes.NewReader(file)); return c.Width, c.Height },
		func() (int, int) { c, _ := gif.DecodeConfig(bytes.NewReader(file)); return c.Width, c.Height },
		func() (int, int) { c, _ := webp.DecodeConfig(bytes.NewReader(file)); return c.Width, c.Height },
	} {
		if w, h := config(); w*h > limit {
			return true
		}
	}
	return false
}

// withMetadata returns copies of a clean image with metadata added.
func withMetadata(p picture.Picture) [][]byte {
	b := p.Bytes
	tail := append(slices.Clone(b), canary...)
	switch p.Format {
	case picture.JPEG:
		return [][]byte{tail, insertAfterSOI(b, jpegSegment(0xfe, canary), jpegSegment(0xe1, "Exif\x00\x00"+canary),
			jpegSegment(0xef, canary))}
	case picture.PNG:
		return [][]byte{tail, insertAfterIHDR(b, pngChunk("tEXt", []byte(canary)), pngChunk("eXIf", []byte(canary)),
			pngChunk("xxXx", []byte(canary)))}
	case picture.GIF:
		return [][]byte{tail, slices.Concat(b[:len(b)-1], []byte("\x21\xfe"), gifBlock(canary), []byte("\x00\x3b"))}
	}
	more := slices.Concat(b, riffChunk("EXIF", []byte(canary)), riffChunk("XMP ", []byte(canary)))
	binary.LittleEndian.PutUint32(more[4:], uint32(len(more)-8))
	return [][]byte{tail, more}
}
