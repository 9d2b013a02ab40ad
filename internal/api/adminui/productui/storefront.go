package productui

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
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
	MoreVariants            int
	Groups                  []*groupRow
	// JSONURL is the address of the product in the public API, or its path if the address is not known.
	JSONURL string
}

// shownFeature is a feature with its values.
type shownFeature struct{ Name, Values string }

// shownVariant is a variant that customers can choose. Left is empty if its stock is not counted.
type shownVariant struct {
	Name, SKU, Price, Left string
	SoldOut                bool
}

func (ui *UI) storefrontPage(w http.ResponseWriter, r *httpapi.Request) error {
	productID := productIDFromPath(r)
	v := ui.pages.NewView(r, "Product", "products", nil)
	stored, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (*storedProduct, error) {
		return ui.readStored(ctx, tx, productID)
	})
	if err != nil {
		return err
	}
	body := stored.shown(&v)
	body.JSONURL = ui.PublicURL + "/v2/products/" + stored.ID.String()
	v.Title = stored.Name
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Products"), URL: "/products"}, {Text: stored.Name, URL: body.Path}}
	return ui.pages.Render(w, http.StatusOK, "storefront", v)
}

// shown returns what customers get of the product.
func (s *storedProduct) shown(v *frame.View) *shownProduct {
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

	for i := range s.Variants[:min(len(s.Variants), variantsPerPage)] {
		variant := &s.Variants[i]
		var names []string
		for _, keys := range s.OptionKeys[i] {
			if _, value, ok := s.names.value(keys); ok {
				names = append(names, value.Text)
			}
		}

		shown := shownVariant{Name: variant.Name, SKU: variant.SKU, Price: v.Price(variant.Price, v.Store.Currency)}
		if len(names) > 0 {
			shown.Name = strings.Join(names, ", ")
		}

		if variant.Available != nil {
			shown.Left = v.Decimal(*variant.Available)
			shown.SoldOut = *variant.Available <= 0
		}

		p.Variants = append(p.Variants, shown)
	}

	p.MoreVariants = len(s.Variants) - len(p.Variants)
	return p
}
