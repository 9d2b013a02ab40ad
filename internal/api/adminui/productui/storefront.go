package productui

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// shownProduct is the data of the page that shows a product as customers get it: what is not archived, and whether it
// can be bought.
type shownProduct struct {
	Path, Name, Description string
	Archived                bool
	Pictures                []pictureView
	Categories              []string
	Features                []shownFeature
	Variants                []shownVariant
	Pager                   frame.Pager
	Reader                  shopReader
	// All is the address of the shop as the reader sees it.
	All    string
	Groups []*groupRow
	// JSONURL is the address of the product in the public API, or its path if the address is not known.
	JSONURL string
}

// shownFeature is a feature with its values.
type shownFeature struct{ Name, Values string }

// shownVariant is a variant that customers can choose. Left is empty if its stock is not counted. Source is the price
// list that the price comes from.
type shownVariant struct {
	Name, SKU, Left    string
	Price, Old, Source string
	Steps              []priceStep
	SoldOut            bool
}

func (ui *UI) storefrontPage(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	page := max(1, frame.PositiveParam(r, "page", math.MaxInt32))
	reader, err := ui.readReader(r)
	if err != nil {
		return err
	}

	v := ui.pages.NewView(r, "Product", "products", nil)
	var prices *pricelist.Prices
	stored, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (*storedProduct, error) {
		stored, err := ui.readStored(ctx, tx, productID)
		if err != nil {
			return nil, err
		}
		prices, err = pricelist.OfProducts(ctx, tx, []int64{stored.Key}, reader.prices)
		return stored, err
	})
	if err != nil {
		return err
	}

	body := stored.shown()
	body.addVariants(&v, stored, page, reader, prices)
	body.JSONURL = ui.PublicURL + "/v2/products/" + stored.ID.String()
	v.Title = stored.Name
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Products"), URL: "/products"}, {Text: stored.Name, URL: body.Path}}
	return ui.pages.Render(w, http.StatusOK, "storefront", v)
}

// shown returns what customers get of the product, without its variants.
func (s *storedProduct) shown() *shownProduct {
	p := &shownProduct{Path: "/products/" + s.ID.String(), Name: s.Name, Description: s.Description,
		Archived: s.ArchivedAt != nil, Pictures: pictureViews(s.Images), Groups: parseModifiers(s.Modifiers)}
	for _, key := range s.CategoryKeys {
		if c, ok := s.names.categories[key]; ok {
			p.Categories = append(p.Categories, c.Name)
		}
	}

	for _, keys := range s.FeatureKeys {
		a, value, ok := s.names.value(keys)
		if !ok {
			continue
		}

		if at := slices.IndexFunc(p.Features, func(f shownFeature) bool { return f.Name == a.Name }); at >= 0 {
			p.Features[at].Values += ", " + value.Text
			continue
		}

		p.Features = append(p.Features, shownFeature{a.Name, value.Text})
	}

	return p
}

// addVariants adds a page of the variants, with the prices that the reader gets.
func (p *shownProduct) addVariants(
	v *frame.View, s *storedProduct, page int64, reader shopReader, prices *pricelist.Prices,
) {
	p.Reader = reader
	p.All = frame.Address(storefrontPath, "group", reader.ID)
	total := int64(len(s.Variants))
	from := min((page-1)*variantsPerPage, total)
	to := min(from+variantsPerPage, total)

	for i := from; i < to; i++ {
		shown := newShownVariant(v, &s.Variants[i], &reader, prices)
		var names []string
		for _, keys := range s.OptionKeys[i] {
			if _, value, ok := s.names.value(keys); ok {
				names = append(names, value.Text)
			}
		}
		if len(names) > 0 {
			shown.Name = strings.Join(names, ", ")
		}
		p.Variants = append(p.Variants, shown)
	}

	at := func(page int64) string {
		return frame.Address(p.Path+"/storefront", "group", reader.ID, "page", strconv.FormatInt(page, 10))
	}
	if from > 0 {
		p.Pager.Previous = at(page - 1)
	}
	if to < total {
		p.Pager.Next = at(page + 1)
	}
}

func newShownVariant(
	v *frame.View, variant *catalog.Variant, reader *shopReader, prices *pricelist.Prices,
) shownVariant {
	of := prices.Of(variant.Key, variant.Price)
	price, list := of.At(pricing.One)
	shown := shownVariant{Name: variant.Name, SKU: variant.SKU, Price: v.Price(price, v.Store.Currency)}
	if _, ok := price.Amount(); ok {
		shown.Source = reader.source(v, list)
	}
	if old, ok := prices.Old(variant.Key, price).Amount(); ok {
		shown.Old = v.Money(old, v.Store.Currency)
	}

	for _, step := range of.Steps() {
		if step.From > pricing.One {
			text := priceStep{From: v.Decimal(step.From), Price: v.Money(step.Price, v.Store.Currency)}
			if _, from := of.At(step.From); from != list {
				text.Source = reader.source(v, from)
			}
			shown.Steps = append(shown.Steps, text)
		}
	}

	if variant.Available != nil {
		shown.Left = v.Decimal(*variant.Available)
		shown.SoldOut = *variant.Available <= 0
	}
	return shown
}
