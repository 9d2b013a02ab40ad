package imagefile

import (
	"context"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"path"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/blobtest"
)

func (s *filesFixture) open(im Upload, name string) (content []byte, mediaType string, err error) {
	f, mediaType, err := s.files.Open(s.Context(), s.Store.ID, im.ID, name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	content, err = io.ReadAll(f)
	return content, mediaType, err
}

// largeImage stores an image that is larger than its thumbnails.
func (s *filesFixture) largeImage() Upload {
	s.Helper()
	return s.unmarkOrphan(s.store(blobtest.EncodePNG(1000, 500, 1)))
}

func TestOpen_makesMissingThumbnails(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im := s.largeImage()
		puts := s.blobs.Puts.Load()
		var all sync.WaitGroup
		for i := range 8 { // concurrent requests store each thumbnail only once
			all.Go(func() {
				size := []Size{Small, Medium}[i%2]
				content, mediaType, err := s.open(im, (&Image{Opaque: im.Opaque}).File(size))
				if err != nil || mediaType != "image/jpeg" {
					s.Errorf("%s: %s, %v", size, mediaType, err)
					return
				}

				c, err := jpeg.DecodeConfig(strings.NewReader(string(content)))
				if want := [][2]int{{160, 80}, {640, 320}}[i%2]; err != nil || c.Width != want[0] ||
					c.Height != want[1] {
					s.Errorf("%s is %d × %d: %v", size, c.Width, c.Height, err)
				}
			})
		}

		all.Wait()
		if made := s.blobs.Puts.Load() - puts; made != 2 {
			s.Errorf("%d thumbnails were stored, want 2", made)
		}

		for _, name := range []string{
			"small.png", "medium.png", "original.jpg", "original.gif", "large.jpg", "original", "../original.png", "",
		} {
			if _, _, err := s.open(im, name); fault.KindOf(err) != fault.NotFound {
				s.Errorf("%q: %v", name, err)
			}
		}

		if _, _, err := s.open(Upload{ID: ID{1}}, "small.jpg"); fault.KindOf(err) != fault.NotFound {
			s.Errorf("the thumbnail of an unknown image: got %v, want fault.NotFound", err)
		}
		if _, mediaType, err := s.open(im, "original.png"); err != nil || mediaType != "image/png" {
			s.Errorf("the original is %s: %v", mediaType, err)
		}
	})
}

func TestRunThumbnails_makesThemInTheBackground(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im, other := s.largeImage(), s.largeImage()
		put := make(chan string, 4)
		s.blobs.BeforePut = func(name string) error { put <- path.Base(name); return nil }
		for range 3 * thumbnailQueue { // QueueThumbnails does not block when the queue is full
			s.files.QueueThumbnails(s.Store.ID, im.ID)
		}

		ctx, cancel := context.WithCancel(s.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.files.RunThumbnails(ctx) }()

		if first, second := <-put, <-put; first != "medium.jpg" || second != "small.jpg" {
			s.Errorf("%s and %s were stored", first, second)
		}

		cancel()
		if err := <-ended; err != nil {
			s.Error(err)
		}
		if _, _, err := s.open(im, "small.jpg"); err != nil {
			s.Error(err)
		}
		if got := s.blobs.Files(); len(got) != 4 {
			s.Errorf("the files %q are stored; no thumbnail of %s was requested", got, other.ID)
		}
	})
}

func TestOpen_isUnavailableWhileThumbnailsCannotBeStored(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im := s.largeImage()
		s.blobs.BeforePut = blobtest.Unavailable
		if _, _, err := s.open(im, "small.jpg"); fault.KindOf(err) != fault.Unavailable {
			s.Errorf("got %v", err)
		}
		s.blobs.BeforePut = nil
		if _, _, err := s.open(im, "small.jpg"); err != nil {
			s.Errorf("the next request: %v", err)
		}
	})
}

func TestOpen_survivesAPanicInTheGoroutineOfThumbnails(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im := s.largeImage()
		s.blobs.BeforePut = func(string) error { panic("broken decoder") }
		_, _, err := s.open(im, "small.jpg")
		if err == nil || !strings.Contains(err.Error(), "broken decoder") {
			s.Errorf("Open returned %v, want the panic as an error", err)
		}
	})
}

// A thumbnail that is stored after its image was removed is removed at once, since nothing else would remove it.
func TestOpen_leavesNoThumbnailOfARemovedImage(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		for _, at := range []string{"medium.jpg", "small.jpg"} {
			s.blobs.BeforePut = nil
			im := s.largeImage()
			s.blobs.BeforePut = func(name string) error {
				if path.Base(name) != at {
					return nil
				}
				return errors.Join(s.deleteImage(im.ID), s.files.RemoveOrphans(s.Context()))
			}
			if _, _, err := s.open(im, "medium.jpg"); fault.KindOf(err) != fault.NotFound {
				s.Errorf("got %v", err)
			}

			s.wantFiles()
		}
	})
}

// While one request makes the thumbnails, a second request waits for them. The second one returns when its own context
// ends.
func TestOpen_waitsAsLongAsItsContextLasts(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im := s.largeImage()
		begun := make(chan struct{}, 2)
		release := make(chan struct{})
		made := make(chan error)
		s.blobs.BeforePut = func(string) error {
			begun <- struct{}{}
			<-release
			return nil
		}
		go func() {
			_, _, err := s.open(im, "small.jpg")
			made <- err
		}()
		<-begun
		ctx, cancel := context.WithCancel(s.Context())
		cancel()
		if err := s.files.makeThumbnails(ctx, imageRef{s.Store.ID, im.ID}); !errors.Is(err, context.Canceled) {
			s.Errorf("got %v", err)
		}

		close(release)
		if err := <-made; err != nil {
			s.Error(err)
		}
	})
}

// A request gets its thumbnails even if the request that began to make them was cancelled.
func TestOpen_makesThumbnailsThatACancelledRequestBegan(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im := s.largeImage()
		ctx, cancel := context.WithCancel(s.Context())
		begun := make(chan struct{})
		release := make(chan struct{})
		cancelled := make(chan error)
		opened := make(chan error)
		first := true

		s.blobs.BeforePut = func(string) error {
			if !first {
				return nil
			}
			first = false
			close(begun)
			<-release
			return ctx.Err()
		}

		go func() { cancelled <- s.files.makeThumbnails(ctx, imageRef{s.Store.ID, im.ID}) }()
		<-begun
		go func() {
			_, _, err := s.open(im, "small.jpg")
			opened <- err
		}()
		cancel()

		if err := <-cancelled; !errors.Is(err, context.Canceled) {
			s.Errorf("the cancelled request got %v", err)
		}

		close(release)
		if err := <-opened; err != nil {
			s.Errorf("the other request got %v", err)
		}
	})
}

func TestStore_reportsTheDimensionsOfTheStoredImage(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		im := s.largeImage()
		content, _, err := s.open(im, "original.png")
		if err != nil {
			s.Fatal(err)
		}
		c, _, err := image.DecodeConfig(strings.NewReader(string(content)))
		if err != nil || c.Width != im.Width || c.Height != im.Height {
			s.Errorf("the stored image is %d × %d, the upload says %d × %d: %v", c.Width, c.Height, im.Width, im.Height,
				err)
		}
	})
}
