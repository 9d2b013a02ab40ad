package modifier_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop/modifier"
)

// idsOf returns the ids of groups and their items: "group: item item; group: item".
func idsOf(groups []modifier.Group) string {
	var words []string
	for _, g := range groups {
		var items []string
		for _, i := range g.Items {
			items = append(items, i.ID)
		}
		words = append(words, g.ID+": "+strings.Join(items, " "))
	}
	return strings.Join(words, "; ")
}

func TestParse_readsWhatIsStored(t *testing.T) {
	got := modifier.Parse(`[ {"name":" Sauce ","x":[{"id":"no"}],"id":7,"max":2,"min":1e0,"required":true,"items":[` +
		`{"id":"k","name":"Ketchup","price":10.50},{"price":null,"id":" m ","name":5}]},` +
		`{"name":"Size","id":"s","min":null,"max":null,"required":null}]`)
	want := []modifier.Group{
		{ID: "7", Name: "Sauce", Min: 1, Max: 2, Required: true, Items: []modifier.Item{
			{ID: "k", Name: "Ketchup", Price: 10_5000}, {ID: "m", Name: "5"}}},
		{ID: "s", Name: "Size", Max: modifier.Unlimited, Items: []modifier.Item{}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}

	for _, stored := range []string{"", "[]", " [ ] ", "null", "{}", "["} {
		if got := modifier.Parse(stored); len(got) != 0 {
			t.Errorf("%q has the groups %v", stored, got)
		}
	}
}

func TestWithIDs_addsOnlyWhatIsMissing(t *testing.T) {
	const whole = `[ {"id": 7, "name":"Sauce","items":[{"name":"Ketchup","id":"k"} ]} ]`
	if got := modifier.WithIDs(whole); got != whole {
		t.Errorf("modifiers with ids become %s", got)
	}

	const stored = `[ { "items": [ {"name":"Я", "kcal": 99} ,{"id":null,"name":"Я"}], "name" : "x", "id" : null, ` +
		`"items2":[{}]} ]`
	ids := modifier.Parse(stored)
	want := fmt.Sprintf(`[ { "items": [ {"id":"%s","name":"Я", "kcal": 99} ,{"id":"%s","name":"Я"}], "name" : "x", `+
		`"id" : "%s", "items2":[{}]} ]`, ids[0].Items[0].ID, ids[0].Items[1].ID, ids[0].ID)
	if got := modifier.WithIDs(stored); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if modifier.WithIDs(want) != want {
		t.Error("modifiers with made ids get other ones")
	}
}

// Orders keep made ids, so they must never change: not with the order, prices and bounds, and not with a new version of
// the program.
func TestWithIDs_madeIDsFollowTheNames(t *testing.T) {
	const first = `[{"name":"Sauce",` +
		`"items":[{"name":"Ketchup"},{"name":"Mustard"},{"name":"Ketchup"}]},{"name":"Size"}]`
	groups := modifier.Parse(first)
	sauce, size := groups[0], groups[1]
	if got := idsOf(groups); got !=
		"m-gaeseysnnwiz6: m-gf7p7s642hosw m-zmm3w2gigp6ks m-recwialrdvsu2; m-bo6d5hqca3jjk: " {
		t.Errorf("the made ids are %s", got)
	}

	moved := modifier.Parse(`[{"name":"Size","max":1},{"name":"Bread"},{"min":1,"name":"Sauce","items":[` +
		`{"name":"Mustard","price":5},{"name":"Ketchup","price":7},{"name":"Mayonnaise"},{"name":"Ketchup"}]}]`)
	if moved[0].ID != size.ID || moved[2].ID != sauce.ID || moved[2].Items[0].ID != sauce.Items[1].ID ||
		moved[2].Items[1].ID != sauce.Items[0].ID || moved[2].Items[3].ID != sauce.Items[2].ID {
		t.Errorf("in another order the ids are %s, were %s", idsOf(moved), idsOf(groups))
	}

	taken := modifier.Parse(`[{"name":"Size"},{"name":"Other","id":"` + size.ID + `"}]`)
	if taken[0].ID == size.ID || taken[1].ID != size.ID {
		t.Errorf("with a taken id the ids are %s", idsOf(taken))
	}
}

// A list of the largest size must not take seconds.
func TestWithIDs_isLinearInEqualNames(t *testing.T) {
	const n = 15_000
	groups := modifier.Parse("[" + strings.Repeat(`{"name":"x"},`, n-1) + `{"name":"x"}]`)
	ids := map[string]bool{}
	for _, g := range groups {
		ids[g.ID] = true
	}
	if len(ids) != n {
		t.Errorf("%d groups have %d ids", n, len(ids))
	}
}

func TestWithIDs_keepsAllElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type any = map[string]interface{}
		draw := func(more func(o any)) any {
			o := any{"name": rapid.SampledFrom([]string{"a", "b", `"\`, "я"}).Draw(t, "name")}
			if id := rapid.SampledFrom([]interface{}{"-", nil, "x", 7}).Draw(t, "id"); id != "-" {
				o["id"] = id
			}
			if rapid.Bool().Draw(t, "note") {
				o["note"] = []interface{}{any{"id": nil, "name": "n"}}
			}
			more(o)
			return o
		}
		list := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "groups") {
			list = append(list, draw(func(o any) {
				items := []any{}
				for range rapid.IntRange(0, 4).Draw(t, "items") {
					items = append(items, draw(func(any) {}))
				}
				o["items"] = items
			}))
		}

		stored, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		text := modifier.WithIDs(string(stored))
		var got []any
		if err := json.Unmarshal([]byte(text), &got); err != nil || modifier.WithIDs(text) != text {
			t.Fatalf("%s becomes %s: %v", stored, text, err)
		}
		if fmt.Sprint(modifier.Parse(text)) != fmt.Sprint(modifier.Parse(string(stored))) {
			t.Fatalf("%s is parsed as %v, and with ids as %v", stored, modifier.Parse(string(stored)),
				modifier.Parse(text))
		}

		var strip func(o any)
		strip = func(o any) {
			if o["id"] == nil || strings.HasPrefix(fmt.Sprint(o["id"]), "m-") {
				delete(o, "id")
			}
			items, _ := o["items"].([]interface{})
			for _, item := range items {
				strip(item.(any))
			}
		}
		var want []any
		_ = json.Unmarshal(stored, &want)
		for _, o := range slices.Concat(got, want) {
			strip(o)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s becomes %s", stored, text)
		}
	})
}
