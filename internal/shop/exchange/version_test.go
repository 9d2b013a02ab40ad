package exchange

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
)

// versionedEntities are the entities whose items may have a version, with the table of their rows.
var versionedEntities = map[string]string{
	Products: "products", VariantOptions: "attributes", Features: "attributes", Categories: "categories",
	Stocks: "stocks",
}

// versioned returns an item with the id 1. An empty version leaves the member out.
func versioned(version, name string) string {
	if version != "" {
		version = `, "version": ` + version
	}
	return fmt.Sprintf(`{"id": 1, "name": %q%s}`, name, version)
}

func TestVersion_olderItemIsLeftAloneAndStale(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		for entity, table := range versionedEntities {
			s.createStore()

			s.wantCounts("1: +1 ~0 =0 !0 ?0", entity, payload(versioned("5", "five")))
			stale := s.wantCounts("1: +0 ~0 =1 !0 ?1", entity, payload(versioned("4", "four")))
			s.wantNotes(stale, "0 1 version:stale")
			s.wantNames(table, "five")
			s.wantCounts("1: +0 ~1 =0 !0 ?0", entity, payload(versioned("5", "equal")))
			s.wantNames(table, "equal")
			s.wantCounts("1: +0 ~1 =0 !0 ?0", entity, payload(versioned("6", "six")))
			s.wantCounts("1: +0 ~1 =0 !0 ?0", entity, payload(versioned("", "without")))
			s.wantNames(table, "without")
			s.wantCounts("1: +0 ~0 =1 !0 ?1", entity, payload(versioned("5", "five")))
			s.wantNames(table, "without")
			stale = s.wantCounts("1: +0 ~0 =1 !0 ?1", entity, payload(`{"id": 1, "deleted": true, "version": 5}`))
			s.wantNotes(stale, "0 1 version:stale")
			s.wantNames(table, "without")
			s.wantCounts("1: +0 ~1 =0 !0 ?0", entity, payload(`{"id": 1, "deleted": true, "version": 6}`))
			stale = s.wantCounts("1: +0 ~0 =1 !0 ?1", entity, payload(versioned("5", "back")))
			s.wantNotes(stale, "0 1 version:stale")
			s.wantCounts("1: +1 ~0 =0 !0 ?0", entity, payload(versioned("7", "new")))
			s.wantNames(table, "new")
			s.wantCounts("1: +0 ~1 =0 !0 ?0", entity, payload(`{"id": 1, "deleted": true}`))
			s.wantCounts("1: +1 ~0 =0 !0 ?0", entity, payload(versioned("1", "one")))
		}
	})
}

// wantNames checks that one row of the store has this name.
func (s *fixture) wantNames(table, want string) {
	s.Helper()
	if s.Count(table+" WHERE store_id = $1 AND name = $2", s.Store.ID, want) != 1 {
		s.Errorf("%s has no row named %q", table, want)
	}
}

// A newer version of an item whose content stays is remembered, although the row is unchanged for everybody else.
func TestVersion_newerItemWithTheSameContentIsRemembered(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		for entity, table := range versionedEntities {
			s.createStore()
			s.push(entity, payload(versioned("5", "same")))
			before := s.rowVersion(table)
			s.wantCounts("1: +0 ~0 =1 !0 ?0", entity, payload(versioned("9", "same")))
			if after := s.rowVersion(table); after != before {
				s.Errorf("%s: the version of the row is %d after an unchanged push, was %d", entity, after, before)
			}
			s.wantCounts("1: +0 ~0 =1 !0 ?1", entity, payload(versioned("8", "old")))
			s.wantNames(table, "same")
		}
	})
}

func (s *fixture) rowVersion(table string) int64 {
	s.Helper()
	for v := int64(0); v < 100; v++ {
		if s.Count(table+" WHERE store_id = $1 AND version = $2", s.Store.ID, v) == 1 {
			return v
		}
	}
	s.Fatalf("%s has no row with a version below 100", table)
	return 0
}

// In one push the item with the highest version wins, in one batch and over several; without versions the last wins.
// The dry run, which rolls back each batch, reports the same.
func TestVersion_highestOfOnePushWins(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		for entity, table := range versionedEntities {
			for _, apart := range []int{0, batchItems} {
				s.createStore()
				items := []string{versioned("5", "high")}
				for i := range apart {
					items = append(items, fmt.Sprintf(`{"id": "x%d", "name": "other"}`, i))
				}

				items = append(items, versioned("3", "low"), versioned("", "last"), versioned("4", "lower"))
				s.wantSameReport(entity, payload(items...))
				s.wantNames(table, "last")
				s.wantSameReport(entity, payload(slices.Concat(items[1:len(items)-2], items[:1], items[1:2])...))
			}
		}

		s.createStore()
		run := s.push(Products, payload(versioned("5", "high"), versioned("3", "low")))
		s.wantNotes(run, "1 1 version:stale; 1 1 id:duplicate_id")
		run = s.push(Products, payload(versioned("6", "low"), versioned("7", "high")), atomic)
		s.wantNotes(run, "1 1 id:duplicate_id")
		s.wantNames("products", "high")
		run = s.push(Products, payload(versioned("9", "high"), versioned("8", "low")), atomic)
		s.wantNotes(run, "1 1 version:stale; 1 1 id:duplicate_id")
		s.wantNames("products", "high")
	})
}

