package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
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
		_, err := picture.NewDecoder(picture.Options{}).Clean(t.Context(), bytes.NewReader(file))
		var refusal *picture.Refusal
		switch errors.As(err, &refusal); {
		case c.code == "" && err != nil:
			t.Errorf("%d scans of %d × %d: %v", c.scans, c.w, c.h, err)
		case c.code != "" && (refusal == nil || refusal.Code != c.code || !strings.Contains(refusal.Message, "baseline")):
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
			if _, err := slow.Clean(t.Context(), bytes.NewReader(file)); !errors.As(err, &refusal) ||
				refusal.Code != "too_complex" {
				t.Errorf("after the timeout: %v, want too_complex", err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			leaving := picture.NewDecoder(picture.Options{Admit: func(context.Context, int64) (func(), error) {
				cancel() // the client leaves just before decoding starts
				return func() {}, nil
			}})
			if _, err := leaving.Clean(ctx, bytes.NewReader(file)); !errors.Is(err, context.Canceled) {
				t.Errorf("after the client has left: %v, want context.Canceled", err)
			}
		})
	}
}

// The time that an image waits for others does not count as the time of its decoding.
func TestH5_waitingIsNotDecoding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := picture.NewDecoder(picture.Options{Admit: func(context.Context, int64) (func(), error) {
			time.Sleep(time.Hour) // of the clock of the test
			return func() {}, nil
		}})
		if _, err := busy.Clean(t.Context(), bytes.NewReader(pngOf(quadrants(40, 30)))); err != nil {
			t.Error(err)
		}
	})
}

// While large images are decoded or wait, a small one finds a slot.
func TestH5_smallPicturesDoNotWaitForLargeOnes(t *testing.T) {
	entered, proceed := make(chan int64), make(chan struct{})
	d := picture.NewDecoder(picture.Options{Admit: func(_ context.Context, bytes int64) (func(), error) {
		if bytes > 5_000_000 {
			entered <- bytes
			<-proceed
		}
		return func() {}, nil
	}})
	large := blackPNG(2500, 2000)
	results := make(chan error)
	for range 3 {
		go func() {
			_, err := d.Clean(t.Context(), bytes.NewReader(large))
			results <- err
		}()
	}
	<-entered
	if _, err := d.Clean(t.Context(), bytes.NewReader(pngOf(quadrants(4, 4)))); err != nil {
		t.Error(err)
	}
	select {
	case <-entered:
		t.Error("two large images are decoded at once")
	default:
	}
	close(proceed)
	for range 2 {
		<-entered
	}
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// The estimates of memory cover what the decoders allocate at least.
func TestH5_memoryIsAdmittedBeforeDecoding(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		want int64
	}{
		"a progressive JPEG": {scanBomb(800, 600, 3), 5 * 800 * 600},
		"a PNG":              {pngOf(quadrantsWithHole(400, 300)), 4 * 400 * 300},
		"a GIF":              {gifOf(400, 300, 3), 400 * 300},
		"a WebP":             {webpOf(400, 300, quadrants(2, 2).NRGBAAt(0, 0)), 4 * 400 * 300},
	} {
		t.Run(name, func(t *testing.T) {
			busy := errors.New("no memory is left")
			var asked int64
			full := picture.NewDecoder(picture.Options{Admit: func(_ context.Context, n int64) (func(), error) {
				asked = n
				return nil, busy
			}})
			if _, err := full.Clean(t.Context(), bytes.NewReader(c.file)); !errors.Is(err, busy) {
				t.Errorf("without memory: %v", err)
			}
			if asked < c.want {
				t.Errorf("%d bytes are asked for, want at least %d", asked, c.want)
			}
			clean := asked
			if _, err := full.Thumbnails(t.Context(), bytes.NewReader(c.file), 100); !errors.Is(err, busy) || asked < clean {
				t.Errorf("thumbnails ask for %d bytes, less than %d, or fail otherwise: %v", asked, clean, err)
			}
		})
	}
}
