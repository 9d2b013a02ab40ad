package change

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// followed is a copy of the names of products, as a client keeps it.
type followed map[catalog.ProductID]string

// follow brings a copy up to date, as clients do: it reads again what changed since a version.
func (s *fixture) follow(copied followed, version int64) (next int64, err error) {
	if err := s.node.Refresh(s.Context(), s.Store.ID); err != nil {
		return 0, err
	}

	var cursor *Cursor
	for first := true; first || cursor != nil; first = false {
		var page []catalog.ProductID
		err := s.DB.Snapshot(s.Context(), func(q database.Querier) error {
			tx := store.In(q, s.Store.ID)
			changes, following, err := Since(s.Context(), tx, version)
			if cursor != nil {
				changes, following, err = Next(s.Context(), tx, *cursor)
			}
			if err != nil {
				return err
			}

			cursor, next, page = following, changes.Version, nil
			for _, one := range changes.Products.IDs {
				page = append(page, catalog.ProductID(one))
			}
			return nil
		})
		if err != nil {
			return 0, err
		}

		for _, productID := range page {
			err := s.TryRead(func(tx store.Tx) error {
				p, err := s.Products.Find(s.Context(), tx, productID, catalog.AnyArchived)
				copied[productID] = p.Name
				return err
			})
			if err != nil {
				return 0, err
			}
		}
	}
	return next, nil
}

// A client that follows the changes has the same copy as one that reads everything, whatever is written meanwhile and
// whichever node collects.
func TestSince_missesNothingOfConcurrentWrites(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const writers, edits, products = 4, 25, 10
		var list []catalog.Product
		for i := range products {
			list = append(list, s.CreateProduct(fmt.Sprint("Product ", i), 1, catalog.ProductEdit{}))
		}

		written := make(chan struct{})
		failed := make(chan error, writers+1)
		var working sync.WaitGroup
		for w := range writers {
			working.Go(func() {
				for i := range edits {
					p := list[(w*7+i*3)%products]
					failed <- s.TryWrite(func(tx store.Tx) error {
						_, err := s.Products.Edit(s.Context(), tx, p.ID,
							catalog.ProductEdit{Name: new(fmt.Sprintf("Product of %d, %d", w, i))}, nil)
						return err
					})
				}
			})
		}
		working.Go(func() { // another node
			node := s.newNode()
			for range edits {
				failed <- node.Refresh(s.Context(), s.Store.ID)
			}
		})
		go func() {
			working.Wait()
			close(written)
		}()

		var wrong error
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			for range (writers + 1) * edits {
				wrong = errors.Join(wrong, <-failed)
			}
		}()

		copied := followed{}
		version := int64(0)
		for last := false; !last; {
			select {
			case <-written:
				last = true
			default:
			}
			var err error
			if version, err = s.follow(copied, version); err != nil {
				s.Fatal(err)
			}
		}

		<-drained
		if wrong != nil {
			s.Fatal(wrong)
		}
		s.Read(func(tx store.Tx) error {
			for _, p := range list {
				found, err := s.Products.Find(s.Context(), tx, p.ID, catalog.Live)
				if err != nil {
					return err
				}
				if copied[p.ID] != found.Name {
					s.Errorf("the copy has %q, and the product is %q", copied[p.ID], found.Name)
				}
			}
			return nil
		})
	})
}
