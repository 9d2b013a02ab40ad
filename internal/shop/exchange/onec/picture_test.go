package onec

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// mapping returns an attempt to import a file of the session of a login.
func (s *fixture) mapping(name string) *fileMapping {
	s.Helper()
	p := s.sessionFiles()
	m := &fileMapping{s: s.Service, sizes: s.importSizes(), storeID: s.Store.ID, digests: map[fileID][]byte{},
		changed: map[string][]byte{}}
	s.Read(func(tx store.Tx) error {
		file, err := latestFile(s.Context(), tx, p.session, name)
		if err != nil {
			return err
		}
		m.t = &importTask{Payload: fileRef{s.Store.ID, file.key, exchange.Entities()}}
		return m.load(s.Context(), tx)
	})
	if err := m.begin(s.Context()); err != nil {
		s.Fatal(err)
	}

	s.Cleanup(m.release)
	return m
}

// A picture was unpacked, and remembered, once for each way to write its name.
func TestS_M8_aPictureIsUnpackedOnceHoweverItIsNamed(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const size = 1 << 20
		s.sendFile("v8.zip", zipOf(s.Fixture, "goods/pictures/photo.jpg", strings.Repeat("x", size), "goods/import.xml",
			"x"))
		s.sendFile("alone.jpg", "y")
		m := s.mapping("v8.zip")
		addresses := map[string]bool{}
		spellings := []string{"goods/pictures/photo.jpg", "pictures/photo.jpg", "photo.jpg"}

		for i := range 256 {
			name := []byte("photo.jpg")
			for bit := range 8 {
				if at := bit + bit/5; i>>bit&1 == 1 { // the dot has no case
					name[at] = byte(strings.ToUpper(string(name[at]))[0])
				}
			}
			spellings = append(spellings, string(name))
		}

		for _, name := range spellings {
			address, err := m.picture(s.Context(), name)
			if err != nil {
				s.Fatal(err)
			}
			addresses[address] = true
		}

		if len(addresses) != 1 || addresses[""] || m.unpacked != size+pictureCost {
			s.Errorf("%d spellings have %d addresses, %d bytes were unpacked", len(spellings), len(addresses),
				m.unpacked)
		}

		if _, err := m.picture(s.Context(), "alone.jpg"); err != nil {
			s.Fatal(err)
		}
		if err := m.savePictures(s.Context(), 1); err != nil {
			s.Fatal(err)
		}
		if n := s.Count("commerceml_pictures WHERE store_id = $1", s.Store.ID); n != 2 {
			s.Errorf("%d pictures are remembered, want 2", n)
		}
	})
}

func TestS_M8_thePicturesOfAFileHaveABudget(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		var files []string
		for i := range 10 {
			files = append(files, fmt.Sprintf("%d.jpg", i), "x")
		}

		s.sendFile("v8.zip", zipOf(s.Fixture, files...))
		m := s.mapping("v8.zip")
		m.unpacked = freePictureBytes + pictureRatio*m.session.Spooled - 5*pictureCost
		var err error

		n := 0
		for ; err == nil && n < 10; n++ {
			_, err = m.picture(s.Context(), fmt.Sprintf("%d.jpg", n))
		}

		if fault.KindOf(err) != fault.TooLarge || n != 5 {
			s.Errorf("after %d pictures: %v, want it refused at the fifth", n, err)
		}
	})
}

// What is remembered of pictures was never deleted.
func TestS_M8_picturesThatNoProductHasAreForgotten(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.sendFile("v8.zip", zipOf(s.Fixture, "used.jpg", "used", "unused.jpg", "unused"))
		m := s.mapping("v8.zip")
		var used string
		for _, name := range []string{"used.jpg", "unused.jpg"} {
			address, err := m.picture(s.Context(), name)
			if err != nil {
				s.Fatal(err)
			}
			if used == "" {
				used = address
			}
		}

		if err := m.savePictures(s.Context(), 1); err != nil {
			s.Fatal(err)
		}

		s.push(exchange.Products, payload(`{"id": "p", "name": "P"}`))
		s.Write(func(tx store.Tx) error {
			_, err := tx.Unscoped().Exec(s.Context(), `
INSERT INTO image_sources (store_id, product_key, url, position, state, owns, etag, modified, run_key, item, place)
SELECT store_id, key, $2, 0, 'done', TRUE, '', '', 0, 0, '' FROM products WHERE store_id = $1`, s.Store.ID, used)
			return err
		})

		prune := func(want int64) {
			s.Helper()
			if err := s.prunePictures(s.Context()); err != nil {
				s.Fatal(err)
			}
			if n := s.Count("commerceml_pictures WHERE store_id = $1", s.Store.ID); n != want {
				s.Errorf("%d pictures are remembered, want %d", n, want)
			}
		}

		prune(2) // the package is there
		s.Clock.Advance(sessionRetention + time.Hour)

		if err := s.deleteOldSessions(s.Context()); err != nil {
			s.Fatal(err)
		}

		prune(1)
		if address, err := m.picture(context.WithoutCancel(s.Context()), "used.jpg"); err != nil || address != used {
			s.Errorf("the address of a picture that came before is %q, %v", address, err)
		}
	})
}
