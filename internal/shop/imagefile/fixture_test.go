package imagefile

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
	"time"

	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/blobtest"
	"vitrine/internal/testkit/storetest"
)

// filesFixture is a store with image files on a disk that can fail.
type filesFixture struct {
	*storetest.Fixture
	files *Files
	blobs *blobtest.Disk
}

// eachFixture runs fn with a new fixture on each database engine.
func eachFixture(t *testing.T, fn func(s *filesFixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		s := &filesFixture{Fixture: f, blobs: blobtest.NewDisk(f)}
		s.files = New(Deps{DB: f.DB, Blobs: s.blobs, Now: f.Clock.Now, Log: slog.New(slog.DiscardHandler)})
		fn(s)
	})
}

func (s *filesFixture) store(content []byte) Upload {
	s.Helper()
	u, err := s.files.Store(s.Context(), s.Store.ID, bytes.NewReader(content))
	if err != nil {
		s.Fatal(err)
	}
	return u
}

// unmarkOrphan deletes the orphan row of an upload, as the transaction that creates the image does.
func (s *filesFixture) unmarkOrphan(u Upload) Upload {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		kept, err := UnmarkOrphan(s.Context(), tx, u.ID)
		if err == nil && !kept {
			err = errors.New("the upload has expired")
		}
		return err
	})
	return u
}

// upload stores the bytes of an image and deletes their orphan row, so that they are kept.
func (s *filesFixture) upload() Upload {
	s.Helper()
	return s.unmarkOrphan(s.store(blobtest.EncodePNG(4, 4, byte(s.blobs.Puts.Load()))))
}

// deleteImage inserts the orphan row of an image, as the transaction that deletes the image does.
func (s *filesFixture) deleteImage(imageID ID) error {
	return s.TryWrite(func(tx store.Tx) error {
		return MarkOrphan(s.Context(), tx, imageID, s.Clock.Now())
	})
}

// removeOrphans advances the clock and removes the orphans that are then due.
func (s *filesFixture) removeOrphans(later time.Duration) {
	s.Helper()
	s.Clock.Advance(later)
	if err := s.files.RemoveOrphans(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// wantFiles checks that the stored files are exactly the originals of these uploads.
func (s *filesFixture) wantFiles(uploads ...Upload) {
	s.Helper()
	want := make([]string, len(uploads))
	for i, u := range uploads {
		want[i] = u.ID.String() + "/original.png"
	}
	s.blobs.WantFiles(want...)
}
