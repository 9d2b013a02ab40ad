package exchange

import (
	"strings"
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// newToken returns an option that pushes with a new token that writes these members.
func (s *fixture) newToken(members ...string) paramOption {
	s.Helper()
	var key access.Key
	s.Write(func(tx store.Tx) (err error) {
		key, _, err = s.Access.CreateKey(s.Context(), tx,
			access.NewKey{Kind: access.ExchangeToken, Name: strings.Join(members, " "), Members: members})
		return err
	})
	return func(p *Params) { p.Credential = key.ID }
}

const ownedItem = `{"id": 1, "name": "LAMP", "description": "Bright", "modifiers": [{"name": "Gift"}],
	"variants": [{"id": "a", "sku": "A2", "price": 11, "remainders": [{"stock_id": "main", "quantity": 3}]}, {"id": "b", "sku": "B", "price": 12}]}`

func TestMembers_othersAreIgnoredWithOneWarning(t *testing.T) {
	cases := []struct {
		members string
		field   string
		state   []string
	}{
		{"name", "description", []string{"product 1 LAMP Warm []", "variant 1/a A  100000 -", "!1/b", "!remainder"}},
		{"description modifiers", "name", []string{"product 1 Lamp Bright [{", "variant 1/a A  100000 -", "!1/b"}},
		{"price", "name", []string{"product 1 Lamp Warm []", "variant 1/a A  110000 -", "!1/b", "!remainder"}},
		{"remainders", "name", []string{"product 1 Lamp Warm []", "variant 1/a A  100000 3000", "!1/b",
			"remainder 1/a main=3000"}},
		{"price remainders", "name", []string{"variant 1/a A  110000 3000", "!1/b"}},
		{"variants", "name", []string{"product 1 Lamp Warm []", "variant 1/a A2  100000 -", "variant 1/b B  none -",
			"!remainder"}},
		{"variants price", "name", []string{"variant 1/a A2  110000 -", "variant 1/b B  120000 -", "!remainder"}},
	}

	eachEngine(t, func(s *fixture) {
		for _, c := range cases {
			s.createStore()
			s.push(Products, payload(`{"id": 1, "name": "Lamp", "description": "Warm", "variants": [{"id": "a", `+
				`"sku": "A", "price": 10}]}`))
			token := s.newToken(strings.Fields(c.members)...)
			for range 2 {
				notes := s.notesText(s.push(Products, payload(ownedItem), token))
				if strings.Count(notes, ":not_owned") != 1 || !strings.Contains(notes, "0 1 "+c.field+":not_owned") {
					s.Errorf("%s: the notes are %s", c.members, notes)
				}
			}

			s.wantState(c.state...)
		}
	})
}

// Tokens with different members push the same products by turns: nothing is lost, and what is repeated is unchanged.
func TestMembers_tokensByTurns(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		texts := s.newToken("name", "description")
		prices := s.newToken("price", "remainders")
		list := s.newToken("variants")
		first := payload(strings.Replace(ownedItem, "LAMP", "Lamp", 1))
		s.wantCounts("1: +1 ~0 =0 !0 ?1", Products, first, texts)
		s.wantCounts("1: +0 ~1 =0 !0 ?3", Products, first, list) // both variants are new and have no price
		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, first, prices)

		for _, token := range []paramOption{texts, list, prices, prices, texts, list} {
			s.wantCounts("1: +0 ~0 =1 !0 ?1", Products, first, token)
		}

		s.wantState("product 1 Lamp Bright []", "variant 1/a A2  110000 3000", "variant 1/b B  120000 -")

		// Only the owner of a member notices its change.
		second := payload(ownedItem)
		s.wantCounts("1: +0 ~0 =1 !0 ?1", Products, second, prices)
		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, second, texts)
		s.wantCounts("1: +0 ~0 =1 !0 ?1", Products, second, prices)

		// The price of a variant that did not exist is applied once its owner has created the variant.
		third := payload(strings.Replace(ownedItem, `{"id": "b"`, `{"id": "c", "sku": "C", "price": 7}, {"id": "b"`, 1))
		s.push(Products, third, prices)
		s.wantState("!1/c")
		s.push(Products, third, list)
		s.wantState("variant 1/c C  none -")
		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, third, prices)
		s.wantState("variant 1/c C  70000 -", "variant 1/a A2  110000 3000")

		// A token that writes everything overwrites what the others wrote, so these are applied again.
		s.wantCounts("1: +0 ~1 =0 !0 ?0", Products, first)
		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, second, texts)
		s.wantState("product 1 LAMP Bright")
	})
}

