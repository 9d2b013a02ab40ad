package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// State is the catalogue of a store as the API shows it, by accounting's ids: a line of JSON a thing, sorted. It is the same for two stores
// that have the same, whenever and by however many writes they came to have it: ids of ours and dates are not in it, and lists stand
// in an order of their own. Archived products and variants are among the others.
func (s *Shop) State() []string {
	s.tb.Helper()
	return s.state("/v2/products?archived=any&with=")
}

// Live is State without archived products and variants.
func (s *Shop) Live() []string {
	s.tb.Helper()
	return s.state("/v2/products?with=")
}

func (s *Shop) state(products string) []string {
	s.tb.Helper()
	lists := map[string]string{
		"option": "/v2/variant-options?with=values", "feature": "/v2/features?with=values", "category": "/v2/categories?", "stock": "/v2/stocks?",
		"product": products + "categories,features,images,modifiers,variants",
	}
	things, names := map[string][]map[string]any{}, map[string]string{}
	for kind, path := range lists {
		things[kind] = s.pages(path)
		for _, thing := range things[kind] {
			if external, known := thing["external_id"].(string); known {
				names[thing["id"].(string)] = external
			}
		}
	}
	lines := []string{}
	for kind, list := range things {
		for _, thing := range list {
			text, err := json.Marshal(anonymous(thing, names))
			if err != nil {
				s.tb.Fatal(err)
			}
			lines = append(lines, kind+" "+string(text))
		}
	}
	slices.Sort(lines)
	return lines
}

// pages reads a list to its end.
func (s *Shop) pages(path string) (list []map[string]any) {
	s.tb.Helper()
	for page := 1; ; page++ {
		data, _ := s.Get(fmt.Sprintf("%s&per_page=250&page=%d", path, page)).At("data")
		part := data.([]any)
		for _, thing := range part {
			list = append(list, thing.(map[string]any))
		}
		if len(part) < 250 {
			return list
		}
	}
}

// anonymous returns a value without what tells two stores apart: ids of ours become accounting's or nothing, dates become a word, and
// lists are sorted.
func anonymous(v any, names map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		if _, date := v["iso_utc"]; date {
			return "date"
		}
		known := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			text, _ := v[name].(string)
			if external, ours := names[text]; ours && (name == "id" || strings.HasSuffix(name, "_id")) {
				known[name] = external
			} else if name != "id" && name != "store_id" {
				known[name] = anonymous(v[name], names)
			}
		}
		return known
	case []any:
		texts := make([]string, len(v))
		for i := range v {
			text, err := json.Marshal(anonymous(v[i], names))
			if err != nil {
				panic(err) // it came out of JSON
			}
			texts[i] = string(text)
		}
		slices.Sort(texts)
		return texts
	}
	return v
}
