package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vitrine/internal/kit/picture"
)

// scanBomb returns a progressive grey JPEG with a DC scan and n AC scans that change nothing. Each of these has an
// end-of-band run for every 32,767 blocks, and so takes a few bytes, but the decoder visits all blocks.
func scanBomb(w, h uint16, n int) []byte {
	frame := string(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, h), w)) + "\x01\x01\x11\x00"

	// One DC code and one AC code of one bit: the DC difference 0, and the end-of-band run of 14 additional bits.
	table := func(class byte, symbol byte) string {
		return string(append(append([]byte{class, 1}, make([]byte, 15)...), symbol))
	}
	blocks := (int(w) + 7) / 8 * ((int(h) + 7) / 8)
	var dc, ac bitsMSB
	for range blocks {
		dc.put(0, 1)
	}

	for rest := blocks; rest > 0; rest -= 32767 {
		ac.put(0, 1)
		ac.put(uint32(min(rest, 32767)-1<<14)&(1<<14-1), 14)
	}

	file := slices.Concat([]byte("\xff\xd8"), jpegSegment(0xdb, "\x00"+strings.Repeat("\x01", 64)),
		jpegSegment(0xc2, frame), jpegSegment(0xc4, table(0x00, 0)), jpegSegment(0xc4, table(0x10, 0xe0)),
		jpegSegment(0xda, "\x01\x01\x00\x00\x00\x00"), dc.bytes())
	scan := slices.Concat(jpegSegment(0xda, "\x01\x01\x00\x01\x3f\x00"), ac.bytes())
	return slices.Concat(file, bytes.Repeat(scan, n), []byte("\xff\xd9"))
}

// bitsMSB writes values with the highest bit first, as JPEG does.
type bitsMSB struct {
	b []byte
	n int
}

func (s *bitsMSB) put(v uint32, n int) {
	for i := n - 1; i >= 0; i-- {
		if s.n%8 == 0 {
			s.b = append(s.b, 0)
		}
		s.b[s.n/8] |= byte(v>>i&1) << (7 - s.n%8)
		s.n++
	}
}

// bytes returns the entropy-coded bytes, filled up with one bits.
func (s *bitsMSB) bytes() []byte {
	for s.n%8 != 0 {
		s.put(1, 1)
	}
	return bytes.ReplaceAll(s.b, []byte{0xff}, []byte{0xff, 0})
}

// A progressive JPEG with thousands of scans took 22 KB and 19 CPU seconds, and could not be cancelled.
func TestH5_scansOfAJPEGAreBounded(t *testing.T) {
	for _, c := range []struct {
		w, h  uint16
		scans int
		code  string
	}{
		{6000, 4000, 500, "too_many_scans"},
		{6000, 4000, 50, "too_many_scans"}, // with the DC scan it is one too many for 24 million pixels
		{8, 8, 200, "too_many_scans"},
		{8, 8, 199, ""},
		{800, 600, 60, ""},
	} {
		file := scanBomb(c.w, c.h, c.scans)
		_, err := picture.NewDecoder(picture.Options{}).Clean(t.Context(), "", bytes.NewReader(file))

		var refusal *picture.Refusal
		switch errors.As(err, &refusal); {
		case c.code == "" && err != nil:
			t.Errorf("%d scans of %d × %d: %v", c.scans, c.w, c.h, err)
		case c.code != "" && (refusal == nil || refusal.Code != c.code ||
			!strings.Contains(refusal.Message, "baseline")):
			t.Errorf("%d scans of %d × %d: %v, want %s", c.scans, c.w, c.h, err, c.code)
		}
	}
}

// A progressive JPEG keeps all coefficients in memory, in CMYK 24 bytes per pixel.
func TestH5_memoryOfAJPEGIsBounded(t *testing.T) {
	file := slices.Concat([]byte("\xff\xd8"),
		jpegSegment(0xc2, "\x08\x0f\xa0\x17\x70\x04\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00"),
		jpegSegment(0xda, "\x01\x01\x00\x00\x00\x00"), []byte("\xff\xd9"))
	if r := refusalOf(t, file); r.Code != "too_many_pixels" || !strings.Contains(r.Message, "16 million") {
		t.Errorf("a progressive CMYK JPEG of 24 million pixels: %v", r)
	}
}

