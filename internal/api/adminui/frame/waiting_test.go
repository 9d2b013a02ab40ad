package frame

import (
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// The numbers of the navigation are read only for those who may see what they count: without scopes no statement runs.
func TestReadWaiting_readsNothingWithoutScopes(t *testing.T) {
	t.Parallel()
	counts, err := readWaiting(t.Context(), store.Tx{}, func(access.Scope) bool { return false })
	if err != nil || len(counts) != 0 {
		t.Errorf("the counts are %v, %v", counts, err)
	}
}
