package imagefile

import (
	"image"
	"io"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/blobtest"
)

// openWidth opens the PNG im in a width and returns the width of the file.
func (s *filesFixture) openWidth(im Upload, width int64) (int, string, error) {
	f, name, _, err := s.files.OpenWidth(s.Context(), s.Store.ID, im.ID, "original.png", width)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	c, _, err := image.DecodeConfig(struct{ io.Reader }{f})
	return c.Width, name, err
}

// Concurrent requests for a width store it once. What is stored belongs to the image: it is removed with it.
func TestOpenWidth_makesAWidthOnceAndKeepsIt(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im := s.largeImage()
		puts := s.blobs.Puts.Load()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if width, name, err := s.openWidth(im, 320); width != 320 || name != "w320.jpg" || err != nil {
					s.Errorf("%s is %d pixels wide: %v", name, width, err)
				}
			})
		}
		all.Wait()
		if made := s.blobs.Puts.Load() - puts; made != 1 {
			s.Errorf("%d files were stored, want 1", made)
		}

		for _, width := range []int64{1280, 1920} {
			if _, _, err := s.openWidth(im, width); fault.KindOf(err) != fault.Malformed {
				s.Errorf("the width %d of an image of 1000: got %v, want fault.Malformed", width, err)
			}
		}
		if _, _, err := s.openWidth(Upload{ID: ID{1}}, 160); fault.KindOf(err) != fault.NotFound {
			s.Errorf("a width of an unknown image: got %v, want fault.NotFound", err)
		}

		if _, ok := parseFile(imageRef{s.Store.ID, im.ID}.file("w320.jpg")); !ok {
			s.Error("the file is not recognized as one of an image")
		}
		if err := s.deleteImage(im.ID); err != nil {
			s.Fatal(err)
		}
		s.removeOrphans(time.Second)
		s.wantFiles()
	})
}

// If a width was made, but not stored, because the process ended or the storage failed, it is made again.
func TestOpenWidth_makesItAgainAfterAFailure(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im := s.largeImage()
		s.blobs.BeforePut = blobtest.Unavailable
		if _, _, err := s.openWidth(im, 160); err == nil {
			s.Error("a width was opened that could not be stored")
		}
		s.blobs.BeforePut = nil
		if width, _, err := s.openWidth(im, 160); width != 160 || err != nil {
			s.Errorf("the file is %d pixels wide: %v", width, err)
		}
	})
}

func TestOpenWidth_refusesACorruptOriginal(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im := s.largeImage()
		name := imageRef{s.Store.ID, im.ID}.file("original.png")
		content := blobtest.EncodePNG(1000, 500, 1)
		if err := s.blobs.Put(s.Context(), name, content[:len(content)/2]); err != nil {
			s.Fatal(err)
		}
		if _, _, err := s.openWidth(im, 160); fault.KindOf(err) != fault.NotFound {
			s.Errorf("got %v, want fault.NotFound", err)
		}
		if color, err := s.files.Color(s.Context(), s.Store.ID, im.ID); color != UnknownColor || err != nil {
			s.Errorf("the color is %s: %v", color, err)
		}
	})
}

// A store whose visitors ask for many widths at once does not keep those of another store waiting.
func TestMakeWidth_limitsWhatAStoreWaitsFor(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im := s.largeImage()
		for range maxWaitingWidths {
			s.files.waiting.begin(s.Store.ID)
		}

		if _, _, err := s.openWidth(im, 160); fault.KindOf(err) != fault.Unavailable {
			s.Errorf("got %v, want fault.Unavailable", err)
		}
		if !s.files.waiting.begin(store.ID{1}) {
			s.Error("another store is refused, too")
		}

		s.files.waiting.end(s.Store.ID)
		if _, _, err := s.openWidth(im, 160); err != nil {
			s.Error(err)
		}
	})
}

func TestWidthsOf_goUpToTheOriginal(t *testing.T) {
	for width, want := range map[int64]int{1: 0, 159: 0, 160: 1, 161: 1, 960: 4, 5000: 6} {
		if got := len(WidthsOf(width)); got != want {
			t.Errorf("%d: %d widths, want %d", width, got, want)
		}
	}
}
