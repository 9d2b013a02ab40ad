package productcache

import (
	"bytes"
	"strings"
	"testing"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/search"
	"vitrine/internal/testkit/catalogtest"
)

// renderProduct renders a product whose categories, features and options have names. Each of them gets a row key. The
// last category is the canonical one.
func renderProduct(t interface{ Fatal(...any) }, d *productRenderer, p catalogtest.Product) string {
	rows := view.ProductRows{Product: p.Product}
	refs := nameRefs{map[int64]bool{}, map[catalog.ValueKeys]bool{}}
	var missing view.NameKeys
	var names view.Names
	key := int64(0)

	for _, c := range p.Categories {
		key++
		rows.CategoryKeys = append(rows.CategoryKeys, key)
		rows.CanonicalKey = key
		names.Categories = append(names.Categories, view.CategoryName{Key: key, ID: c.ID, Name: c.Name})
	}

	addValues := func(list []catalog.AttributeValue) (added []catalog.ValueKeys) {
		for _, v := range list {
			key++
			keys := catalog.ValueKeys{Attribute: key, Value: key}
			added = append(added, keys)
			refs.values[keys] = true
			names.Attributes = append(names.Attributes, view.AttributeName{Key: key, ID: v.AttributeID, Name: v.Name,
				FieldType: v.FieldType, Version: 1})
			names.Values = append(names.Values, view.ValueName{Key: key, AttributeKey: key, ID: v.Value.ID,
				Name: v.Value.Name})
		}

		return added
	}

	rows.FeatureKeys = addValues(p.Features)
	for i := range p.Variants {
		rows.OptionKeys = append(rows.OptionKeys, addValues(p.Variants[i].Options))
	}

	d.names = newNameTable(search.State{})
	d.names.put(refs, missing, names)
	out := &httpapi.Response{Buffer: &httpapi.Buffer{}}
	if err := d.writeProduct(out, newProductParts(&rows, allParts, d.names)); err != nil {
		t.Fatal(err)
	}

	return string(out.B)
}

// A name that was deleted in the meantime is left out, and the list stays valid JSON.
func TestProductRenderer_leavesOutWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	var features []catalog.ValueKeys
	for key := range int64(3) {
		features = append(features, catalog.ValueKeys{Attribute: key + 1, Value: key + 1})
	}

	rows := view.ProductRows{CategoryKeys: []int64{1, 2}, FeatureKeys: features}
	refs := nameRefs{map[int64]bool{1: true, 2: true}, map[catalog.ValueKeys]bool{}}
	for _, keys := range features {
		refs.values[keys] = true
	}

	names := newNameTable(search.State{})
	names.put(refs, names.missing(refs), view.Names{
		Categories: []view.CategoryName{{Key: 2, Name: "Hats"}},
		Attributes: []view.AttributeName{{Key: 1, Name: "Colour"}, {Key: 3, Name: "Size"}},
		Values:     []view.ValueName{{Key: 2, AttributeKey: 2, Name: "Wool"}, {Key: 3, AttributeKey: 3, Name: "XL"}},
	})
	d := productRenderer{names: names, parts: view.Parts{Categories: true, Features: true}}

	out := &httpapi.Response{Buffer: &httpapi.Buffer{}}
	if err := d.writeReferences(out, newProductParts(&rows, d.parts, names)); err != nil {
		t.Fatal(err)
	}

	const none = "00000000-0000-0000-0000-000000000000"
	want := `,"categories":[{"id":"` + none + `","name":"Hats","slug":null}],"canonical_category_id":"` + none +
		`","features":[{"id":"` + none +
		`","name":"Size","value":{"id":"` + none + `","name":"XL","range_value":null}}]`
	if string(out.B) != want {
		t.Errorf("rendered %s, want %s", out.B, want)
	}
}

// SQLite may give a new value or category the row key of a deleted one. A product that was cached before must not show
// the new one.
func TestProductRenderer_leavesOutTheNextOwnerOfARowKey(t *testing.T) {
	t.Parallel()
	keys := catalog.ValueKeys{Attribute: 1, Value: 5}
	refs := nameRefs{map[int64]bool{7: true}, map[catalog.ValueKeys]bool{keys: true}}
	missing := view.NameKeys{Attributes: []int64{1}, Values: []int64{5}, Categories: []int64{7}}
	names := newNameTable(search.State{})
	putNames := func(version int64) {
		names.put(refs, missing, view.Names{
			Categories: []view.CategoryName{{Key: 7, ID: id.New[catalog.Category](), Name: "Hats"}},
			Attributes: []view.AttributeName{{Key: 1, Name: "Colour", Version: version}},
			Values:     []view.ValueName{{Key: 5, AttributeKey: 1, ID: id.New[catalog.Value](), Name: "Red"}},
		})
	}
	putNames(1)
	d := productRenderer{names: names, parts: view.Parts{Categories: true, Features: true}}
	cached := newProductParts(&view.ProductRows{CategoryKeys: []int64{7}, FeatureKeys: []catalog.ValueKeys{keys}},
		d.parts, names)
	render := func() string {
		out := &httpapi.Response{Buffer: &httpapi.Buffer{}}
		if err := d.writeReferences(out, cached); err != nil {
			t.Fatal(err)
		}
		return string(out.B)
	}
	if text := render(); !strings.Contains(text, "Hats") || !strings.Contains(text, "Red") {
		t.Errorf("rendered %s, want the category and the value", text)
	}

	putNames(2)
	if got, want := render(), `,"categories":[],"canonical_category_id":null,"features":[]`; got != want {
		t.Errorf("rendered %s, want %s", got, want)
	}
}

func TestNewCachedPage_keepsNoRoomForDates(t *testing.T) {
	response := bytes.Repeat([]byte("x"), 10_000)
	p := newCachedPage(response, []dateSpan{{from: 100, to: 4000}, {from: 5000, to: 9000}})
	if kept := cap(p.text); kept > 2500 || pageSize(pageKey{}, p) < kept {
		t.Errorf("a page of 2100 bytes keeps %d, and %d are counted", kept, pageSize(pageKey{}, p))
	}
}
