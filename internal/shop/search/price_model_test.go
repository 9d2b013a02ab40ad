package search

import (
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
)

// createList creates a price list without prices.
func (m *modelStore) createList(name string) {
	m.Write(func(tx store.Tx) error {
		var key int64
		err := database.QueryRow(m.Context(), tx, "INSERT INTO price_lists (store_id, id, name, words, currency, "+
			"version, created_at, updated_at) VALUES ($1, $2, $3, $3, 'USD', 1, 1, 1) RETURNING key",
			[]any{id.New[catalog.PriceList](), name}, &key)
		m.lists = append(m.lists, key)
		return err
	})
}

// chains returns chains of one to three lists.
func (m *modelStore) chains() (list []pricing.Chain) {
	one := func(keys ...int64) {
		var texts []string
		for _, key := range keys {
			texts = append(texts, fmt.Sprint(key, ":1"))
		}
		list = append(list, pricing.Chain(strings.Join(texts, ",")))
	}
	a, b, c := m.lists[0], m.lists[1], m.lists[2]
	one(a)
	one(b, a)
	one(c, a, b)
	return list
}

// setListPrices replaces the prices of a product's variants in a list.
func (m *modelStore) setListPrices(p catalogtest.Product) {
	list := pickOne(m, m.lists, "list")
	m.Write(func(tx store.Tx) error {
		for _, v := range p.Variants {
			err := database.Exec(m.Context(), tx, "DELETE FROM variant_prices WHERE store_id = $1 "+
				"AND variant_key = $2 AND list_key = $3", v.Key, list)
			if err != nil {
				return err
			}

			for _, from := range []int64{500, 1000, 10_000} {
				if !m.chance(40, "step") {
					continue
				}
				err := database.Exec(m.Context(), tx, "INSERT INTO variant_prices (store_id, variant_key, list_key, "+
					"from_quantity, price) VALUES ($1, $2, $3, $4, $5)", v.Key, list, from, m.draw(0, 5, "price")*10000)
				if err != nil {
					return err
				}
			}
		}
		return m.catalog.Products.RecordChanges(m.Context(), tx, p.Key)
	})
}

// reloadListPrices reads the prices of all lists.
func (m *modelStore) reloadListPrices(tx store.Tx) error {
	m.listPrices = map[int64]map[int64][]pricing.Step{}
	return database.QueryEach(m.Context(), tx, "SELECT variant_key, list_key, from_quantity, price "+
		"FROM variant_prices WHERE store_id = $1 ORDER BY variant_key, list_key, from_quantity", nil,
		func(rows database.Rows) error {
			var variant, list int64
			var step pricing.Step
			err := rows.Scan(&variant, &list, (*int64)(&step.From), (*int64)(&step.Price))
			if m.listPrices[variant] == nil {
				m.listPrices[variant] = map[int64][]pricing.Step{}
			}
			m.listPrices[variant][list] = append(m.listPrices[variant][list], step)
			return err
		})
}

// productsFor returns the products with the prices that a reader with the chain gets.
func (m *modelStore) productsFor(chain pricing.Chain) []catalogtest.Product {
	list := slices.Clone(m.products)
	for i := range list {
		p := &list[i]
		p.Variants = slices.Clone(p.Variants)
		p.PriceFrom = nil

		for j := range p.Variants {
			v := &p.Variants[j]
			prices := pricing.Prices{Base: v.Price}
			for _, key := range chain.Lists() {
				prices.Lists = append(prices.Lists, m.listPrices[v.Key][key])
			}
			v.Price, _ = prices.At(pricing.One)
			if amount, ok := v.Price.Amount(); ok && (p.PriceFrom == nil || amount < *p.PriceFrom) {
				p.PriceFrom = new(money.Money(amount))
			}
		}
	}
	return list
}
