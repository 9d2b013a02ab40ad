package searchrule

import (
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/language"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
)

// The limits of pins.
const (
	MaxPins     = 10_000
	MaxPinned   = 100 // products of a pin
	MaxPinQuery = 200 // characters
)

// Pin names the products that come first for a query, in this order.
type Pin struct {
	Query    string
	Products []PinnedProduct
}

// PinnedProduct is a product of a pin, archived or not.
type PinnedProduct struct {
	Key  int64
	ID   catalog.ProductID
	Name string
}

// PinEdit is a pin as it is sent.
type PinEdit struct {
	Query    string
	Products []catalog.ProductID
}

// checkPins returns the pins as they are stored, or fault.Invalid naming each broken rule. It does not check whether
// the products exist.
func checkPins(sent []PinEdit) ([]PinEdit, error) {
	var wrong rule.Violations
	if len(sent) > MaxPins {
		wrong.Add("", "too_many", "There are %d pins; at most %d are allowed.", len(sent), MaxPins)
		return nil, wrong.Fault()
	}

	first := make(map[string]int, len(sent))
	pins := make([]PinEdit, 0, len(sent))
	for i, p := range sent {
		at := rule.FieldPath("").Index(i)
		query, broken := checkPinQuery(p.Query)
		wrong.Check(at, "query", broken)

		folded := language.FoldQuery(query)
		if was, twice := first[folded]; twice && broken == nil {
			wrong.Add(at.Member("query"), "duplicate",
				"The search reads this query like that of [%d]; name each query once.", was)
		} else if broken == nil {
			first[folded] = i
		}

		checkPinned(p.Products, at, &wrong)
		pins = append(pins, PinEdit{Query: query, Products: p.Products})
	}

	return pins, wrong.Fault()
}

// checkPinQuery is the rule of the query of a pin: a text on one line with at least one word.
func checkPinQuery(sent string) (string, *fault.Field) {
	query := strings.Join(strings.Fields(sent), " ")
	if broken := rule.Plain(query, MaxPinQuery); broken != nil {
		return query, broken
	}
	if language.FoldQuery(query) == "" {
		return query, fault.Broken("required", "The query is empty; write at least one letter or digit.")
	}
	return query, nil
}

// checkPinned adds the rules that the products of a pin break.
func checkPinned(products []catalog.ProductID, at rule.FieldPath, wrong *rule.Violations) {
	switch {
	case len(products) == 0:
		wrong.Add(at.Member("products"), "required", "Name at least one product, or leave this pin out.")
	case len(products) > MaxPinned:
		wrong.Add(at.Member("products"), "too_many", "This pin has %d products; at most %d are allowed.",
			len(products), MaxPinned)
		return
	}

	first := make(map[catalog.ProductID]int, len(products))
	for n, productID := range products {
		if was, twice := first[productID]; twice {
			wrong.Add(string(at.Element("products", n)), "duplicate",
				"This product is named twice, first at products[%d]; name each product once.", was)
			continue
		}
		first[productID] = n
	}
}

// unknownProducts returns fault.Invalid naming the products that the store does not have, or nil if it has all.
func unknownProducts(pins []PinEdit, known map[catalog.ProductID]PinnedProduct) error {
	var wrong rule.Violations
	for i, p := range pins {
		for n, productID := range p.Products {
			if _, ok := known[productID]; !ok {
				wrong.Add(string(rule.FieldPath("").Index(i).Element("products", n)), "unknown_product",
					"This store has no product with this id.")
			}
		}
	}
	return wrong.Fault()
}

// pinEntry returns what the log says about a change of the pins. It has no action if nothing changed.
func pinEntry(before, after []Pin) audit.Entry {
	return changeEntry(audit.PinsChanged, "pins", pinLines(before), pinLines(after))
}

// pinLines returns each pin as a line of text: "query: first product, second product".
func pinLines(pins []Pin) (lines []string) {
	for _, p := range pins {
		names := make([]string, 0, len(p.Products))
		for _, product := range p.Products {
			names = append(names, product.Name)
		}
		lines = append(lines, p.Query+": "+strings.Join(names, ", "))
	}
	return lines
}
