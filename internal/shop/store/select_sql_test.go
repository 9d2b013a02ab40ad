package store_test

import (
	"slices"
	"testing"
	"time"

	"vitrine/internal/shop/store"
)

func TestConditions_numberTheirArgumentsAfterTheStore(t *testing.T) {
	c := store.NewConditions("option")
	c.And("parent_key IS NULL")
	c.AndPeriod("created_at", time.UnixMicro(10), time.Time{})
	c.And("key = (SELECT r.key FROM r WHERE r.store_id = $1 AND r.id = $n)", 7)
	where := c.String()
	page := c.LimitOffset(20, 40)
	want := "\n  AND parent_key IS NULL" +
		"\n  AND created_at >= $3" +
		"\n  AND key = (SELECT r.key FROM r WHERE r.store_id = $1 AND r.id = $4)"
	if where != want || page != "\nLIMIT $5 OFFSET $6" {
		t.Errorf("the clauses are %q and %q, want %q", where, page, want)
	}
	if args := []any{"option", int64(10), 7, int64(20), int64(40)}; !slices.Equal(c.Args(), args) {
		t.Errorf("the arguments are %v, want %v", c.Args(), args)
	}
}
