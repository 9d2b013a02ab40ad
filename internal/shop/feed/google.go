package feed

import (
	"slices"
	"strings"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// The limits of Google, in characters.
const (
	googleTitle       = 150
	googleDescription = 5000
	googleCode        = 70
	googleType        = 750
	googleMaterial    = 200
	googleText        = 100
)

// googleColumns are the attributes of an item, in the order of CSV. In XML those without a value are left out.
var googleColumns = []string{"id", "item_group_id", "title", "description", "link", "image_link",
	"additional_image_link", "availability", "price", "sale_price", "brand", "gtin", "mpn", "identifier_exists",
	"condition", "google_product_category", "product_type", "color", "size", "material", "pattern", "gender",
	"age_group", "shipping_weight", "custom_label_0", "custom_label_1", "custom_label_2", "custom_label_3",
	"custom_label_4"}

// additionalImages is the index of the only attribute that an item may have several times.
var additionalImages = slices.Index(googleColumns, "additional_image_link")

// googleMapped are the attributes that only the mapping fills, with their limits.
var googleMapped = map[string]int{"google_product_category": googleType, "color": googleText, "size": googleText,
	"material": googleMaterial, "pattern": googleText, "gender": googleText, "age_group": googleText,
	"custom_label_0": googleText, "custom_label_1": googleText, "custom_label_2": googleText,
	"custom_label_3": googleText, "custom_label_4": googleText}

// googleWriter writes a feed of Google Merchant Center, as RSS 2.0 or as CSV.
type googleWriter struct {
	in    *Reading
	isCSV bool
	// item has the values of googleColumns.
	item []string
	at   map[string]int
}

func newGoogle(in *Reading, p *plan) *googleWriter {
	w := &googleWriter{in: in, isCSV: p.Format == CSV, item: make([]string, len(googleColumns)),
		at: make(map[string]int, len(googleColumns))}
	for i, name := range googleColumns {
		w.at[name] = i
	}
	return w
}

func (w *googleWriter) begin(b []byte) []byte {
	if w.isCSV {
		return append(b, strings.Join(googleColumns, ",")+"\r\n"...)
	}
	shop := &w.in.Shop
	name := oneLine(shop.Name, googleTitle)
	b = append(b, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+
		`<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">`+"\n<channel>\n"...)
	b = appendElement(b, "title", name)
	b = appendElement(b, "link", address.URL(*shop, "/"))
	return appendElement(b, "description", name)
}

func (w *googleWriter) end(b []byte) []byte {
	if w.isCSV {
		return b
	}
	return append(b, "</channel>\n</rss>\n"...)
}

func (w *googleWriter) offer(b []byte, o *offer) []byte {
	w.setItem(o)
	more := o.pictures[1:]
	if w.isCSV {
		w.item[additionalImages] = strings.Join(more, ",")
		return w.appendLine(b)
	}

	b = append(b, "<item>\n"...)
	for i, name := range googleColumns {
		if i != additionalImages {
			b = appendElement(b, "g:"+name, w.item[i])
			continue
		}
		for _, url := range more {
			b = appendElement(b, "g:"+name, url)
		}
	}
	return append(b, "</item>\n"...)
}

// setItem sets the values of an offer.
func (w *googleWriter) setItem(o *offer) {
	clear(w.item)
	set := func(name, value string) { w.item[w.at[name]] = value }
	title := oneLine(o.name, googleTitle)
	set("id", o.variant.ID.String())
	if o.isGroup {
		set("item_group_id", o.product.ID.String())
	}
	set("title", title)
	set("description", prose(o.product.Description, googleDescription))
	if w.item[w.at["description"]] == "" {
		set("description", title) // it is required
	}
	set("link", o.url)
	set("image_link", o.pictures[0])

	set("availability", "out_of_stock")
	if o.isAvailable {
		set("availability", "in_stock")
	}
	set("price", w.price(o.cents))
	if o.oldCents > 0 {
		set("price", w.price(o.oldCents))
		set("sale_price", w.price(o.cents))
	}
	set("condition", "new")
	if o.category != nil {
		path := strings.ReplaceAll(o.category.PathNames(), catalog.PathSeparator, " > ")
		set("product_type", oneLine(path, googleType))
	}
	if grams, ok := o.product.Weight.Amount(); ok && grams > 0 {
		set("shipping_weight", string(wire.AppendFixed(nil, int64(grams), money.WeightDecimals))+" kg")
	}

	brand, mpn := oneLine(o.mapped["brand"], googleCode), oneLine(o.mapped["mpn"], googleCode)
	set("brand", brand)
	set("mpn", mpn)
	if len(o.gtins) > 0 {
		set("gtin", o.gtins[0])
	} else if brand == "" || mpn == "" {
		set("identifier_exists", "no")
	}
	for name, limit := range googleMapped {
		set(name, oneLine(o.mapped[name], limit))
	}
}

// price returns an amount with the currency of the store.
func (w *googleWriter) price(cents int64) string {
	return string(append(append(appendCents(nil, cents), ' '), w.in.Shop.Currency...))
}

// appendLine appends the item as a line of CSV.
func (w *googleWriter) appendLine(b []byte) []byte {
	for i, value := range w.item {
		if i > 0 {
			b = append(b, ',')
		}
		if !strings.ContainsAny(value, ",\"\r\n") {
			b = append(b, value...)
			continue
		}
		b = append(b, '"')
		b = append(b, strings.ReplaceAll(value, `"`, `""`)...)
		b = append(b, '"')
	}
	return append(b, "\r\n"...)
}
