package productui

import (
	"context"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// fillForm puts one text into a column of the grid: a price, what a warehouse has, or codes that are made of the
// options.
type fillForm struct {
	Column, Text string
	// Replace says that fields which have a text get another.
	Replace bool
}

// skuColumn is the column whose texts are made of the options.
const skuColumn = "sku"

func (f *formReader) fill() fillForm {
	return fillForm{Column: f.Get("fill_column"), Text: f.text("fill_text"), Replace: f.Get("fill_replace") == "1"}
}

// fillColumn fills a column of the grid. Rows that are to be archived stay as they are.
func (form *productForm) fillColumn() {
	list, number, _ := strings.Cut(form.Fill.Column, ".")
	column, _ := strconv.Atoi(number)
	skus := form.skus()

	for _, v := range form.Variants {
		if v.Removed {
			continue
		}
		switch {
		case list == "price":
			v.Texts["price"] = form.Fill.apply(v.Texts["price"], form.Fill.Text)
		case list == skuColumn:
			v.Texts[skuColumn] = form.Fill.apply(v.Texts[skuColumn], skus.next(v))
		case list == "stock" && column >= 0 && column < len(v.Stocks):
			v.Stocks[column] = form.Fill.apply(v.Stocks[column], form.Fill.Text)
		}
	}

	form.Fill = fillForm{Column: form.Fill.Column}
}

// apply returns the text of a field after it is filled.
func (f *fillForm) apply(present, text string) string {
	if present != "" && !f.Replace {
		return present
	}
	return text
}

// skuMaker makes the SKUs of the rows of a form. No two are equal.
type skuMaker struct {
	begin string
	taken map[string]bool
}

func (form *productForm) skus() *skuMaker {
	made := &skuMaker{begin: form.Fill.Text, taken: map[string]bool{}}
	if made.begin == "" {
		made.begin = skuPart(form.Texts["name"])
	}
	for _, v := range form.Variants {
		if !form.Fill.Replace || v.Removed {
			made.taken[v.Texts[skuColumn]] = true
		}
	}
	return made
}

// maxSKUPart bounds what a name gives to a SKU, so that the SKU stays one that people can read out.
const maxSKUPart = 12

// skuPart returns a name as a part of a SKU: Latin capital letters, digits and hyphens.
func skuPart(name string) string {
	part := strings.ToUpper(string(slug.Make(name)))
	if len(part) > maxSKUPart {
		part = strings.TrimRight(part[:maxSKUPart], "-")
	}
	return part
}

// next returns the SKU of a row: the beginning and the row's options. A number follows if another row has that SKU.
func (m *skuMaker) next(v *variantRow) string {
	parts := []string{m.begin}
	for _, o := range v.Options {
		if part := skuPart(o.Text); part != "" {
			parts = append(parts, part)
		}
	}

	made := strings.Trim(strings.Join(parts, "-"), "-")
	sku := made
	for n := 2; m.taken[sku]; n++ {
		sku = made + "-" + strconv.Itoa(n)
	}

	m.taken[sku] = true
	return sku
}

// copyOf returns the form of a new product that is like a stored one. What must be the product's own is left out:
// codes, barcodes, its address, images. Where a warehouse counts the goods of the other product, the new one has none
// of them.
func copyOf(stored *storedProduct, l *frame.Language) *productForm {
	form := stored.formWith(0, int64(min(len(stored.Variants), maxCombinations)))
	form.ID, form.ExternalID, form.Locks, form.LocksShown = "", "", 0, false
	form.Pictures, form.PicturesShown = nil, false
	form.Texts["name"] = l.T("%s (copy)", form.Texts["name"])
	form.Texts["slug"] = ""
	form.Draft, form.Unsaved = true, true

	for _, v := range form.Variants {
		v.ID, v.ExternalID, v.Pictures = "", "", rowPictures{}
		v.Texts[skuColumn], v.Texts["barcodes"] = "", ""
		for i := range v.Stocks {
			v.Reserved[i] = ""
			if v.Stocks[i] != "" {
				v.Stocks[i] = "0"
			}
		}
	}

	return form
}

// newForm returns the form of a new product: an empty one, or a copy of the product that the query names.
func (ui *UI) newForm(r *httpapi.Request) (*productForm, error) {
	text := r.URL.Query().Get("copy")
	if text == "" {
		return &productForm{}, nil
	}
	productID, err := id.Parse[catalog.Product](text)
	if err != nil {
		return &productForm{}, nil
	}

	return frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (*productForm, error) {
		stored, err := ui.readStored(ctx, tx, productID)
		if err != nil {
			return nil, err
		}
		return copyOf(stored, ui.pages.Language(r)), nil
	})
}
