package productui

import (
	"testing"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/money"
)

// A raised price is a multiple of the unit, exact for the largest amounts, and never becomes free.
func TestRaise_roundsToTheUnit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		percent, unit, old, want string
	}{
		{"10", "0.01", "19.99", "21.99"}, {"10", "1", "19.99", "22"}, {"-50", "0.01", "0.01", "0.01"},
		{"50", "0.01", "0.01", "0.02"}, {"+5", "10", "1990", "2090"}, {"-99.99", "1", "5", "1"}, {"5", "100", "0", "0"},
		{"0,01", "0.01", "99999999999", "100009999999"}, {"7", "x", "100", "107"},
	} {
		form := percentForm{Percent: test.percent, Unit: test.unit}
		r, err := form.raise(&frame.Language{})
		if err != nil {
			t.Fatal(test, err)
		}

		old, _ := money.ParsePrice(test.old)
		amount, _ := old.Amount()
		if got := money.NewPrice(r.of(amount)).Text(); got != test.want {
			t.Errorf("%s by %s %% to %s: %s, want %s", test.old, test.percent, test.unit, got, test.want)
		}
	}
}
