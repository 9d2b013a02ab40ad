package catalog

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// digestOf returns the digest of an item with this content.
func digestOf(texts ...string) Digest {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return Digest(sum[:16])
}

// tryPush pushes items as the gate does: it repeats a push that ended with ErrOvertaken.
func tryPush[T any](
	s *fixture, push func(context.Context, store.Tx, []T) ([]Pushed, error), items ...T,
) (list []Pushed, err error) {
	for err = ErrOvertaken; errors.Is(err, ErrOvertaken); {
		err = s.db.Write(s.Context(), func(q database.Querier) (err error) {
			if list, err = push(s.Context(), store.In(q, s.storeID), items); err != nil {
				return err
			}
			return s.endPush(q, list)
		})
	}
	return list, err
}

// expectPush pushes items and checks their outcomes, written as by outcomes.
func expectPush[T any](
	s *fixture, push func(context.Context, store.Tx, []T) ([]Pushed, error), items []T, want ...string,
) []Pushed {
	s.Helper()
	list, err := tryPush(s, push, items...)
	if err != nil {
		s.Fatal(err)
	}
	got := outcomes(list)
	for i, p := range list {
		if p.Outcome != Failed && p.Key == 0 {
			s.Errorf("item %d (%s) has no key", i, got[i])
		}
	}
	if !slices.Equal(got, want) {
		s.Errorf("outcomes:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return list
}

// texts reads the first column of a query.
func (s *fixture) texts(sql string, args ...any) (list []string) {
	s.Helper()
	s.readOnly(func(q database.Querier) error {
		list = nil
		return database.QueryEach(s.Context(), q, sql, args, func(rows database.Rows) error {
			var text string
			err := rows.Scan(&text)
			list = append(list, text)
			return err
		})
	})
	return list
}

// statementsOf returns the statements that a push of items executes.
func statementsOf[T any](
	s *fixture, push func(context.Context, store.Tx, []T) ([]Pushed, error), items []T,
) []string {
	s.Helper()
	run := &statementRecorder{}
	s.write(func(q database.Querier) error {
		run.Querier, run.statements = q, nil
		list, err := push(s.Context(), store.In(run, s.storeID), items)
		if err != nil {
			return err
		}
		return s.endPush(run, list)
	})
	return run.statements
}
