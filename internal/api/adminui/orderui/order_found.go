package orderui

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// findVariants returns the variants of the form that have a quantity, and then those that the search finds, with the
// prices for a customer. The key is 0 for a visitor.
func (ui *UI) findVariants(
	ctx context.Context, tx store.Tx, v frame.View, form *orderForm, customerKey int64,
) (list []foundVariant, err error) {
	ids := form.chosen()
	if search := searchText(form.Get("q")); search != "" {
		levels, err := view.ReadLevels(ctx, tx, view.LevelFilter{Search: search}, view.LevelPage{Limit: foundVariants})
		if err != nil {
			return nil, err
		}
		for i := range levels.List {
			if found := levels.List[i].ID; !slices.Contains(ids, found) {
				ids = append(ids, found)
			}
		}
	}

	offers, err := catalog.OffersOf(ctx, tx, ids, "")
	if err != nil {
		return nil, err
	}
	var found []*catalog.Offer
	for _, variantID := range ids {
		if offer := offers[variantID]; offer != nil {
			found = append(found, offer)
		}
	}
	prices, err := order.PricesFor(ctx, tx, customerKey, found)
	if err != nil {
		return nil, err
	}
	groups, err := ui.modifiersOf(ctx, tx, found)
	if err != nil {
		return nil, err
	}

	for i, offer := range found {
		row := newFoundVariant(v, offer, form)
		row.Price = v.Price(prices[i], v.Store.Currency)
		row.Groups = foundGroups(v, groups[offer.ProductKey], form, "found."+row.ID)
		list = append(list, row)
	}
	return list, nil
}

// modifiersOf returns the modifiers of the products of offers, by the row key of the product.
func (ui *UI) modifiersOf(
	ctx context.Context, tx store.Tx, offers []*catalog.Offer,
) (map[int64][]modifier.Group, error) {
	var keys []int64
	for _, offer := range offers {
		if offer.HasModifiers && !slices.Contains(keys, offer.ProductKey) {
			keys = append(keys, offer.ProductKey)
		}
	}
	groups := map[int64][]modifier.Group{}
	if keys == nil {
		return groups, nil
	}
	slices.Sort(keys)
	return groups, ui.Catalog.Products.EachModifiers(ctx, tx, keys, func(productKey int64, list []modifier.Group) {
		groups[productKey] = list
	})
}

// foundGroups returns the groups of modifiers with what the form has chosen of them for a line.
func foundGroups(v frame.View, groups []modifier.Group, form *orderForm, line string) (list []foundGroup) {
	for i := range groups {
		g := &groups[i]
		group := foundGroup{Name: g.Name, Required: g.Required, Single: g.Max == 1}
		switch least := max(g.Min, 1); {
		case group.Single:
		case g.Required && g.Max == modifier.Unlimited:
			group.Rule = v.T("at least %d", least)
		case g.Required:
			group.Rule = v.T("%d to %d", least, g.Max)
		case g.Max != modifier.Unlimited:
			group.Rule = v.T("at most %d", g.Max)
		}

		for n := range g.Items {
			item := &g.Items[n]
			m := foundModifier{Value: modifierValue(g.ID, item.ID), Name: item.Name}
			if item.Price != 0 {
				m.Price = v.Money(item.Price, v.Store.Currency)
			}
			m.Quantity = form.Get(line + ".modifier." + m.Value)
			m.Chosen = slices.Contains(form.Values[line+".choice"], m.Value)
			group.Items = append(group.Items, m)
		}
		list = append(list, group)
	}
	return list
}

// searchText returns the text of a search with at most maxFoundWords words.
func searchText(typed string) string {
	words := strings.Fields(typed)
	text := strings.Join(words[:min(len(words), maxFoundWords)], " ")
	if len(text) > maxFoundBytes {
		return ""
	}
	return text
}

func newFoundVariant(v frame.View, offer *catalog.Offer, form *orderForm) foundVariant {
	found := foundVariant{ID: offer.ID.String(), Name: offer.Name(), SKU: offer.SKU, Options: offer.OptionText()}
	if offer.Available != nil {
		found.Available = v.Decimal(*offer.Available)
	}
	found.Quantity = form.Get("found." + found.ID + ".quantity")
	found.Agreed = form.Get("found." + found.ID + ".price")
	return found
}
