package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// Whatever fails on the way, no bytes stay without an image, and no image comes to be without its bytes.
func TestImageFiles_leaveNothingBehind(t *testing.T) {
	broken := errors.New("killed")
	cases := map[string]func(s *imageShop) error{
		"the storage is away": func(s *imageShop) error {
			s.blobs.put = away
			_, err := s.files.Store(s.Context(), s.storeID, bytes.NewReader(drawing(4, 4, 1)))
			return err
		},
		"the storage fails once the bytes are there": func(s *imageShop) error {
			s.blobs.put = func(name string) error {
				return errors.Join(s.blobs.Store.Put(s.Context(), name, []byte("some")), away(name))
			}
			_, err := s.files.Store(s.Context(), s.storeID, bytes.NewReader(drawing(4, 4, 1)))
			return err
		},
		"the process ends before the bytes are stored": func(s *imageShop) error {
			ctx, cancel := context.WithCancel(s.Context())
			s.blobs.put = func(string) error { cancel(); return nil }
			_, err := s.files.Store(ctx, s.storeID, bytes.NewReader(drawing(4, 4, 1)))
			return err
		},
		"the process ends before the image is made": func(s *imageShop) error {
			s.store(drawing(4, 4, 1))
			return broken
		},
		"the commit fails": func(s *imageShop) error {
			u := s.store(drawing(4, 4, 1))
			return s.db.Write(s.Context(), func(q database.Querier) error {
				_, err := s.CreateImage(s.Context(), q, s.storeID, u, ImageEdit{})
				return errors.Join(err, broken)
			})
		},
		"the external id is taken": func(s *imageShop) error {
			_, err := s.create(s.store(drawing(4, 4, 1)), ImageEdit{ExternalID: new("taken")})
			s.taken(err, "external_id")
			return err
		},
	}
	eachImageShop(t, func(s *imageShop) {
		kept, err := s.create(s.store(drawing(4, 4, 0)), ImageEdit{ExternalID: new("taken")})
		if err != nil {
			s.Fatal(err)
		}
		for name, upload := range cases {
			if upload(s) == nil {
				s.Fatalf("%s: nothing failed", name)
			}
			s.blobs.put = nil
			s.removeLeftovers(59 * time.Minute) // somebody may still be at it
			if n := s.count("image_leftovers"); n != 1 {
				s.Errorf("%s: there are %d notes", name, n)
			}
			s.removeLeftovers(2 * time.Minute)
			s.wantStored(kept)
			if notes, images := s.count("image_leftovers"), s.count("images"); notes != 0 || images != 1 {
				s.Errorf("%s: there are %d notes and %d images", name, notes, images)
			}
		}
	})
}

func TestImageFiles_keepWhatBecameAnImage(t *testing.T) {
	eachImageShop(t, func(s *imageShop) {
		content := drawing(40, 30, 1)
		u := s.store(content)
		if u.Digest != sha256.Sum256(content) || u.Size == 0 {
			s.Errorf("the upload is %+v", u)
		}
		im, err := s.create(u, ImageEdit{})
		if err != nil {
			s.Fatal(err)
		}
		if got := s.image(im.ID); got.Format != "png" || got.Width != 40 || got.Height != 30 || !got.Opaque || got.ProductID != nil || got.ExternalID != nil {
			s.Errorf("the image is %+v", got)
		}
		s.removeLeftovers(48 * time.Hour)
		s.wantStored(im)
	})
}

// The bytes are given up after an hour; an image must not come to be of them then.
func TestCreateImage_refusesAnUploadThatWasGivenUp(t *testing.T) {
	eachImageShop(t, func(s *imageShop) {
		u := s.store(drawing(4, 4, 1))
		s.removeLeftovers(2 * time.Hour)
		_, err := s.create(u, ImageEdit{})
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Unavailable || f.RetryAfter <= 0 || s.count("images") != 0 {
			s.Errorf("got %v", err)
		}
	})
}

func TestStore_tellsWhatIsWrongWithAnImage(t *testing.T) {
	eachImageShop(t, func(s *imageShop) {
		_, err := s.files.Store(s.Context(), s.storeID, bytes.NewReader([]byte("100% no image")))
		s.refused(err, "file unsupported_image")
		s.wantStored()
		if s.count("image_leftovers") != 0 {
			s.Error("there is a note for what was never stored")
		}
	})
}

func TestDeleteImage_removesItsBytesAtOnce(t *testing.T) {
	eachImageShop(t, func(s *imageShop) {
		gone, kept := s.upload(), s.upload()
		if _, _, err := s.files.Open(s.Context(), s.storeID, gone.ID, gone.File(Small)); err != nil { // makes its thumbnails
			s.Fatal(err)
		}
		if err := s.deleteImage(gone.ID); err != nil {
			s.Fatal(err)
		}
		if fault.KindOf(s.deleteImage(gone.ID)) != fault.NotFound {
			s.Error("it is still there")
		}
		s.removeLeftovers(0)
		s.wantStored(kept)
		_, _, err := s.files.Open(s.Context(), s.storeID, gone.ID, gone.File(Original))
		if fault.KindOf(err) != fault.NotFound {
			s.Errorf("its file is %v", err)
		}
	})
}