// Decoding ends when its time is over or the client has left, for every format.
func TestH5_decodingIsInterrupted(t *testing.T) {
	for name, file := range map[string][]byte{
		"JPEG": scanBomb(800, 600, 60), "PNG": pngOf(quadrants(400, 300)), "GIF": gifOf(400, 300, 3),
		"WebP": webpOf(400, 300, quadrants(2, 2).NRGBAAt(0, 0)), "animated WebP": animatedWebP(400, 300),
	} {
		t.Run(name, func(t *testing.T) {
			slow := picture.NewDecoder(picture.Options{Timeout: 1})
			var refusal *picture.Refusal
			if _, err := slow.Clean(t.Context(), "", bytes.NewReader(file)); !errors.As(err, &refusal) ||
				refusal.Code != "too_complex" {
				t.Errorf("after the timeout: %v, want too_complex", err)
			}

			ctx, cancel := context.WithCancel(t.Context())
			leaving := picture.NewDecoder(picture.Options{})
			leaving.BeforeDecode(func(int64) { cancel() }) // the client leaves
			if _, err := leaving.Clean(ctx, "", bytes.NewReader(file)); !errors.Is(err, context.Canceled) {
				t.Errorf("after the client has left: %v, want context.Canceled", err)
			}
		})
	}
}

// holdLarge decodes a large image of the owner until the returned function is called. Images of at most 1 MiB are
// decoded as usual.
func holdLarge(t *testing.T, d *picture.Decoder, owner string) (proceed func()) {
	t.Helper()
	started := make(chan struct{})
	end := make(chan struct{})
	ended := make(chan struct{})
	first := sync.OnceFunc(func() { close(started); <-end })
	d.BeforeDecode(func(need int64) {
		if need > 1<<20 {
			first()
		}
	})
	go func() {
		p, _ := d.Clean(t.Context(), owner, bytes.NewReader(blackPNG(2500, 2000))) // it may have taken too long
		p.Release()
		close(ended)
	}()
	<-started

	return func() {
		close(end)
		<-ended
	}
}

// smallMemory makes an image of 2500 × 2000 pixels a large one.
const smallMemory = 256 << 20

// The time that an image waits for others does not count as the time of its decoding.
func TestH5_waitingIsNotDecoding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := picture.NewDecoder(picture.Options{Memory: smallMemory})
		proceed := holdLarge(t, d, "a")
		result := make(chan error)
		go func() {
			_, err := d.Clean(t.Context(), "b", bytes.NewReader(blackPNG(2500, 2000)))
			result <- err
		}()
		time.Sleep(time.Minute) // of the clock of the test
		go proceed()
		if err := <-result; err != nil {
			t.Error(err)
		}
	})
}

// While large images are decoded or wait, a small one finds a slot.
func TestH5_smallPicturesDoNotWaitForLargeOnes(t *testing.T) {
	d := picture.NewDecoder(picture.Options{Memory: smallMemory})
	proceed := holdLarge(t, d, "a")
	results := make(chan error)
	for range 9 {
		go func() {
			_, err := d.Clean(t.Context(), "a", bytes.NewReader(blackPNG(2500, 2000)))
			results <- err
		}()
	}

	for _, owner := range []string{"a", "b"} {
		p, err := d.Clean(t.Context(), owner, bytes.NewReader(pngOf(quadrants(4, 4))))
		if err != nil {
			t.Error(err)
		}
		p.Release()
	}

	proceed()

	for range 9 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// Owners take turns: a large image waits for one image of each other owner at most, not for all that came earlier.
func TestH5_ownersOfLargePicturesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := picture.NewDecoder(picture.Options{Memory: smallMemory})
		proceed := holdLarge(t, d, "greedy")
		order := make(chan string, 6)
		var group sync.WaitGroup

		for _, owner := range []string{"greedy", "greedy", "greedy", "greedy", "greedy", "other"} {
			group.Go(func() {
				p, err := d.Clean(t.Context(), owner, bytes.NewReader(blackPNG(2500, 2000)))
				if err != nil {
					t.Error(err)
				}
				p.Release()
				order <- owner
			})
			synctest.Wait()
		}

		proceed()
		group.Wait()

		if first, second := <-order, <-order; first != "other" && second != "other" {
			t.Errorf("after %s and %s the image of the other owner still waits", first, second)
		}
	})
}

