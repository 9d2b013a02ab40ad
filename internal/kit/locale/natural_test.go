package locale_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/locale"
)

func TestCompareNatural_sortsAsPeopleDo(t *testing.T) {
	want := []string{"", "09", "9", "10", "10.5", "100", "blue", "Red", "red", "red 2", "Red 10", "Абрикос", "яблоко"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, locale.CompareNatural)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sorted (-want +got):\n%s", diff)
	}
}
