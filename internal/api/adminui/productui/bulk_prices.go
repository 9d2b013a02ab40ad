package productui

import (
	"context"
	"math/big"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

const (
	// changePrices is the choice among the actions that changes prices by a percentage.
	changePrices = bulk.Action("change-prices")
	// maxChangedPrices is the number of prices that one change may have.
	maxChangedPrices = 100_000
	// hundredPercent is 100 % in the units of money.PercentDecimals; maxRaise is the largest percentage.
	hundredPercent = 100_00
	maxRaise       = 1000_00
)

// percentForm says how prices change.
type percentForm struct {
	Percent string // as typed, such as -10
	Unit    string // what the new prices are multiples of, such as 0.01
	// Prices are examples; they are empty until the operator has typed a percentage.
	Prices []pricePreview
}

// pricePreview is a price before and after the change.
type pricePreview struct{ Label, Old, New string }

// priceUnits are what prices can be rounded to.
func priceUnits() []string { return []string{"0.01", "0.1", "1", "5", "10", "100"} }

// Units returns the units to choose from, for the template.
func (f *percentForm) Units() []choice {
	units := make([]choice, 0, len(priceUnits()))
	for _, unit := range priceUnits() {
		units = append(units, choice{ID: unit, Name: unit, Selected: unit == f.Unit})
	}
	return units
}

// raise is a change of prices: by parts of hundredPercent, rounded to a unit.
type raise struct {
	percent int64
	unit    money.Money
}

// raise reads the form, or returns fault.Invalid.
func (f *percentForm) raise(l *frame.Language) (r raise, err error) {
	refused := fault.OneField("percent", "out_of_range", "%s",
		l.T("Write by how many per cent prices change, from -99.99 to 1000, such as 5 or -12.5."))
	number, ok := parseNumber(strings.TrimPrefix(f.Percent, "+"))
	if !ok {
		return r, refused
	}
	percent, broken := wire.ParseFixed(number, money.PercentDecimals, 4)
	if broken != nil || percent <= -hundredPercent || percent > maxRaise || percent == 0 {
		return r, refused
	}

	r = raise{percent, 100} // a hundredth
	for _, unit := range priceUnits() {
		if unit == f.Unit {
			price, _ := money.ParsePrice(unit)
			r.unit, _ = price.Amount()
		}
	}
	return r, nil
}

// of returns the price after the change: a multiple of the unit, of which half is rounded up. A price stays above 0.
func (r raise) of(old money.Money) money.Money {
	if old == 0 {
		return 0
	}

	parts := new(big.Int).Mul(big.NewInt(int64(old)), big.NewInt(hundredPercent+r.percent))
	unit := new(big.Int).Mul(big.NewInt(int64(r.unit)), big.NewInt(hundredPercent))
	half := new(big.Int).Rsh(unit, 1)
	units := parts.Add(parts, half).Div(parts, unit)
	if units.Sign() == 0 {
		units.SetInt64(1)
	}

	return money.Money(units.Mul(units, big.NewInt(int64(r.unit))).Int64())
}

// priceCells returns the cells that change the prices of products, by row key. It returns fault.Invalid if these are
// too many.
func (ui bulkUI) priceCells(
	ctx context.Context, tx store.Tx, keys []int64, r raise,
) (cells []catalog.Cell, err error) {
	for len(keys) > 0 {
		list, read, err := view.ReadRows(ctx, tx, keys[:min(len(keys), bulk.ChunkSize)], view.Parts{Variants: true},
			catalog.Live)
		if err != nil {
			return nil, err
		}

		keys = keys[read:]
		for i := range list {
			for k := range list[i].Variants {
				v := &list[i].Variants[k]
				old, ok := v.Price.Amount()
				if to := r.of(old); ok && to != old {
					cells = append(cells, catalog.Cell{Product: list[i].Key, Variant: v.Key, Member: "price",
						From: v.Price.Text(), To: money.NewPrice(to).Text()})
				}
			}
		}

		if len(cells) > maxChangedPrices {
			return nil, fault.OneField("percent", "too_many", "These are more than %d prices. Choose fewer products.",
				maxChangedPrices)
		}
	}

	return cells, nil
}

// previewPrices adds examples of new prices, of the products with these row keys.
func (ui bulkUI) previewPrices(ctx context.Context, tx store.Tx, v *frame.View, form *bulkForm, keys []int64) error {
	r, err := form.raise(v.Language)
	if err != nil {
		return nil //nolint:nilerr // the operator has not typed a percentage yet
	}
	list, _, err := view.ReadRows(ctx, tx, keys, view.Parts{Variants: true}, catalog.Live)
	if err != nil {
		return err
	}
	names, err := optionNames(ctx, tx, list)
	if err != nil {
		return err
	}

	form.Prices = nil
	for i := range list {
		for k := range list[i].Variants {
			variant := &list[i].Variants[k]
			old, ok := variant.Price.Amount()
			if !ok || len(form.Prices) == 2*bulkExamples {
				continue
			}
			label := list[i].Name
			for _, option := range list[i].OptionKeys[k] {
				label += ", " + names[option.Value]
			}
			form.Prices = append(form.Prices, pricePreview{label, v.Money(old, v.Store.Currency),
				v.Money(r.of(old), v.Store.Currency)})
		}
	}

	return nil
}

// label returns the percentage for people, such as +10 %.
func (r raise) label(l *frame.Language) string {
	sign := "+"
	if r.percent < 0 {
		sign = "−"
		r.percent = -r.percent
	}
	whole, fraction := r.percent/100, r.percent%100
	text := sign + strconv.FormatInt(whole, 10)
	if fraction != 0 {
		text += l.T(".") + strconv.FormatInt(100+fraction, 10)[1:]
	}
	return text + " %"
}