// Results that a slow caller has not stored yet take memory, too. Further images wait until there is room.
func TestH5_resultsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := noisePNG(200, 200) // 160 KB
		d := picture.NewDecoder(picture.Options{Memory: 8 * int64(len(file))})
		clean := func() (*picture.Picture, error) {
			p, err := d.Clean(t.Context(), "", bytes.NewReader(file))
			return &p, err
		}
		first, err := clean()
		if err != nil || d.Used() != int64(len(first.Bytes)) {
			t.Fatalf("%d bytes are in use after the first: %v", d.Used(), err)
		}

		second := make(chan error)
		go func() {
			p, err := clean()
			p.Release()
			second <- err
		}()
		synctest.Wait()
		select {
		case err := <-second:
			t.Errorf("the second result did not wait: %v", err)
			return
		default:
		}

		first.Release()
		if err := <-second; err != nil || d.Used() != 0 {
			t.Errorf("%d bytes are in use in the end: %v", d.Used(), err)
		}
	})
}

// noisePNG returns a PNG that cannot be compressed.
func noisePNG(w, h int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	_, _ = rand.NewChaCha8([32]byte{}).Read(img.Pix) // it never fails
	return pngOf(img)
}

// The decoders never allocate more than what is counted for an image, and images that take more than there is are
// refused before they are decoded.
func TestH5_memoryIsCounted(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		want int64 // at least
	}{
		"a progressive JPEG": {scanBomb(1200, 900, 3), 5 * 1200 * 900},
		"a thin JPEG":        {scanBomb(1, 65_000, 3), 5 * 8 * 65_000},
		"a JPEG":             {jpegOf(quadrants(1200, 900)), 1200 * 900 * 3 / 2},
		"a turned JPEG": {insertAfterSOI(jpegOf(quadrants(1200, 900)), exifSegment(binary.BigEndian, 6)),
			2 * 1200 * 900 * 3 / 2},
		"a PNG":        {pngOf(quadrantsWithHole(800, 600)), 4 * 800 * 600},
		"a GIF":        {gifOf(800, 600, 3), 800 * 600},
		"a WebP":       {webpOf(800, 600, quadrants(2, 2).NRGBAAt(0, 0)), 4 * 800 * 600},
		"a lossy WebP": {lossyWebP, 2},
		"an animation": {animatedWebP(800, 600), 8 * 800 * 600},
		"a large PNG":  {blackPNG(2000, 1500), 2000 * 1500},
	} {
		t.Run(name, func(t *testing.T) {
			d := picture.NewDecoder(picture.Options{})
			var need int64
			d.BeforeDecode(func(n int64) { need = n })
			for what, run := range map[string]func(d *picture.Decoder) error{
				"Clean": func(d *picture.Decoder) error {
					p, err := d.Clean(t.Context(), "", bytes.NewReader(c.file))
					p.Release()
					return err
				},
				"Thumbnails": func(d *picture.Decoder) error {
					_, err := d.Thumbnails(t.Context(), "", bytes.NewReader(c.file), 64, 16)
					return err
				},
			} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := run(d)
				runtime.ReadMemStats(&after)

				const buffers = 2_500_000 // of a fixed size, such as those of the PNG encoder
				if used := int64(after.TotalAlloc - before.TotalAlloc); err != nil || need < c.want ||
					used > need+need/2+buffers {
					t.Errorf("%s: %d bytes are counted, want at least %d; %d were allocated: %v", what, need, c.want,
						used, err)
				}

				var tooLarge *picture.MemoryError
				full := picture.NewDecoder(picture.Options{Memory: need})
				if err := run(full); !errors.As(err, &tooLarge) || tooLarge.Need != need || tooLarge.Limit > need*3/4 {
					t.Errorf("%s with a memory of %d bytes: %v", what, need, err)
				}
			}
		})
	}
}

