package searchui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/language"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// orderAction is something that is done with an order, whose number is typed after one of the words.
type orderAction struct {
	Words []string
	Needs access.Scope
	// States are those of an order with which it can be done; all if there are none.
	States []order.State
	Path   string // after the address of the order
	// Title returns the name of the action with an order.
	Title func(v frame.View, number string) string
}

// orderActions returns what can be done with an order whose number is known.
func orderActions() []orderAction {
	return []orderAction{
		{[]string{"confirm", "accept", "подтвердить", "подтверди", "принять"}, access.OrdersWrite,
			[]order.State{order.Submitted}, "/confirm",
			func(v frame.View, number string) string { return v.T("Confirm order %s", number) }},
		{[]string{"complete", "finish", "выполнить", "выполни", "завершить"}, access.OrdersWrite,
			[]order.State{order.Confirmed}, "/complete",
			func(v frame.View, number string) string { return v.T("Complete order %s", number) }},
		{[]string{"cancel", "отменить", "отмени"}, access.OrdersWrite,
			[]order.State{order.Submitted, order.Confirmed}, "/cancel",
			func(v frame.View, number string) string { return v.T("Cancel order %s", number) }},
		{[]string{"edit", "change", "изменить", "измени"}, access.OrdersWrite,
			[]order.State{order.Submitted, order.Confirmed}, "/edit",
			func(v frame.View, number string) string { return v.T("Change order %s", number) }},
		{[]string{"print", "распечатать", "напечатать", "печать"}, access.OrdersRead, nil, "/print",
			func(v frame.View, number string) string { return v.T("Print order %s", number) }},
	}
}

// command is a search that begins with a word for something to be done: "confirm 1042" or "price of LAMP-5".
type command struct {
	word   string // folded
	object string // what it is to be done with, as it was typed
}

// parseCommand splits a search into its first word and the rest. Between them may stand words such as "of" and
// "order", which say nothing more. It returns false for a search of a single word.
func parseCommand(q string) (c command, ok bool) {
	fields := strings.Fields(q)
	if len(fields) < 2 {
		return c, false
	}

	rest := fields[1:]
	for len(rest) > 1 && isFiller(language.Fold(rest[0])) {
		rest = rest[1:]
	}

	return command{word: language.Fold(fields[0]), object: strings.Join(rest, " ")}, true
}

func isFiller(word string) bool {
	return language.IsFunctionWord(word) ||
		slices.Contains([]string{"order", "заказ", "товара", "product", "sku"}, word)
}

// doOrder returns the actions that the search names with the number of an order: its pages ask before anything is done.
func (ui *UI) doOrder(
	ctx context.Context, tx store.Tx, v frame.View, q string, _ bool,
) (g group, err error) {
	g = group{Name: v.T("Actions"), Icon: "check", IsActions: true}
	c, ok := parseCommand(q)
	if !ok || orderNumber(c.object) == "" {
		return g, nil
	}

	number := orderNumber(c.object)
	for _, action := range orderActions() {
		if !slices.Contains(action.Words, c.word) || !v.May(string(action.Needs)) {
			continue
		}
		part, err := ui.Orders.List(ctx, tx, v.Store, order.Filter{Search: number, Submitted: true}, nil, hitsPerGroup)
		if err != nil {
			return g, err
		}
		for _, o := range part.Orders {
			if o.Number == nil || strconv.FormatInt(*o.Number, 10) != number ||
				action.States != nil && !slices.Contains(action.States, o.State) {
				continue
			}
			g.Hits = append(g.Hits, hit{Title: action.Title(v, number), Exact: true,
				Detail: joined(o.Contact.Name, v.Money(o.Total, o.Currency)),
				URL:    "/orders/" + o.ID.String() + action.Path})
		}
	}

	return g, nil
}

// skuWords are the words that ask for the prices or the quantities of an SKU.
func skuWords() (prices, stock []string) {
	return []string{"price", "prices", "цена", "цены", "цену"},
		[]string{"stock", "quantity", "остаток", "остатки", "количество", "наличие"}
}

// doSKU returns where the price or the quantity is changed of what the search names by its SKU or its whole name.
func (ui *UI) doSKU(r *httpapi.Request, v frame.View, q string) (g group, err error) {
	g = group{Name: v.T("Actions"), Icon: "tag", IsActions: true}
	c, ok := parseCommand(q)
	if !ok {
		return g, nil
	}

	prices, stock := skuWords()
	ofPrice := slices.Contains(prices, c.word)
	if !ofPrice && !slices.Contains(stock, c.word) {
		return g, nil
	}

	products, err := ui.products(r, v, c.object, false)
	for _, found := range products.Hits {
		if !found.Exact {
			continue
		}
		h := hit{Detail: found.Title, Exact: true}
		if ofPrice {
			h.Title = v.T("Price of %s", c.object)
			h.URL = found.URL + "#variants"
		} else {
			h.Title = v.T("Quantity of %s", c.object)
			h.URL = frame.Address("/stock", "q", c.object)
		}
		g.Hits = append(g.Hits, h)
	}

	return g, err
}
