package pricing_test

import (
	"slices"
	"testing"

	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
)

const kilo = money.Quantity(1000)

func steps(pairs ...int64) (list []pricing.Step) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, pricing.Step{From: money.Quantity(pairs[i]), Price: money.Money(pairs[i+1])})
	}
	return list
}

// none is the price of a variant that is not for sale.
var none money.Price

func of(base money.Price, lists ...[]pricing.Step) pricing.Prices {
	return pricing.Prices{Base: base, Lists: lists}
}

func TestAt_takesTheFirstListWithAPriceForTheQuantity(t *testing.T) {
	base := money.NewPrice(100)

	for name, c := range map[string]struct {
		prices   pricing.Prices
		quantity money.Quantity
		want     money.Price
		list     int
	}{
		"no list":                       {of(base), kilo, base, -1},
		"the first list":                {of(base, steps(1000, 80), steps(1000, 70)), kilo, money.NewPrice(80), 0},
		"the first has none":            {of(base, nil, steps(1000, 70)), kilo, money.NewPrice(70), 1},
		"the first begins at ten":       {of(base, steps(10_000, 60), steps(1000, 70)), 9000, money.NewPrice(70), 1},
		"ten":                           {of(base, steps(10_000, 60), steps(1000, 70)), 10_000, money.NewPrice(60), 0},
		"the last step below":           {of(base, steps(1000, 80, 5000, 75, 9000, 6)), 7000, money.NewPrice(75), 0},
		"0.3 of a list from 1":          {of(base, steps(1000, 80)), 300, money.NewPrice(80), 0},
		"0.3 of a list from 0.5":        {of(base, steps(500, 90, 1000, 80)), 300, money.NewPrice(90), 0},
		"0.3 of a list from 10":         {of(base, steps(10_000, 60)), 300, base, -1},
		"free in the list":              {of(base, steps(1000, 0)), kilo, money.NewPrice(0), 0},
		"not for sale without the list": {of(none, steps(10_000, 60)), kilo, none, -1},
		"for sale by the list alone":    {of(none, steps(1000, 60)), kilo, money.NewPrice(60), 0},
	} {
		if got, list := c.prices.At(c.quantity); got != c.want || list != c.list {
			t.Errorf("%s: %v of list %d, want %v of %d", name, got, list, c.want, c.list)
		}
	}
}

func TestSteps_beginWithThePriceForOneAndMergeEqualNeighbours(t *testing.T) {
	base := money.NewPrice(100)

	for name, c := range map[string]struct {
		prices pricing.Prices
		want   []pricing.Step
	}{
		"no list":                 {of(base), steps(1000, 100)},
		"no price":                {of(none), nil},
		"from ten":                {of(base, steps(10_000, 90)), steps(1000, 100, 10_000, 90)},
		"equal neighbours":        {of(base, steps(5000, 100, 10_000, 90)), steps(1000, 100, 10_000, 90)},
		"steps below one":         {of(base, steps(100, 120, 500, 110, 2000, 90)), steps(1000, 110, 2000, 90)},
		"a higher price from ten": {of(base, steps(10_000, 120)), steps(1000, 100, 10_000, 120)},
		"the first list hides":    {of(base, steps(1000, 80), steps(5000, 10)), steps(1000, 80)},
		"two lists":               {of(base, steps(9000, 80), steps(1000, 95, 20_000, 1)), steps(1000, 95, 9000, 80)},
		"only from ten":           {of(none, steps(10_000, 80)), steps(10_000, 80)},
	} {
		if got := c.prices.Steps(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestOldPrice_isHigherThanThePrice(t *testing.T) {
	for name, c := range map[string]struct {
		price money.Price
		old   []pricing.Step
		want  money.Price
	}{
		"higher":       {money.NewPrice(80), steps(1000, 100), money.NewPrice(100)},
		"equal":        {money.NewPrice(80), steps(1000, 80), none},
		"lower":        {money.NewPrice(80), steps(1000, 70), none},
		"none":         {money.NewPrice(80), nil, none},
		"not for sale": {none, steps(1000, 70), none},
		"from ten":     {money.NewPrice(80), steps(10_000, 100), none},
	} {
		if got := pricing.OldPrice(c.price, c.old); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestChain_namesListsInOrder(t *testing.T) {
	if got := pricing.Chain("7:1700,3:1800").Lists(); !slices.Equal(got, []int64{7, 3}) {
		t.Errorf("lists are %v", got)
	}
	if got := pricing.Chain("").Lists(); got != nil {
		t.Errorf("the base chain has lists %v", got)
	}
}
