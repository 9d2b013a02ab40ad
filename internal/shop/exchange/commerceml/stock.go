package commerceml

import (
	"errors"
	"io"
	"math/big"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/money"
)

// offerStock is what an offer says about its quantities.
type offerStock struct {
	list []attributeValue // stocks and quantities
	// complete says that the offer has nothing in other stocks.
	complete bool
}

// names returns the stocks.
func (s *offerStock) names() []string {
	names := make([]string, len(s.list))
	for i, one := range s.list {
		names[i] = one.id
	}
	return names
}

// emptyStock returns the stock in which new variants without quantities have 0, or "" if the exchange sends none.
func (c *converter) emptyStock() string {
	if c.options.KeepsStock || c.memory.hasQuantities() {
		return TotalStock
	}
	return ""
}

// stockOf returns the quantities of an offer, in all the forms that 1C has. 1C writes no zeros: a warehouse that has
// run out is not listed, and in older versions an offer that has run out has no quantity at all.
func (c *converter) stockOf(e *element, warnings *[]fault.Field) offerStock {
	q := quantityReader{at: map[string]int{}, warnings: warnings, sum: new(big.Rat)}
	total := e.textOf("Количество")
	hasRests := false
	for _, child := range e.children {
		switch child.name {
		case "Склад", "Склады":
			q.warehouse(child)
			for _, w := range child.children {
				q.warehouse(w)
			}
		case "Остатки":
			hasRests = true
			for _, rest := range child.children {
				for _, w := range rest.children {
					q.warehouse(w)
				}
				total = firstOf(rest.textOf("Количество"), rest.text, total)
			}
		}
	}

	if len(q.list) == 0 && !q.unreadable {
		switch {
		case strings.TrimSpace(total) != "":
			q.add(TotalStock, total)
		case hasRests || c.quantities.found:
			q.add(TotalStock, "0")
		}
		return offerStock{q.list, true}
	}

	stock := offerStock{q.list, !q.unreadable}
	if whole, ok := parseDecimal(total); ok && !hasRests && q.sum.Cmp(whole) < 0 {
		stock.complete = false // some warehouses are not sent
	}

	return stock
}

// maxOfferStocks is the number of stocks of a variant that the gate takes.
const maxOfferStocks = 1000

// quantityReader collects the quantities of one offer.
type quantityReader struct {
	list     []attributeValue
	at       map[string]int // positions in list, by stock
	sum      *big.Rat
	warnings *[]fault.Field
	// unreadable says that a quantity is no number, or was left out.
	unreadable bool
}

// warehouse adds the quantity of Склад. One without a quantity is not listed.
func (q *quantityReader) warehouse(w *element) {
	if w.name != "Склад" && w.name != "Склады" {
		return
	}
	q.add(firstOf(w.attr("ИдСклада"), w.attr("Ид"), w.textOf("Ид"), w.textOf("ИдСклада")), warehouseQuantity(w))
}

func warehouseQuantity(w *element) string {
	return firstOf(w.attr("КоличествоНаСкладе"), w.attr("Количество"), w.textOf("Количество"),
		w.textOf("КоличествоНаСкладе"))
}

// add adds a quantity. A negative one counts as 0.
func (q *quantityReader) add(stock, text string) {
	if strings.TrimSpace(text) == "" || stock == "" {
		return
	}

	n, ok := parseDecimal(text)
	if ok && n.Sign() > 0 {
		_, broken := money.ParseQuantity(formatDecimal(n, money.QuantityDecimals))
		ok = broken == nil // the gate would refuse all offers of the good with it
	}

	if !ok {
		q.unreadable = true
		warn(q.warnings, "quantity", "invalid_quantity", "The quantity %.40s was left out: it is not a number with at "+
			"most %d digits before the point.", text, money.QuantityDigits)
		return
	}

	if n.Sign() < 0 {
		warn(q.warnings, "quantity", "negative_quantity", "The quantity %.40s is negative; it was taken as 0.", text)
		n = new(big.Rat)
	}

	q.sum.Add(q.sum, n)

	if i, known := q.at[stock]; known {
		q.list[i].name = formatDecimal(n, money.QuantityDecimals)
		return
	}

	if len(q.list) >= maxOfferStocks || !fits(stock) {
		q.unreadable = true
		warn(q.warnings, "quantity", "too_many_stocks",
			"The quantity in the warehouse %.60s was left out: an offer has at "+
				"most %d warehouses, and the id of each at most %d characters.", stock, maxOfferStocks, maxText)
		return
	}

	q.at[stock] = len(q.list)
	q.list = append(q.list, attributeValue{stock, formatDecimal(n, money.QuantityDecimals)})
}

// fileQuantities knows whether the file has quantities, once it was looked for them.
type fileQuantities struct{ looked, found bool }

// find looks for the quantities of the file, once. It must be called before an offer is mapped. So a file that has only
// goods is not read twice.
func (q *fileQuantities) find(options *Options, memory *Memory) (err error) {
	if q.looked || options.HasQuantities == nil {
		return nil
	}
	if q.found, err = options.HasQuantities(); err != nil {
		return err
	}

	q.looked = true
	memory.setQuantities(q.found)
	return nil
}

// errFound ends the reading of a file whose rest does not matter.
var errFound = errors.New("found")

// HasQuantities reports whether an offer of a file has a quantity. It reads up to the first one. It returns
// fault.Malformed or fault.TooLarge if the file cannot be read. The room may be nil.
func HasQuantities(file io.Reader, room *Room) (bool, error) {
	err := readDocument(file, room.orDefault(), func(r *reader, start startTag) error {
		if start.name != "ПакетПредложений" && start.name != "ИзмененияПакетаПредложений" {
			return r.skip()
		}

		_, err := r.each(func(start startTag) error {
			if start.name != "Предложения" {
				return r.skip()
			}

			_, err := r.each(func(start startTag) error {
				if start.name != "Предложение" {
					return r.skip()
				}
				return r.findQuantity()
			})
			return err
		})

		return err
	})
	if errors.Is(err, errFound) {
		return true, nil
	}

	return false, err
}

// findQuantity reads Предложение. It returns errFound if that has a quantity.
func (r *reader) findQuantity() error {
	_, err := r.each(func(start startTag) error {
		switch start.name {
		case "Количество":
			if text, err := r.text(); err != nil || text == "" {
				return err
			}
			return errFound
		case "Остатки":
			return errFound

		case "Склад", "Склады":
			return r.element(start, func(w *element) error {
				for _, one := range append(w.children, w) {
					if warehouseQuantity(one) != "" {
						return errFound
					}
				}
				return nil
			})
		}

		return r.skip()
	})

	return err
}
