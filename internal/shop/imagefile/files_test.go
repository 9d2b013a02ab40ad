package imagefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/blobtest"
)

// Whatever fails during an upload, its bytes are removed after an hour.
func TestStore_leavesNoBytesAfterAFailure(t *testing.T) {
	broken := errors.New("killed")

	cases := map[string]func(s *filesFixture) error{
		"the blob store is unavailable": func(s *filesFixture) error {
			s.blobs.BeforePut = blobtest.Unavailable
			_, err := s.files.Store(s.Context(), s.Store.ID, bytes.NewReader(blobtest.EncodePNG(4, 4, 1)))
			return err
		},
		"the blob store fails after storing the bytes": func(s *filesFixture) error {
			s.blobs.BeforePut = func(name string) error {
				return errors.Join(s.blobs.Store.Put(s.Context(), name, []byte("some")), blobtest.Unavailable(name))
			}
			_, err := s.files.Store(s.Context(), s.Store.ID, bytes.NewReader(blobtest.EncodePNG(4, 4, 1)))
			return err
		},
		"the process ends before the bytes are stored": func(s *filesFixture) error {
			ctx, cancel := context.WithCancel(s.Context())
			s.blobs.BeforePut = func(string) error { cancel(); return nil }
			_, err := s.files.Store(ctx, s.Store.ID, bytes.NewReader(blobtest.EncodePNG(4, 4, 1)))
			return err
		},
		"the process ends before the image is made": func(s *filesFixture) error {
			s.store(blobtest.EncodePNG(4, 4, 1))
			return broken
		},
		"the commit fails": func(s *filesFixture) error {
			u := s.store(blobtest.EncodePNG(4, 4, 1))
			return s.TryWrite(func(tx store.Tx) error {
				_, err := UnmarkOrphan(s.Context(), tx, u.ID)
				return errors.Join(err, broken)
			})
		},
	}

	eachFixture(t, func(s *filesFixture) {
		kept := s.upload()
		for name, upload := range cases {
			if upload(s) == nil {
				s.Fatalf("%s: the upload did not fail", name)
			}

			s.blobs.BeforePut = nil
			s.removeOrphans(59 * time.Minute) // nothing is removed before an hour has passed

			if n := s.Count("image_leftovers"); n != 1 {
				s.Errorf("%s: there are %d orphan rows", name, n)
			}

			s.removeOrphans(2 * time.Minute)
			s.wantFiles(kept)

			if n := s.Count("image_leftovers"); n != 0 {
				s.Errorf("%s: there are %d orphan rows", name, n)
			}
		}
	})
}

func TestStore_refusesWhatIsNoImage(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		_, err := s.files.Store(s.Context(), s.Store.ID, bytes.NewReader([]byte("100% no image")))
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Invalid || len(f.Fields) != 1 || f.Fields[0].Field != "file" ||
			f.Fields[0].Code != "unsupported_image" {
			s.Errorf("got %v", err)
		}
		s.wantFiles()
		if s.Count("image_leftovers") != 0 {
			s.Error("there is an orphan row for an image that was not stored")
		}
	})
}

// markOrphans inserts n rows into image_leftovers for images without bytes. There are two rows for each due time.
func (s *filesFixture) markOrphans(n int64) {
	s.Helper()
	s.WriteUnscoped(func(q database.Querier) error {
		batch := database.NewBatch(database.BigInt)
		for i := range n {
			batch.Add(i)
		}
		random := "randomblob(16)"
		if q.Dialect().Engine == database.Postgres {
			random = "gen_random_uuid()"
		}
		_, err := q.ExecRows(s.Context(),
			"WITH r(n) AS (ROWS) INSERT INTO image_leftovers (store_id, image_id, due_at) SELECT $1, "+random+
				", 1 + n / 2 FROM r", batch, s.Store.ID)
		return err
	})
}

// A row in image_leftovers stays if the removal of the bytes fails. The next call removes them.
func TestRemoveOrphans_retriesAfterAFailure(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		kept := s.upload()
		s.markOrphans(2*removeBatch + 7)
		removed := 0
		s.blobs.BeforeRemove = func(string) error {
			if removed++; removed > removeBatch+3 {
				return blobtest.Unavailable("")
			}
			return nil
		}

		if err := s.files.RemoveOrphans(s.Context()); fault.KindOf(err) != fault.Unavailable {
			s.Errorf("got %v", err)
		}
		if n := s.Count("image_leftovers"); n != removeBatch+4 {
			s.Errorf("there are %d orphan rows", n)
		}

		s.blobs.BeforeRemove = nil
		s.removeOrphans(0)

		if n := s.Count("image_leftovers"); n != 0 {
			s.Errorf("there are %d orphan rows", n)
		}

		s.wantFiles(kept)
	})
}

// Folders that cannot be removed do not stop the removal of the others, even if they fill the first batch.
func TestRemoveOrphans_continuesAfterAFailure(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		kept, stuck := s.upload(), s.upload()
		gone := []Upload{s.upload(), s.upload()}
		s.markOrphans(removeBatch + 7) // all of them are due before the images that are deleted below
		for _, im := range append([]Upload{stuck}, gone...) {
			if err := s.deleteImage(im.ID); err != nil {
				s.Fatal(err)
			}
			s.Clock.Advance(time.Second)
		}

		broken := errors.New("a disk is broken")
		tried := 0
		s.blobs.BeforeRemove = func(folder string) error {
			if tried++; tried <= removeBatch || folder == (imageRef{s.Store.ID, stuck.ID}).folder() {
				return broken
			}
			return nil
		}
		if err := s.files.RemoveOrphans(s.Context()); !errors.Is(err, broken) ||
			!strings.Contains(err.Error(), stuck.ID.String()) {
			s.Errorf("got %v", err)
		}

		if n := s.Count("image_leftovers"); n != removeBatch+1 {
			s.Errorf("there are %d orphan rows", n)
		}

		s.wantFiles(kept, stuck)
		s.blobs.BeforeRemove = nil
		s.removeOrphans(0)
		s.wantFiles(kept)
	})
}

func TestRun_removesWhenItStartsAndWhenItIsWoken(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		first, second := s.upload(), s.upload()
		if err := s.deleteImage(first.ID); err != nil {
			s.Fatal(err)
		}

		removed := make(chan string, 2)
		s.blobs.BeforeRemove = func(folder string) error { removed <- folder; return nil }
		ctx, cancel := context.WithCancel(s.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.files.Run(ctx) }()
		want := func(im Upload) {
			s.Helper()
			if got := <-removed; got != (imageRef{s.Store.ID, im.ID}).folder() {
				s.Errorf("the folder %s was removed", got)
			}
		}
		want(first)

		if err := s.deleteImage(second.ID); err != nil {
			s.Fatal(err)
		}

		s.files.Wake()
		s.files.Wake() // does not block, even if Run has not yet handled the first call
		want(second)
		cancel()

		if err := <-ended; err != nil {
			s.Error(err)
		}
	})
}

func ExampleImage_File() {
	photo := Image{Format: "jpeg", Opaque: true}
	drawing := Image{Format: "webp"}
	fmt.Println(photo.File(Original), photo.File(Small), drawing.File(Original), drawing.File(Medium))
	// Output: original.jpg small.jpg original.webp medium.png
}
