package order

import (
	"testing"

	"vitrine/internal/catalog"
)

func TestItemTotal_isExactAndRoundsToTheNearestUnit(t *testing.T) {
	for _, c := range []struct {
		price    catalog.Money
		quantity catalog.Quantity
		want     catalog.Money
	}{
		{19905000, 2000, 39810000},
		{19900, 333, 6627}, // 1.99 × 0.333 = 0.66267
		{1, 499, 0},
		{1, 500, 1},
		{0, maxQuantity, 0},
		{MaxTotal, 1000, MaxTotal},
		{MaxTotal, maxQuantity, MaxTotal},
		{9_000_000_000_000_000, 1_000_000, MaxTotal}, // its product has more than 64 bits before it is divided
	} {
		if got := (&Item{Price: c.price, Quantity: c.quantity}).Total(); got != c.want {
			t.Errorf("%d times %d is %d, want %d", c.price, c.quantity, got, c.want)
		}
	}
}

func TestSum_staysBelowTheLargestAmount(t *testing.T) {
	items := make([]Item, MaxItems)
	for i := range items {
		items[i] = Item{Price: MaxTotal, Quantity: maxQuantity}
	}
	if total, fits := sum(items); total != MaxTotal || fits {
		t.Errorf("a thousand of the most: %d, %t", total, fits)
	}
	if total, fits := sum([]Item{{Price: MaxTotal - 1, Quantity: 1000}}); total != MaxTotal-1 || !fits {
		t.Errorf("just below: %d, %t", total, fits)
	}
}
