package httpapi

import "testing"

func TestFirstHour5_misspeltParameterNamesTheClosestKnownOne(t *testing.T) {
	known := []string{"with", "q", "category", "price[from]", "price[to]", "in_stock", "features[{feature_id}][]",
		"features[{feature_id}][from]", "options[{option_id}][]", "sort", "page", "per_page", "dates"}

	for name, want := range map[string]string{
		"feature[01a1e28c-e7f4-7ec5-aa77-7a62df4c5f5c][]": "features[{feature_id}][]",
		"feature":    "features[{feature_id}][]",
		"option[x]":  "options[{option_id}][]",
		"price_from": "price[from]",
		"price_to":   "price[to]",
		"pric[to]":   "price[to]",
		"pric[from]": "price[from]",
		"instock":    "in_stock",
		"IN_STOCK":   "in_stock",
		"perPage":    "per_page",
		"cat":        "",
		"categories": "category",
		"x":          "",
		"unheard_of": "",
	} {
		if got := closestParam(name, known); got != want {
			t.Errorf("the closest of %q is %q, want %q", name, got, want)
		}
	}
}
