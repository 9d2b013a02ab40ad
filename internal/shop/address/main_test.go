package address

import (
	"errors"
	"os"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

type fixture struct {
	*catalogtest.Catalog
	service *Service
}

func eachEngine(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		c := catalogtest.New(f)
		fn(&fixture{c, New(c.Clock.Now)})
	})
}

// brokenRules returns the broken rules of an error as "field code", or its code.
func brokenRules(err error) (rules []string) {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil
	}
	for _, field := range f.Fields {
		rules = append(rules, field.Field+" "+field.Code)
	}
	if rules == nil {
		rules = []string{f.Code}
	}
	return rules
}

func (s *fixture) create(from, to string) (r Redirect, err error) {
	s.Helper()
	err = s.TryWrite(func(tx store.Tx) (err error) {
		r, err = s.service.CreateRedirect(s.Context(), tx, s.Store, RedirectEdit{from, to})
		return err
	})
	return r, err
}

func (s *fixture) delete(redirectID RedirectID) error {
	s.Helper()
	return s.TryWrite(func(tx store.Tx) error { return s.service.DeleteRedirect(s.Context(), tx, redirectID) })
}

// list returns all redirects as "from → to", and their number as the list tells it.
func (s *fixture) list() (lines []string, total int64) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		list, n, err := s.service.ListRedirects(s.Context(), tx, 1000, 0)
		for _, r := range list {
			lines = append(lines, r.From+" → "+r.To)
		}
		total = n
		return err
	})
	return lines, total
}

// target returns the end of the chain of redirects that begins at a path, or "".
func (s *fixture) target(path string) string {
	s.Helper()
	sql := "SELECT target FROM redirects WHERE store_id = $1 AND from_path = $2"
	for _, text := range s.Texts(sql, s.Store.ID, path) {
		return text
	}
	return ""
}
