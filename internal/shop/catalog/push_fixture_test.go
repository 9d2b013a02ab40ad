package catalog_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/store"
)

// digestOf returns the digest of an item with this content.
func digestOf(texts ...string) Digest {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return Digest(sum[:16])
}

// tryPush pushes items as the gate does: it repeats a push that ended with ErrOvertaken.
func tryPush[T any](
	s *catalogFixture, apply func(context.Context, store.Tx, []T) ([]push.Pushed, error), items ...T,
) (list []push.Pushed, err error) {
	for err = push.ErrOvertaken; errors.Is(err, push.ErrOvertaken); {
		err = s.TryWrite(func(tx store.Tx) (err error) {
			if list, err = apply(s.Context(), tx, items); err != nil {
				return err
			}
			return s.endPush(tx, list)
		})
	}
	return list, err
}

// expectPush pushes items and checks their outcomes, in the format of the function outcomes.
func expectPush[T any](
	s *catalogFixture, apply func(context.Context, store.Tx, []T) ([]push.Pushed, error), items []T, want ...string,
) []push.Pushed {
	s.Helper()
	list, err := tryPush(s, apply, items...)
	if err != nil {
		s.Fatal(err)
	}
	got := outcomes(list)
	for i, p := range list {
		if p.Outcome != push.Failed && p.Key == 0 {
			s.Errorf("item %d (%s) has no key", i, got[i])
		}
	}
	if !slices.Equal(got, want) {
		s.Errorf("outcomes:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return list
}

// statementsOf returns the statements that a push of items executes.
func statementsOf[T any](
	s *catalogFixture, apply func(context.Context, store.Tx, []T) ([]push.Pushed, error), items []T,
) []string {
	s.Helper()
	run := &statementRecorder{}
	s.Write(func(tx store.Tx) error {
		run.Querier = tx.Unscoped()
		run.statements = nil
		list, err := apply(s.Context(), store.In(run, s.Store.ID), items)
		if err != nil {
			return err
		}
		return s.endPush(store.In(run, s.Store.ID), list)
	})
	return run.statements
}
