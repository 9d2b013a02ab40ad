package productcache

import (
	"bytes"
	"context"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/wire"
	siteaddress "vitrine/internal/shop/address"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// graph is JSON-LD in the vocabulary of schema.org: a product with its offers, and the way to it.
type graph struct {
	Context string `json:"@context"`
	Graph   []any  `json:"@graph"`
}

type jsonLDProduct struct {
	Type        string   `json:"@type"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitzero"`
	URL         string   `json:"url,omitzero"`
	Image       []string `json:"image,omitzero"`
	SKU         string   `json:"sku,omitzero"`
	GTIN        string   `json:"gtin,omitzero"`
	Offers      any      `json:"offers,omitzero"`
}

// offer is an Offer or, for several variants with prices, an AggregateOffer.
type offer struct {
	Type          string `json:"@type"`
	URL           string `json:"url,omitzero"`
	PriceCurrency string `json:"priceCurrency"`
	Price         string `json:"price,omitzero"`
	LowPrice      string `json:"lowPrice,omitzero"`
	HighPrice     string `json:"highPrice,omitzero"`
	OfferCount    int    `json:"offerCount,omitzero"`
	Availability  string `json:"availability"`
}

type breadcrumbList struct {
	Type     string     `json:"@type"`
	Elements []listItem `json:"itemListElement"`
}

type listItem struct {
	Type     string `json:"@type"`
	Position int    `json:"position"`
	Name     string `json:"name"`
	Item     string `json:"item,omitzero"`
}

// jsonLD returns what search engines are told of a product, with the prices of the reader. It can stand in a script
// element of a page. Without a site URL it has no addresses.
func (c *Cache) jsonLD(ctx context.Context, tx store.Tx, r *httpapi.Request, p catalog.Product) ([]byte, error) {
	parts := view.Parts{Images: true, Variants: true}
	rows, _, err := view.ReadRows(ctx, tx, []int64{p.Key}, parts, catalog.Live)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if err := view.AddPrices(ctx, tx, rows, parts, PriceReader(r, false)); err != nil {
		return nil, err
	}
	crumbs, err := siteaddress.ProductCrumbs(ctx, tx, p.Key)
	if err != nil {
		return nil, err
	}

	shop := r.Principal.Store
	row := &rows[0]
	product := jsonLDProduct{Type: "Product", Name: row.Name, Description: row.Description}
	if row.Slug != "" {
		product.URL = siteaddress.URL(shop, siteaddress.ProductPathOf(shop, row.Slug))
	}
	base := r.BaseURL(c.publicURL)
	for i := range row.Images {
		product.Image = append(product.Image,
			string(row.Images[i].AppendPath([]byte(base), shop.ID, imagefile.Original)))
	}
	product.Offers = offersOf(row.Variants, shop.Currency, product.URL)
	if len(row.Variants) == 1 {
		product.SKU = row.Variants[0].SKU
		product.GTIN = gtinOf(row.Variants[0].Barcodes.List())
	}

	list := breadcrumbList{Type: "BreadcrumbList"}
	add := func(name, item string) {
		list.Elements = append(list.Elements, listItem{"ListItem", len(list.Elements) + 1, name, item})
	}
	for i, crumb := range crumbs {
		item := ""
		if siteaddress.HaveSlugs(crumbs[:i+1]) {
			item = siteaddress.URL(shop, siteaddress.CategoryPathOf(shop, crumbs[:i+1]))
		}
		add(crumb.Name, item)
	}
	add(row.Name, product.URL)

	text := wire.AppendJSON(nil, graph{"https://schema.org", []any{product, list}})
	return bytes.ReplaceAll(text, []byte("<"), []byte(`\u003c`)), nil // so that it cannot end a script element
}

// offersOf returns the offer of the variants that are for sale, or nil if none is.
func offersOf(variants []catalog.Variant, currency, url string) any {
	var low, high money.Money
	n := 0
	available := false
	for _, v := range variants {
		price := v.Price.OrNil()
		if price == nil {
			continue
		}
		if n == 0 || *price < low {
			low = *price
		}
		high = max(high, *price)
		n++
		available = available || v.Available == nil || *v.Available > 0
	}
	if n == 0 {
		return nil
	}

	o := &offer{Type: "Offer", URL: url, PriceCurrency: currency, Availability: "https://schema.org/OutOfStock"}
	if available {
		o.Availability = "https://schema.org/InStock"
	}
	if n == 1 {
		o.Price = moneyText(low)
		return o
	}
	o.Type = "AggregateOffer"
	o.LowPrice = moneyText(low)
	o.HighPrice = moneyText(high)
	o.OfferCount = n
	return o
}

// moneyText returns an amount as a decimal number.
func moneyText(m money.Money) string {
	return string(wire.AppendFixed(nil, int64(m), money.MoneyDecimals))
}

// gtinOf returns the first barcode that is a GTIN everywhere, as in feeds.
func gtinOf(barcodes []string) string {
	for _, b := range barcodes {
		if catalog.IsWorldwideGTIN(b) {
			return b
		}
	}
	return ""
}
