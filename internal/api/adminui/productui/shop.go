package productui

import (
	"context"
	"net/http"
	"slices"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// storefrontPath is the path of the shop as its customers see it.
const storefrontPath = "/storefront"

// shopReader is the reader whose prices a page shows: the customers of a group, or a visitor without a group.
type shopReader struct {
	ID     string // of the group, or "" for a visitor without a group
	Name   string
	Groups []pricelist.Group // all groups of the store
	// Lists are the price lists of the group, the first that has a price first.
	Lists  []catalog.PriceList
	prices pricelist.Reader
}

// readReader reads the reader that the query parameter group names. An unknown group is fault.NotFound.
func (ui *UI) readReader(r *httpapi.Request) (shopReader, error) {
	var groupID *pricelist.GroupID
	if text := r.URL.Query().Get("group"); text != "" {
		parsed, err := id.Parse[pricelist.Group](text)
		if err != nil {
			r.Query.BadParam("group", "must be the id of a customer group")
		}
		groupID = &parsed
	}

	return frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (s shopReader, err error) {
		s.prices = pricelist.Reader{Old: r.Principal.Store.OldPriceList, Steps: true}
		if s.Groups, _, err = ui.Prices.Groups.List(ctx, tx, "", pricelist.MaxGroups, 0); err != nil || groupID == nil {
			return s, err
		}

		at := slices.IndexFunc(s.Groups, func(g pricelist.Group) bool { return g.ID == *groupID })
		if at < 0 {
			return s, fault.Missing("customer group")
		}
		s.ID = groupID.String()
		s.Name = s.Groups[at].Name
		if s.prices.Chain, err = ui.Prices.Groups.Chain(ctx, tx, &s.Groups[at]); err != nil {
			return s, err
		}

		lists, _, err := ui.Prices.Lists.List(ctx, tx, "", pricelist.MaxLists, 0)
		for _, key := range s.prices.Chain.Lists() {
			if at := slices.IndexFunc(lists, func(l catalog.PriceList) bool { return l.Key == key }); at >= 0 {
				s.Lists = append(s.Lists, lists[at])
			}
		}
		return s, err
	})
}

// source returns the name of a price list of the reader, by the index of pricing.Prices.At.
func (s *shopReader) source(v *frame.View, list int) string {
	if list < 0 || list >= len(s.Lists) {
		return v.T("the product itself")
	}
	return s.Lists[list].Name
}

// productPath returns the address of a product as the reader sees it.
func (s *shopReader) productPath(productID catalog.ProductID) string {
	return frame.Address("/products/"+productID.String()+"/storefront", "group", s.ID)
}

// shopList is the data of the page with the products of the shop as the reader sees them.
type shopList struct {
	*productList
	Reader shopReader
	Cards  []shopCard
	// All is the address of the page without filters.
	All string
}

// shopCard is a product of the list. Old and Steps are those of its cheapest variant.
type shopCard struct {
	Path, Name, Picture string
	Price, Old          string
	Steps               []priceStep
	Stock, StockState   string
}

// priceStep is the price from a quantity on. Source is its price list if the price for one comes from another. A list
// of products leaves it out.
type priceStep struct{ From, Price, Source string }

// shopPage shows the products of the shop with the prices of a customer group, or of a visitor without one. It takes
// the query parameters of GET /v2/products, and group.
func (ui *UI) shopPage(w http.ResponseWriter, r *httpapi.Request) error {
	reader, err := ui.readReader(r)
	if err != nil {
		return err
	}

	query := readQuery(r)
	page := r.Query.Page()
	query.Limit, query.Offset = page.PerPage, page.Offset()
	query.Archived, query.Origin = catalog.Live, search.AnyOrigin
	query.Prices = reader.prices.Chain

	v := ui.pages.NewView(r, "The shop as customers see it", "products", nil)
	list := &shopList{productList: newProductList(&v, storefrontPath, query, page), Reader: reader,
		All: frame.Address(storefrontPath, "group", reader.ID)}
	v.Body = list
	v.Crumbs = []frame.Link{{Text: v.T("Products"), URL: "/products"}}

	var found search.Result
	err = ui.findWithFacets(r, query, func(ctx context.Context, tx store.Tx, result search.Result) (err error) {
		found = result
		list.Cards, err = readCards(ctx, tx, &v, found.Keys, &reader)
		return err
	})
	if kind := fault.KindOf(err); kind == fault.Malformed || kind == fault.Invalid {
		return ui.pages.Reject(w, "shop", v, v.FaultMessage(err))
	}
	if err != nil {
		return err
	}

	list.fill(&v, found, len(list.Cards))
	return ui.pages.Render(w, http.StatusOK, "shop", v)
}

// readCards returns the products with these row keys. It keeps the variants of few products in memory at a time.
func readCards(
	ctx context.Context, tx store.Tx, v *frame.View, keys []int64, reader *shopReader,
) (cards []shopCard, err error) {
	parts := view.Parts{Images: true, Variants: true, Prices: true}
	for len(keys) > 0 {
		rows, read, err := view.ReadRows(ctx, tx, keys, parts, catalog.Live)
		if err != nil {
			return nil, err
		}
		if err := view.AddPrices(ctx, tx, rows, parts, reader.prices); err != nil {
			return nil, err
		}

		for i := range rows {
			cards = append(cards, newShopCard(v, &rows[i], reader))
		}
		keys = keys[read:]
	}
	return cards, nil
}

func newShopCard(v *frame.View, p *view.ProductRows, reader *shopReader) shopCard {
	card := shopCard{Path: reader.productPath(p.ID), Name: p.Name, Price: priceText(v, &p.Product)}
	card.Stock, card.StockState = stockText(v, &p.Product)
	if len(p.Images) > 0 {
		card.Picture = picturePath(&p.Images[0], imagefile.Small)
	}

	for i := range p.Variants {
		amount, ok := p.Variants[i].Price.Amount()
		if !ok || amount != *p.PriceFrom {
			continue
		}
		if old, ok := p.Prices[i].Old.Amount(); ok {
			card.Old = v.Money(old, v.Store.Currency)
		}
		card.Steps = priceSteps(v, p.Prices[i].Steps)
		break
	}
	return card
}

// priceSteps returns the texts of the steps above one.
func priceSteps(v *frame.View, steps []pricing.Step) (texts []priceStep) {
	for _, step := range steps {
		if step.From > pricing.One {
			texts = append(texts, priceStep{From: v.Decimal(step.From), Price: v.Money(step.Price, v.Store.Currency)})
		}
	}
	return texts
}
