package order

import (
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event/payload"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// setModifiers sets what was chosen. It does not change the price.
func (i *Item) setModifiers(chosen []modifier.Chosen) {
	i.Modifiers = encodeModifiers(chosen)
	i.choice = modifier.Key(chosen)
}

// encodeModifiers encodes what was chosen. Items store this text, so that a submitted order does not depend on the
// catalogue.
func encodeModifiers(chosen []modifier.Chosen) string {
	list := make([]payload.OrderModifier, len(chosen))
	for n := range chosen {
		c := &chosen[n]
		list[n] = payload.OrderModifier{GroupID: c.GroupID, GroupName: c.GroupName, ItemID: c.ItemID, Name: c.Name,
			Price: schema.Money(c.Price), Quantity: c.Quantity}
	}
	return string(payload.EncodeModifiers(list))
}

// ModifierList returns what was chosen.
func (i *Item) ModifierList() []modifier.Chosen {
	if i.Modifiers == "" || i.Modifiers == modifier.None {
		return nil
	}
	var stored []struct {
		GroupID   string         `json:"group_id"`
		GroupName string         `json:"group_name"`
		ItemID    string         `json:"item_id"`
		Name      string         `json:"name"`
		Price     jsontext.Value `json:"price"`
		Quantity  int64          `json:"quantity"`
	}
	if json.Unmarshal([]byte(i.Modifiers), &stored) != nil {
		return nil // never: encodeModifiers has written it
	}

	list := make([]modifier.Chosen, len(stored))
	for n, m := range stored {
		price, _ := money.ParsePrice(string(m.Price))
		amount, _ := price.Amount()
		list[n] = modifier.Chosen{GroupID: m.GroupID, GroupName: m.GroupName, ItemID: m.ItemID, Name: m.Name,
			Price: amount, Quantity: m.Quantity}
	}
	return list
}

// addModifierPrices adds the prices of the modifiers to that of the variant, and reports whether the sum is at most
// MaxTotal. An item without a price stays so.
func (i *Item) addModifierPrices() (fits bool) {
	price, ok := i.Price.Amount()
	if !ok {
		return true
	}
	total, fits := modifier.AddPrices(price, i.ModifierList())
	i.Price = money.NewPrice(total)
	return fits
}

// choosing is what a line chooses of the modifiers of an offer's product, and what comes of it. The offer may be nil.
type choosing struct {
	offer    *catalog.Offer
	choices  []modifier.Choice
	chosen   []modifier.Chosen
	problems []modifier.Problem
}

func (c *choosing) choose(groups []modifier.Group) {
	c.chosen, c.problems = modifier.Choose(groups, c.choices)
}

// modifierReader finds out what comes of choices.
type modifierReader struct{ products *catalog.Products }

// choose finds out what comes of choices. It reads the modifiers of the products that have some, one after the other.
func (m modifierReader) choose(ctx context.Context, tx store.Tx, list []choosing) error {
	byProduct := map[int64][]*choosing{}
	for i := range list {
		switch c := &list[i]; {
		case c.offer == nil:
		case c.offer.HasModifiers:
			byProduct[c.offer.ProductKey] = append(byProduct[c.offer.ProductKey], c)
		default:
			c.choose(nil)
		}
	}

	if len(byProduct) == 0 {
		return nil
	}

	keys := slices.Sorted(maps.Keys(byProduct))
	err := m.products.EachModifiers(ctx, tx, keys, func(productKey int64, groups []modifier.Group) {
		for _, c := range byProduct[productKey] {
			c.choose(groups)
		}
		delete(byProduct, productKey)
	})

	for _, deleted := range byProduct {
		for _, c := range deleted {
			c.choose(nil)
		}
	}

	return err
}

// chooseForLines returns what each line of a request chooses. It returns fault.Invalid if a line has no live offer, or
// chooses what is not possible.
func (m modifierReader) chooseForLines(
	ctx context.Context, tx store.Tx, request requestedLines, offers map[catalog.VariantID]*catalog.Offer,
) ([]choosing, error) {
	list := make([]choosing, len(request.lines))
	for i, line := range request.lines {
		if offer := offers[line.VariantID]; offer != nil && offer.Live {
			list[i] = choosing{offer: offer, choices: line.Modifiers}
		}
	}

	if err := m.choose(ctx, tx, list); err != nil {
		return nil, err
	}

	var invalid []fault.Field
	for i := range list {
		path := request.fieldPath(i)
		if list[i].offer == nil {
			invalid = append(invalid, fault.NewField(path+"variant_id", "unknown_variant",
				"There is no such variant in the shop, or not any more."))
		}
		for _, p := range list[i].problems {
			invalid = append(invalid, p.At(path+p.Path()))
		}
	}

	if invalid != nil {
		return nil, fault.Fields(invalid)
	}
	return list, nil
}

// chooseForItems returns what comes at present of what items have chosen. offers are those of the items; an element may
// be nil.
func (m modifierReader) chooseForItems(
	ctx context.Context, tx store.Tx, items []Item, offers []*catalog.Offer,
) ([]choosing, error) {
	list := make([]choosing, len(items))
	for i := range items {
		list[i] = choosing{offer: offers[i], choices: modifier.Choices(items[i].ModifierList())}
	}
	return list, m.choose(ctx, tx, list)
}

// follow sets the modifiers of an item to what came of its choice, and adds their prices to that of the variant. What
// is not there any more keeps the names and prices with which the item was last written. It returns why the item cannot
// be submitted, or nil.
func (i *Item) follow(c *choosing) (problems []modifier.Problem) {
	chosen := c.chosen
	was := i.ModifierList()
	for _, p := range c.problems {
		if p.Choice >= 0 {
			gone := was[p.Choice]
			chosen = append(chosen, gone)
			p.Field = *fault.Broken(p.Code, "“%s: %s” is not available any more.", gone.GroupName, gone.Name)
		}
		problems = append(problems, p)
	}

	i.Modifiers = encodeModifiers(chosen)
	if !i.addModifierPrices() {
		problems = append(problems, modifier.Problem{Field: *fault.Broken("out_of_range",
			"With its modifiers it costs more than an amount of money can say."), Choice: -1})
	}
	return problems
}

// follow updates the modifiers of drafts, adds their prices, and sets the totals. Items whose variants are not
// among the offers keep their last ones.
func (m modifierReader) follow(
	ctx context.Context, tx store.Tx, orders []Order, offers map[catalog.VariantID]*catalog.Offer,
) error {
	var items []*Item
	var list []choosing
	for i := range orders {
		if orders[i].State != Draft {
			continue
		}
		for j := range orders[i].Items {
			item := &orders[i].Items[j]
			items = append(items, item)
			list = append(list, choosing{offer: offers[item.VariantID],
				choices: modifier.Choices(item.ModifierList())})
		}
	}

	if err := m.choose(ctx, tx, list); err != nil {
		return err
	}

	problems := map[ItemID][]modifier.Problem{}
	for i := range list {
		if list[i].offer == nil {
			continue
		}
		if p := items[i].follow(&list[i]); p != nil {
			problems[items[i].ID] = p
		}
	}

	for i := range orders {
		if o := &orders[i]; o.State == Draft {
			o.problems = problems
			o.Total, _ = sumItems(o.Items)
		}
	}
	return nil
}

// Problems returns why an item of a draft cannot be submitted with its modifiers, for people; nil if it can.
func (o *Order) Problems(i *Item) []modifier.Problem { return o.problems[i.ID] }

// problemsJSON returns the problems of an item of a draft, or "" if the order is no draft.
func (o *Order) problemsJSON(i *Item) schema.Encoded[[]payload.OrderProblem] {
	if o.State != Draft {
		return ""
	}
	list := []payload.OrderProblem{}
	for _, p := range o.problems[i.ID] {
		list = append(list, payload.OrderProblem{Code: p.Code, Message: p.Message})
	}
	return payload.EncodeProblems(list)
}

func modifiersOfLines(lines []Line) (n int) {
	for _, line := range lines {
		n += len(line.Modifiers)
	}
	return n
}

func modifiersOfItems(items []Item) (n int) {
	for i := range items {
		n += len(items[i].ModifierList())
	}
	return n
}

// checkModifierCount returns fault.Invalid if an order would have more than MaxModifiers modifiers.
func checkModifierCount(modifiers int) error {
	if modifiers > MaxModifiers {
		return fault.OneField("items", "too_many",
			"An order may have at most %d modifiers; this one would have %d.", MaxModifiers, modifiers)
	}
	return nil
}
