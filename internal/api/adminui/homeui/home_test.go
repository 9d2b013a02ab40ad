package homeui

import (
	"testing"

	"vitrine/internal/shop/money"
)

func TestFigures_averageIsRounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		revenue money.Money
		orders  int64
		want    money.Money
	}{{0, 0, 0}, {200_000, 3, 66_700}, {100_000, 3, 33_300}, {10_050, 1, 10_100}, {49, 1, 0}} {
		if got := (figures{Revenue: c.revenue, InCurrency: c.orders}).Average(); got != c.want {
			t.Errorf("the average of %d over %d orders is %d, want %d", c.revenue, c.orders, got, c.want)
		}
	}
}

func TestCompared_roundsThePercentage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now, before int64
		want        string
	}{
		{0, 0, ""}, {5, 0, ""}, {5, 5, "±0 %"}, {1001, 1000, "±0 %"}, {3, 2, "+50 %"}, {1, 3, "−67 %"},
		{0, 3, "−100 %"},
	} {
		if got := compared(c.now, c.before); got != c.want {
			t.Errorf("%d after %d is %q, want %q", c.now, c.before, got, c.want)
		}
	}
}
