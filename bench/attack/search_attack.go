package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// The attack in this file searches a store whose pushed names and descriptions make a large dictionary.

const (
	searchAttack = "Q1"

	// dictionaryProducts is the number of products of the store with the large dictionary, and dictionaryWords that of
	// the different words of each.
	dictionaryProducts, dictionaryWords = 10_000, 40
)

func searchAttacks() []attack {
	return []attack{{searchAttack, "queries with errors in every word, in a dictionary of 400,000", false,
		attackSearch}}
}

// anyNeedsDictionary reports whether one of the attacks searches the large dictionary.
func anyNeedsDictionary(list []attack) bool {
	return slices.ContainsFunc(list, func(at attack) bool { return at.name == searchAttack })
}

// fillDictionary pushes products of different words, ten of them in the name, and waits until they are searched in
// memory.
func (t *target) fillDictionary(ctx context.Context) error {
	a := newAttacker(t, "127.0.0.1")
	var push bytes.Buffer
	for i := range dictionaryProducts {
		words := dictionaryOf(i)
		line, err := json.Marshal(map[string]any{"id": fmt.Sprint("w", i), "name": strings.Join(words[:10], " "),
			"description": strings.Join(words[10:], " "), "single_variant": true, "variant_price": 1})
		if err != nil {
			return err
		}
		push.Write(append(line, '\n'))
	}
	if status, body := a.send(ctx, http.MethodPost, "/v2/sync-gate/products", t.wordy.ExchangeToken, push.Bytes(),
		ndjson()); status != 200 {
		return fmt.Errorf("push the dictionary: %d %.300s", status, body)
	}

	first := func() error {
		_, err := a.firstIDs(ctx, t.wordy.PublishableKey, "/v2/products?per_page=1&with=facets&q=w1", "", 1)
		return err
	}
	err := first()
	for err != nil && ctx.Err() == nil { // the products are being read into memory
		time.Sleep(time.Second)
		err = first()
	}
	return err
}

// dictionaryOf returns the words of a product, which no other product has.
func dictionaryOf(product int) []string {
	r := rand.New(rand.NewPCG(7, uint64(product)))
	scripts := [][2][]rune{{[]rune("бвгдзклмнпрст"), []rune("аеиоуыя")}, {[]rune("bdfgklmnprstv"), []rune("aeiou")}}
	words := make([]string, dictionaryWords)
	for i := range words {
		letters := scripts[i%len(scripts)]
		var word strings.Builder
		for range 3 + r.IntN(3) {
			word.WriteRune(letters[0][r.IntN(len(letters[0]))])
			word.WriteRune(letters[1][r.IntN(len(letters[1]))])
		}
		words[i] = word.String()
	}
	return words
}

// attackSearch sends queries that are long, that have the signs of patterns, and that have a typing error in every
// word, as lists with facets and as suggestions, from several addresses.
func attackSearch(ctx context.Context, a *attacker) error {
	var group sync.WaitGroup
	for i := range 6 {
		client := newAttacker(a.target, fmt.Sprintf("127.0.4.%d", i+1))
		group.Go(func() {
			flood(ctx, 4, 1_000_000, func(n int) {
				path := "/v2/products?with=facets,highlights&q="
				if n%2 == 1 {
					path = "/v2/suggest?q="
				}
				status, _ := client.send(ctx, http.MethodGet, path+url.QueryEscape(attackQuery(i, n)),
					a.wordy.PublishableKey, nil)
				a.countResponse(ctx, status, ctx.Err())
			})
		})
	}
	group.Wait()

	return nil
}

// attackQuery returns a query, a different one for each client and number.
func attackQuery(client, n int) string {
	r := rand.New(rand.NewPCG(uint64(client), uint64(n)))
	words := dictionaryOf(r.IntN(dictionaryProducts))
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	wrong := func(count int) string {
		typed := make([]string, count)
		for i := range typed {
			letters := []rune(words[i])
			at := 1 + r.IntN(len(letters)-1)
			letters[at] = []rune("жщэx")[r.IntN(4)]
			typed[i] = string(letters)
		}
		return strings.Join(typed, " ")
	}

	switch n / 2 % 10 {
	case 0:
		return strings.Repeat("ы", 5000) // 10,000 bytes
	case 1:
		return strings.Repeat("ламп ", 500)
	case 2:
		return strings.Repeat("а", 500) + fmt.Sprint(n)
	case 3:
		return `%_[]*^$\(.+)+$|(a|a)*' OR 1=1 -- ` + fmt.Sprint(n)
	case 4:
		return wrong(32)
	case 5:
		return wrong(12)
	case 6:
		return wrong(3)
	case 7: // a beginning with an error
		letters := []rune(wrong(1))
		return string(letters[:min(len(letters), 4+r.IntN(5))])
	case 8:
		return string([]rune(words[0])[:1+r.IntN(2)])
	default:
		return strings.Join(strings.Split(words[0], ""), "-") + wrong(1)
	}
}