// However many images there are, all that is decoded or waits to be stored stays within the memory.
func TestH5_picturesStayWithinTheMemoryTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const memory = 64 << 20
		d := picture.NewDecoder(picture.Options{Memory: memory})
		end := make(chan struct{})
		d.BeforeDecode(func(int64) { <-end })
		var group sync.WaitGroup

		for i, side := range []uint32{900, 3000, 900, 3000, 900, 3000, 900, 3500, 10} {
			group.Go(func() {
				p, err := d.Clean(t.Context(), string(rune('a'+i)), bytes.NewReader(blackPNG(side, side)))
				if err != nil {
					t.Error(err)
				}
				p.Release()
			})
		}

		synctest.Wait()
		if used := d.Used(); used < memory/2 || used > memory {
			t.Errorf("%d of %d bytes are in use", used, memory)
		}

		close(end)
		group.Wait()

		if d.Used() != 0 {
			t.Errorf("%d bytes are in use in the end", d.Used())
		}
	})
}

// With 512 MiB for the process, about 140 MiB are for images. Ordinary images of 24 megapixels fit.
func TestH5_ordinaryPicturesFit(t *testing.T) {
	sof := func(sampling string) []byte {
		return jpegSegment(0xc0, "\x08\x0f\xa0\x17\x70\x03\x01"+sampling+"\x00\x02\x11\x00\x03\x11\x00")
	}
	rgba := slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngHeader(6000, 4000, 8, 6),
		pngChunk("IDAT", deflatedZeroes(1000)), pngChunk("IEND", nil)) // the first pixels
	scan := slices.Concat(jpegSegment(0xda, "\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00"), []byte("\xff\xd9"))

	head := []byte("\xff\xd8")
	for name, c := range map[string]struct {
		file []byte
		fits bool
	}{
		"a JPEG in 4:2:0":          {slices.Concat(head, sof("\x22"), scan), true},
		"a JPEG in 4:4:4":          {slices.Concat(head, sof("\x11"), scan), true},
		"a turned JPEG in 4:2:0":   {slices.Concat(head, exifSegment(binary.BigEndian, 6), sof("\x22"), scan), true},
		"a turned JPEG in 4:2:2":   {slices.Concat(head, exifSegment(binary.BigEndian, 6), sof("\x21"), scan), true},
		"a PNG with 8 bits":        {rgba, true},
		"an interlaced 16-bit PNG": {interlacedHeader(6000, 4000), false},
	} {
		t.Run(name, func(t *testing.T) {
			d := picture.NewDecoder(picture.Options{Memory: 140 << 20})
			decoded := false
			ctx, cancel := context.WithCancel(t.Context())
			d.BeforeDecode(func(int64) { decoded = true; cancel() }) // decoding it would take long
			_, err := d.Clean(ctx, "", bytes.NewReader(append(c.file, make([]byte, 4<<20)...)))

			var tooLarge *picture.MemoryError
			if decoded != c.fits || !c.fits && !errors.As(err, &tooLarge) {
				t.Errorf("decoded: %v, error: %v", decoded, err)
			}
		})
	}
}

// interlacedHeader returns an interlaced PNG with 16 bits per channel, whose pixels are missing.
func interlacedHeader(w, h uint32) []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", append(header, 16, 6, 0, 0, 1)),
		pngChunk("IDAT", deflatedZeroes(1000)), pngChunk("IEND", nil))
}
