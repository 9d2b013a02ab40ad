package catalog_test

import (
	"testing"

	"vitrine/internal/shop/catalog"
)

// Marketplaces refuse codes that shops print themselves, such as those of scales.
func TestIsWorldwideGTIN_isFalseForCodesOfShops(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"4006381333931": true, "9780201379624": true, "036000291452": true, "96385074": true, "14006381333938": true,
		"2000000000015": false, "0212345678906": false, "212345678906": false, "412345678903": false,
		"512345678900": false, "9812345678907": false, "9912345678904": false, "20123451": false, "01234565": false,
		"12000000000012": false,
	} {
		if got := catalog.IsWorldwideGTIN(code); got != want {
			t.Errorf("%s: %v, want %v", code, got, want)
		}
	}
}