func TestMembers_newProductNeedsItsName(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		run := s.wantCounts("1: +0 ~0 =0 !1 ?0", Products, payload(ownedItem), s.newToken("price"))
		s.wantNotes(run, "0 1 name:required")
		s.wantState("!product")
		s.wantCounts("1: +1 ~0 =0 !0 ?1", Products, payload(ownedItem), s.newToken("name"))
	})
}

func TestMembers_ofASingleVariant(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		single := func(sku, price string) string {
			return payload(`{"id": 1, "name": "Cap", "single_variant": true, "variant_sku": "` + sku +
				`", "variant_price": ` + price +
				`, "variant_remainders": [{"stock_id": "main", "quantity": ` + price + `}]}`)
		}

		s.push(Products, single("CAP", "1"))
		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, single("NEW", "2"), s.newToken("price"))
		s.wantState("variant 1/- CAP  20000 1000")
		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, single("NEW", "3"), s.newToken("remainders"))
		s.wantState("variant 1/- CAP  20000 3000")
		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, single("NEW", "4"), s.newToken("variants"))
		s.wantState("variant 1/- NEW  20000 3000")
		s.wantCounts("1: +0 ~0 =1 !0 ?1", Products, single("OLD", "5"), s.newToken("images"))
		s.wantState("variant 1/- NEW  20000 3000")
	})
}

func TestMembers_holdInTheQuickGates(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(`{"id": 1, "name": "P", "variants": [{"id": "a", "price": 1}, {"id": "b", `+
			`"price": 2}]}`))

		texts := s.newToken("name")
		prices := s.newToken("price")
		stock := s.newToken("remainders")
		pushed := payload(`{"variant_id": "a", "price": 5}`, `{"variant_id": "b", "price": 5}`,
			`{"variant_id": "x", "price": 5}`)
		run := s.wantCounts("3: +0 ~0 =2 !1 ?1", Prices, pushed, texts)
		s.wantNotes(run, "2 x variant_id:unknown_variant; 0 a price:not_owned")
		s.wantCounts("3: +0 ~2 =0 !1 ?0", Prices, pushed, prices)
		left := payload(`{"variant_id": "a", "stock_id": "main", "quantity": 5}`,
			`{"variant_id": "a", "stock_id": "far", "quantity": 5}`)
		run = s.wantCounts("2: +0 ~0 =2 !0 ?1", Remainders, left, prices)
		s.wantNotes(run, "0 a remainders:not_owned")
		s.wantState("!stock main")
		s.wantCounts("2: +0 ~2 =0 !0 ?0", Remainders, left, stock)
	})
}

// The members of a token can be changed. The next push obeys them.
func TestMembers_canBeChanged(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(`{"id": 1, "name": "Lamp"}`))
		token := s.newToken("price")
		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, payload(ownedItem), token)
		var p Params
		token(&p)
		s.Write(func(tx store.Tx) error {
			_, err := s.Access.EditKey(s.Context(), tx, p.Credential, access.KeyEdit{Members: &[]string{"name"}}, nil)
			return err
		})
		s.wantCounts("1: +0 ~1 =0 !0 ?1", Products, payload(ownedItem), token)
		s.wantState("product 1 LAMP ")
	})
}
