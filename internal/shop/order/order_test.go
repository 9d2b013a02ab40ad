package order

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop/money"
)

func TestItemTotal_isExactAndRoundsToTheNearestUnit(t *testing.T) {
	for _, c := range []struct {
		price    money.Money
		quantity money.Quantity
		want     money.Money
	}{
		{19905000, 2000, 39810000},
		{19900, 333, 6627}, // 1.99 × 0.333 = 0.66267, rounded to 0.6627
		{1, 499, 0},
		{1, 500, 1},
		{0, maxQuantity, 0},
		{MaxTotal, 1000, MaxTotal},
		{MaxTotal, maxQuantity, MaxTotal},
		{9_000_000_000_000_000, 1_000_000, MaxTotal}, // price times quantity exceeds 64 bits
	} {
		if got := (&Item{Price: money.NewPrice(c.price), Quantity: c.quantity}).Total(); got != money.NewPrice(c.want) {
			t.Errorf("total of price %d and quantity %d is %v, want %d", c.price, c.quantity, got, c.want)
		}
	}
}

// For random prices and quantities, the totals of items and their sum equal the results of rational arithmetic, or
// saturate at MaxTotal.
func TestTotals_matchRationalArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := make([]Item, rapid.IntRange(1, 5).Draw(t, "items"))
		want := new(big.Rat)
		for i := range items {
			price := money.Money(
				rapid.Int64Range(0, int64(MaxTotal)>>rapid.IntRange(0, 50).Draw(t, "price shift")).Draw(t, "price"))
			items[i].Quantity = money.Quantity(
				rapid.Int64Range(1, int64(maxQuantity)>>rapid.IntRange(0, 39).Draw(t, "quantity shift")).
					Draw(t, "quantity"))

			if rapid.IntRange(0, 9).Draw(t, "for sale") == 0 {
				if items[i].Total().IsSet() {
					t.Errorf("an item without a price has the total %v", items[i].Total())
				}
				continue
			}

			items[i].Price = money.NewPrice(price)
			total, _ := items[i].Total().Amount()
			exact := new(big.Rat).Mul(big.NewRat(int64(price), 1), big.NewRat(int64(items[i].Quantity), 1000))
			rounded, _ := new(big.Rat).SetString(exact.FloatString(0)) // FloatString rounds halves away from zero
			want.Add(want, rounded)
			if got := big.NewRat(int64(total), 1); got.Cmp(rounded) != 0 &&
				(total != MaxTotal || got.Cmp(rounded) > 0) {
				t.Errorf("total of price %d and quantity %d is %s, want %s",
					price, items[i].Quantity, got.FloatString(0), rounded.FloatString(0))
			}
		}

		got, fits := sumItems(items)
		if limit := big.NewRat(int64(MaxTotal), 1); fits != (want.Cmp(limit) < 0) ||
			fits && want.Cmp(big.NewRat(int64(got), 1)) != 0 {
			t.Errorf("the sum is %d and fits: %t, want %s", got, fits, want.FloatString(0))
		}
	})
}

func TestSumItems_saturatesAtMaxTotal(t *testing.T) {
	items := make([]Item, MaxItems)
	for i := range items {
		items[i] = Item{Price: money.NewPrice(MaxTotal), Quantity: maxQuantity}
	}
	if total, fits := sumItems(items); total != MaxTotal || fits {
		t.Errorf("sum of %d largest items: %d, %t", MaxItems, total, fits)
	}
	if total, fits := sumItems([]Item{{Price: money.NewPrice(MaxTotal - 1), Quantity: 1000}}); total != MaxTotal-1 ||
		!fits {
		t.Errorf("sum just below the limit: %d, %t", total, fits)
	}
}
