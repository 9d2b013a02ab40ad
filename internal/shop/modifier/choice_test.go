package modifier_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
)

const burger = `[{"id":"size","name":"Size","required":true,"max":1,"items":[{"id":"s","name":"Small"},` +
	`{"id":"l","name":"Large","price":1.5}]},` +
	`{"id":"sauce","name":"Sauce","min":2,"max":3,"items":[{"id":"k","name":"Ketchup","price":0.25},` +
	`{"id":"m","name":"Mustard"}]},{"id":"extra","name":"Extra","items":[{"id":"s","name":"Salad","price":1}]}]`

// choices reads choices such as "size/l sauce/k*2".
func choices(text string) (list []modifier.Choice) {
	for word := range strings.FieldsSeq(text) {
		quantity := int64(1)
		name, number, found := strings.Cut(word, "*")
		if found {
			_, _ = fmt.Sscan(number, &quantity)
		}
		group, item, _ := strings.Cut(name, "/")
		list = append(list, modifier.Choice{GroupID: group, ItemID: item, Quantity: quantity})
	}
	return list
}

func TestChoose_followsTheRulesOfGroups(t *testing.T) {
	groups := modifier.Parse(burger)
	for text, want := range map[string]string{
		"size/s":                         "size/s*1",
		"size/l extra/s*7":               "size/l*1 extra/s*7",
		"extra/s sauce/m sauce/k size/s": "size/s*1 sauce/k*1 sauce/m*1 extra/s*1",
		"size/s sauce/k sauce/m sauce/k": "size/s*1 sauce/k*2 sauce/m*1",
		"":                               "modifiers modifier_required",
		"sauce/k*2":                      "modifiers modifier_required",
		"size/s size/l":                  "modifiers too_many_modifiers",
		"size/s*2":                       "modifiers too_many_modifiers",
		"size/s sauce/k":                 "modifiers too_few_modifiers",
		"size/s sauce/k*4":               "modifiers too_many_modifiers",
		"size/s sauce/k*2 sauce/k*2":     "modifiers too_many_modifiers",
		"size/s drink/x":                 "modifiers[1].group_id unknown_modifier_group",
		"size/s extra/s extra/x":         "modifiers[2].item_id unknown_modifier",
		"size/x":                         "modifiers[0].item_id unknown_modifier",
		"size/s extra/k":                 "modifiers[1].item_id unknown_modifier",
		"sauce/k a/b": "modifiers[1].group_id unknown_modifier_group, " +
			"modifiers modifier_required, modifiers too_few_modifiers",
		"size/s extra/s*999999999 extra/s": "modifiers[2].quantity out_of_range",
	} {
		chosen, problems := modifier.Choose(groups, choices(text))
		var words []string
		for _, c := range chosen {
			words = append(words, fmt.Sprintf("%s/%s*%d", c.GroupID, c.ItemID, c.Quantity))
		}
		got := strings.Join(words, " ")
		if problems != nil {
			words = nil
			for _, p := range problems {
				words = append(words, p.Path()+" "+p.Code)
			}
			got = strings.Join(words, ", ")
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}

	_, problems := modifier.Choose(groups, choices("size/s sauce/k"))
	if want := "Choose at least 2 of “Sauce”; 1 is too few."; problems[0].Message != want {
		t.Errorf("the message is %s, want %s", problems[0].Message, want)
	}
}

func TestAddPrices_isExactOrSaysThatItIsNot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		large := func(limit int64, label string) int64 {
			return rapid.Int64Range(0, limit>>rapid.IntRange(0, 60).Draw(t, label+" shift")).Draw(t, label)
		}
		price := money.Money(large(int64(modifier.MaxPrice), "price"))
		want := big.NewInt(int64(price))
		var chosen []modifier.Chosen
		for range rapid.IntRange(0, 4).Draw(t, "modifiers") {
			c := modifier.Chosen{Price: money.Money(large(int64(modifier.MaxPrice), "modifier")),
				Quantity: 1 + large(modifier.MaxQuantity-1, "quantity")}
			chosen = append(chosen, c)
			want.Add(want, new(big.Int).Mul(big.NewInt(int64(c.Price)), big.NewInt(c.Quantity)))
		}

		got, fits := modifier.AddPrices(price, chosen)
		if fits != (want.Cmp(big.NewInt(int64(modifier.MaxPrice))) <= 0) {
			t.Fatalf("%s fits: %t", want, fits)
		}
		if fits && want.Cmp(big.NewInt(int64(got))) != 0 || !fits && got != modifier.MaxPrice {
			t.Fatalf("got %d, want %s", got, want)
		}
	})
}

func TestKey_isTheSameInAnyOrder(t *testing.T) {
	groups := modifier.Parse(burger)
	key := func(text string) string {
		chosen, _ := modifier.Choose(groups, choices(text))
		return modifier.Key(chosen)
	}
	if key("") != "" {
		t.Error("nothing has a key")
	}
	if a, b := key("size/s sauce/k sauce/m*2"), key("sauce/m size/s sauce/m sauce/k"); a != b || a == "" {
		t.Errorf("the same choice has the keys %s and %s", a, b)
	}
	var keys []string
	for _, text := range []string{"", "size/s", "size/l", "extra/s", "size/s extra/s", "size/s*2", "sauce/k sauce/m"} {
		if k := key(text); slices.Contains(keys, k) {
			t.Errorf("%q has the key of another choice", text)
		} else {
			keys = append(keys, k)
		}
	}

	chosen, _ := modifier.Choose(groups, choices("size/l sauce/k*2"))
	reversed := slices.Clone(chosen)
	slices.Reverse(reversed)
	if modifier.Key(chosen) != modifier.Key(reversed) {
		t.Error("the key depends on the order")
	}
	if again, problems := modifier.Choose(groups, modifier.Choices(chosen)); problems != nil ||
		!slices.Equal(again, chosen) {
		t.Errorf("what was chosen is chosen again as %v: %v", again, problems)
	}
}
