package catalog_test

import (
	"testing"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// Locked images stay: what is still to be downloaded is dropped with the lock, later pushes change nothing and say so,
// and the push after the lock is taken away applies.
func TestLock_ofImages(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		s.serveImage("a", 11)
		s.serveImage("b", 12)
		lock := func(id ProductID, locks productfield.Set) {
			s.Helper()
			s.Write(func(tx store.Tx) error {
				_, err := s.Products.Edit(s.Context(), tx, id, ProductEdit{Locks: &locks}, nil)
				return err
			})
		}
		p := s.pushOne("created", s.productPush("1", AddImages, s.imageAt("a")))
		s.runJobs()
		s.wantImages(p.ID, 11)
		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("b")))
		lock(p.ID, productfield.Images)
		s.runJobs()
		s.wantImages(p.ID, 11)
		s.pushOne("updated ~images:locked", s.productPush("1", ReplaceImages, s.imageAt("b")))
		s.pushOne("updated ~images:locked", s.productPush("1", AddImages, s.imageAt("b")))
		s.pushOne("updated ~images:locked", s.productPush("1", RemoveImages))
		s.runJobs()
		s.wantImages(p.ID, 11)

		same := s.pushOne("created", s.productPush("2", AddImages, s.imageAt("a")))
		s.runJobs()
		lock(same.ID, productfield.Images)
		s.pushOne("updated", s.productPush("2", AddImages, s.imageAt("a")))
		s.pushOne("updated", s.productPush("2", ReplaceImages, s.imageAt("a")))
		s.wantImages(same.ID, 11)

		lock(p.ID, 0)
		s.pushOne("updated", s.productPush("1", ReplaceImages, s.imageAt("b")))
		s.runJobs()
		s.wantImages(p.ID, 12)
	})
}
