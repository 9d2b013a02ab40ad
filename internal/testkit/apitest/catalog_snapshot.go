package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// CatalogSnapshot returns the catalogue of the store as the API shows it: one line of JSON per entity, sorted. Two
// stores with equal content have equal snapshots, no matter how and when the content was written: entities are
// identified by their external ids, other ids and dates are left out, and lists are sorted. Archived products and
// variants are included.
func (s *Server) CatalogSnapshot() []string {
	s.tb.Helper()
	return s.catalogSnapshot("/v2/products?archived=any&with=")
}

// LiveCatalogSnapshot is like CatalogSnapshot but leaves out archived products and variants.
func (s *Server) LiveCatalogSnapshot() []string {
	s.tb.Helper()
	return s.catalogSnapshot("/v2/products?with=")
}

func (s *Server) catalogSnapshot(products string) []string {
	s.tb.Helper()
	lists := map[string]string{
		"option": "/v2/variant-options?with=values", "feature": "/v2/features?with=values",
		"category": "/v2/categories?", "stock": "/v2/stocks?",
		"product": products + "categories,features,images,modifiers,variants",
	}
	entities := map[string][]map[string]any{}
	externalIDs := map[string]string{}
	for kind, path := range lists {
		entities[kind] = s.readAllPages(path)
		for _, entity := range entities[kind] {
			if external, known := entity["external_id"].(string); known {
				externalIDs[entity["id"].(string)] = external
			}
		}
	}

	lines := []string{}
	for kind, list := range entities {
		for _, entity := range list {
			text, err := json.Marshal(normalizeSnapshot(entity, externalIDs))
			if err != nil {
				s.tb.Fatal(err)
			}
			lines = append(lines, kind+" "+string(text))
		}
	}

	slices.Sort(lines)
	return lines
}

// readAllPages reads all pages of a list.
func (s *Server) readAllPages(path string) (list []map[string]any) {
	s.tb.Helper()
	for page := 1; ; page++ {
		data, _ := s.Get(fmt.Sprintf("%s&per_page=250&page=%d", path, page)).At("data")
		part := data.([]any)
		for _, element := range part {
			list = append(list, element.(map[string]any))
		}
		if len(part) < 250 {
			return list
		}
	}
}

// normalizeSnapshot removes what differs between stores with equal content: it replaces ids by external ids or drops
// them, replaces dates by a constant, and sorts lists. It drops slugs, which keep what a thing was called first.
func normalizeSnapshot(v any, externalIDs map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		if _, date := v["iso_utc"]; date {
			return "date"
		}

		kept := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			text, _ := v[name].(string)
			if external, ours := externalIDs[text]; ours && (name == "id" || strings.HasSuffix(name, "_id")) {
				kept[name] = external
			} else if name != "id" && name != "store_id" && name != "slug" {
				kept[name] = normalizeSnapshot(v[name], externalIDs)
			}
		}

		return kept

	case []any:
		texts := make([]string, len(v))
		for i := range v {
			text, err := json.Marshal(normalizeSnapshot(v[i], externalIDs))
			if err != nil {
				panic(err) // the value was decoded from JSON
			}
			texts[i] = string(text)
		}

		slices.Sort(texts)
		return texts
	}

	return v
}