func TestVersion_edgesOfTheMember(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.wantCounts("1: +1 ~0 =0 !0 ?0", Products, payload(versioned("1731800000000000001", "nanoseconds")))
		s.wantCounts("1: +0 ~0 =1 !0 ?1", Products, payload(versioned("1731800000000000000", "before")))
		s.wantCounts("1: +0 ~1 =0 !0 ?0", Products, payload(versioned("null", "none")))

		for _, wrong := range []string{`"5"`, `1.5`, `true`, `9223372036854775808`, `{}`} {
			run := s.wantCounts("1: +0 ~0 =0 !1 ?0", Products, payload(versioned(wrong, "wrong")))
			if notes := s.notesText(run); !strings.HasPrefix(notes, "0 1 version:") {
				s.Errorf("version %s: %s", wrong, notes)
			}
		}

		s.wantCounts("1: +1 ~0 =0 !0 ?0", Stocks, payload(versioned("-3", "negative")))
		s.wantCounts("1: +0 ~0 =1 !0 ?1", Stocks, payload(versioned("-4", "lower")))
		csv := func(p *Params) { p.Format = item.CSV }
		s.wantCounts("1: +1 ~0 =0 !0 ?0", Products, "id,version,name\n2,7,table\n", csv)
		s.wantCounts("1: +0 ~0 =1 !0 ?1", Products, "id,version,name\n2,6,old\n", csv)
		s.push(Products, payload(`{"id": 3, "name": "P", "variants": [{"id": "v", "price": 1}]}`))

		prices := s.push(Prices, payload(`{"variant_id": "v", "price": 2, "version": 1}`))
		if len(prices.IgnoredFields) != 1 || prices.IgnoredFields[0] != "version" {
			s.Errorf("the quick gate ignored %v, want version", prices.IgnoredFields)
		}
	})
}

// An item with all members that changes nothing is unchanged without being compared by its digest. Its version is
// remembered, too.
func TestVersion_ofAWholeUnchangedItemIsRemembered(t *testing.T) {
	whole := func(version, name string) string {
		return payload(`{"id": 1, "version": ` + version + `, "name": "` + name +
			`", "description": "", "unit": null, "vat_rate": null, "weight": null,
			"slug": "same", "seo": {}, "categories": [], "canonical_category": null, "features": [], "modifiers": [],
			"images": [], "images_mode": "replace", "variants": [{"id": "a", "name": "", "sku": "", "price": 1,
			"barcodes": [], "options": [], "remainders": []}]}`)
	}

	eachEngine(t, func(s *fixture) {
		s.push(Products, whole("5", "same"))
		s.edit("1", catalog.ProductEdit{Description: new("")})
		s.wantCounts("1: +0 ~0 =1 !0 ?0", Products, whole("9", "same"))
		s.wantCounts("1: +0 ~0 =1 !0 ?1", Products, whole("8", "old"))
		s.wantNames("products", "same")
		feature := `{"id": 1, "version": 9, "name": "same", "filterable": false, "field_type": "select"}`
		s.push(Features, payload(versioned("5", "same")))
		s.wantCounts("1: +0 ~0 =1 !0 ?0", Features, payload(feature))
		s.wantCounts("1: +0 ~0 =1 !0 ?1", Features, payload(versioned("8", "old")))
	})
}

// An edit clears the mark of the last push, so that the same item is applied again; an older one is still stale, and
// does not bring an archived product back.
func TestVersion_holdsAfterAnEditAndForArchivedProducts(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(versioned("5", "five")))
		s.push(Products, payload(`{"id": 2, "name": "B"}`), archiveMissing, maxShare(1))
		s.wantCounts("1: +0 ~0 =1 !0 ?1", Products, payload(versioned("4", "four")))
		if n := s.Count("products WHERE store_id = $1 AND archived_at IS NOT NULL", s.Store.ID); n != 1 {
			s.Errorf("%d products are archived after a stale push, want 1", n)
		}
		s.wantCounts("1: +0 ~1 =0 !0 ?0", Products, payload(versioned("5", "five")))
	})
}
