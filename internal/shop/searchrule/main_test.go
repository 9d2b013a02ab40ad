package searchrule

import (
	"os"
	"strconv"
	"testing"

	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

type fixture struct {
	*catalogtest.Catalog
}

func eachEngine(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) { fn(&fixture{catalogtest.New(f)}) })
}

// load returns what the index of the store loads, and the version of its search.
func (s *fixture) load() (rules Rules, version int64) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		rules, err = Load(s.Context(), tx)
		return err
	})

	for _, text := range s.Texts("SELECT CAST(search AS TEXT) FROM catalog_versions WHERE store_id = $1", s.Store.ID) {
		parsed, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			s.Fatal(err)
		}
		version = parsed
	}

	return rules, version
}