// leave notes so many images that have no bytes, two at a time.
func (s *imageShop) leave(n int64) {
	s.Helper()
	s.write(func(q database.Querier) error {
		batch := database.NewBatch(database.BigInt)
		for i := range n {
			batch.Add(i)
		}
		random := "randomblob(16)"
		if q.Dialect().Engine == database.Postgres {
			random = "gen_random_uuid()"
		}
		_, err := q.ExecRows(s.Context(), "WITH r(n) AS (ROWS) INSERT INTO image_leftovers (store_id, image_id, due_at) SELECT $1, "+random+", 1 + n / 2 FROM r", batch, s.storeID)
		return err
	})
}

// The notes stay until the bytes are gone, however often it takes, and one that fails keeps no other from being forgotten.
func TestRemoveLeftovers_triesAgain(t *testing.T) {
	eachImageShop(t, func(s *imageShop) {
		kept := s.upload()
		s.leave(2*removeAtOnce + 7)
		removed := 0
		s.blobs.remove = func(string) error {
			if removed++; removed > removeAtOnce+3 {
				return away("")
			}
			return nil
		}
		if err := s.files.RemoveLeftovers(s.Context()); fault.KindOf(err) != fault.Unavailable {
			s.Errorf("got %v", err)
		}
		if n := s.count("image_leftovers"); n != removeAtOnce+4 {
			s.Errorf("there are %d notes", n)
		}
		s.blobs.remove = nil
		s.removeLeftovers(0)
		if n := s.count("image_leftovers"); n != 0 {
			s.Errorf("there are %d notes", n)
		}
		s.wantStored(kept)
	})
}

// One folder that cannot be removed keeps none of the later ones, even where more are due than are looked at together.
func TestRemoveLeftovers_goesOnBehindWhatCannotBeRemoved(t *testing.T) {
	eachImageShop(t, func(s *imageShop) {
		kept, stuck := s.upload(), s.upload()
		gone := []Image{s.upload(), s.upload()}
		s.leave(removeAtOnce + 7) // older than those that follow
		for _, im := range append([]Image{stuck}, gone...) {
			if err := s.deleteImage(im.ID); err != nil {
				s.Fatal(err)
			}
			s.time = s.time.Add(time.Second)
		}
		broken, tried := errors.New("a disk is broken"), 0
		s.blobs.remove = func(folder string) error {
			if tried++; tried <= removeAtOnce || folder == (imageRef{s.storeID, stuck.ID}).folder() {
				return broken
			}
			return nil
		}
		if err := s.files.RemoveLeftovers(s.Context()); !errors.Is(err, broken) || !strings.Contains(err.Error(), stuck.ID.String()) {
			s.Errorf("got %v", err)
		}
		if n := s.count("image_leftovers"); n != removeAtOnce+1 {
			s.Errorf("there are %d notes", n)
		}
		s.wantStored(kept, stuck)
		s.blobs.remove = nil
		s.removeLeftovers(0)
		s.wantStored(kept)
	})
}

func TestRun_removesWhenItStartsAndWhenItIsWoken(t *testing.T) {
	eachImageShop(t, func(s *imageShop) {
		first, second := s.upload(), s.upload()
		if err := s.deleteImage(first.ID); err != nil {
			s.Fatal(err)
		}
		removed := make(chan string, 2)
		s.blobs.remove = func(folder string) error { removed <- folder; return nil }
		ctx, cancel := context.WithCancel(s.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.files.Run(ctx) }()
		want := func(im Image) {
			s.Helper()
			if got := <-removed; got != (imageRef{s.storeID, im.ID}).folder() {
				s.Errorf("%s is removed", got)
			}
		}
		want(first)
		if err := s.deleteImage(second.ID); err != nil {
			s.Fatal(err)
		}
		s.files.Wake()
		s.files.Wake() // nobody waits for anything
		want(second)
		cancel()
		if err := <-ended; err != nil {
			s.Error(err)
		}
	})
}

// What a deleted product showed is deleted with it.
func TestDeleteProduct_removesTheBytesOfItsImages(t *testing.T) {
	eachImageShop(t, func(s *imageShop) {
		images := []Image{s.upload(), s.upload(), s.upload()}
		p := s.make(shows(images[:2]...))
		s.write(func(q database.Querier) error { return s.DeleteProduct(s.Context(), q, s.storeID, p.ID, nil) })
		s.removeLeftovers(0)
		s.wantStored(images[2])
		if n := s.count("images"); n != 1 {
			s.Errorf("there are %d images", n)
		}
	})
}

func ExampleImage_File() {
	photo, drawing := Image{Format: "jpeg", Opaque: true}, Image{Format: "webp"}
	fmt.Println(photo.File(Original), photo.File(Small), drawing.File(Original), drawing.File(Medium))
	// Output: original.jpg small.jpg original.webp medium.png
}
