package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/internal/shop/account"
)

// The attacks in this file read a large store, the slowest way that its visitors and operators can.

const (
	pagesAttack  = "P1"
	facetsAttack = "P2"

	// largeProducts is the number of products of the large store, and largeOrders that of its orders.
	largeProducts, largeOrders = 100_000, 250
	// smallSearchMemory is the setting with which the large store is searched with SQL.
	smallSearchMemory = "4"

	viewerEmail, viewerPassword = "viewer@example.com", "viewer-password-1"
)

func loadAttacks() []attack {
	return []attack{
		{pagesAttack, "slow pages of a large store, by 40 clients of one viewer", false, attackPages},
		{facetsAttack, "facets and sorts of a store that is searched with SQL", false, attackFacets},
	}
}

// needsLargeStore reports whether an attack reads the large store.
func (at attack) needsLargeStore() bool { return at.name == pagesAttack || at.name == facetsAttack }

// serverFlags are the settings that an attack needs beside the default ones.
func (at attack) serverFlags() []string {
	switch at.name {
	case facetsAttack:
		return []string{"--search-memory", smallSearchMemory}
	case spoolAttack:
		return []string{"--spool-limit", smallSpool}
	}
	return nil
}

// maxOrdinary returns the limit of the 99th percentile of the other store's ordinary client. Pages of the
// administration must not delay other stores at all. The line without an attack says whether the machine itself is too
// busy.
func (at attack) maxOrdinary() time.Duration {
	if at.name == pagesAttack {
		return maxOrdinaryBesidePages
	}
	return maxOrdinary
}

// createLargeStore creates the large store with its products and an operator who can only read. The server must not be
// running.
func (t *target) createLargeStore(ctx context.Context, binary string) error {
	if err := createStore(ctx, binary, t.data, &t.large); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"demo", "--products", strconv.Itoa(largeProducts), "--pictures", "0"},
		{"admin", "create", "--email", viewerEmail, "--role", "viewer", "--password", viewerPassword},
	} {
		args = append(args, "--data", t.data, "--store", t.large.StoreID.String())
		if out, err := exec.CommandContext(ctx, binary, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", args[0], err, lastBytes(string(out), 1000))
		}
	}
	return nil
}

// createStore runs the command that creates a store.
func createStore(ctx context.Context, binary, data string, s *account.ProvisionedStore) error {
	out, err := exec.CommandContext(ctx, binary, "store", "create", "--data", data, "--json").Output()
	if err != nil {
		return fmt.Errorf("create a store: %w", err)
	}
	return json.Unmarshal(out, s)
}

// orderInLargeStore submits orders from several addresses, within the limits of each.
func (t *target) orderInLargeStore(ctx context.Context) error {
	reader := newAttacker(t, "127.0.0.1")
	list := func() ([]string, error) {
		return reader.firstIDs(ctx, t.large.PublishableKey, variantLists+"&in_stock=true", "variants", largeOrders)
	}
	variants, err := list()
	for err != nil && ctx.Err() == nil { // the products are being read into memory
		time.Sleep(time.Second)
		variants, err = list()
	}

	if err != nil {
		return err
	}

	const perAddress = 25
	for from := 0; from < largeOrders; from += perAddress {
		a := newAttacker(t, fmt.Sprintf("127.0.2.%d", 1+from/perAddress))
		for i := from; i < from+perAddress; i++ {
			cart := fmt.Appendf(nil, `{"items":[{"variant_id":%q,"quantity":1}]}`, variants[i%len(variants)])
			_, body := a.send(ctx, http.MethodPost, "/v2/orders", t.large.SecretKey, cart)
			var created struct {
				Data struct{ ID string }
			}
			if err := json.Unmarshal(body, &created); err != nil || created.Data.ID == "" {
				return fmt.Errorf("create an order: %.300s", body)
			}

			contact := fmt.Appendf(nil, `{"contact":{"name":"Nina %d","email":"nina%d@example.com"}}`, i, i)
			if status, body := a.send(ctx, http.MethodPost, "/v2/orders/"+created.Data.ID+"/submit",
				t.large.SecretKey, contact); status != 200 && status != 409 { // some variants are sold out
				return fmt.Errorf("submit an order: %d %.300s", status, body)
			}
		}

		a.client.CloseIdleConnections()
	}

	return nil
}

// attackPages reads the slowest pages and files of the administration of a large store.
func attackPages(ctx context.Context, a *attacker) error {
	status, cookies := a.signIn(ctx, viewerEmail, viewerPassword, nil)
	if status != http.StatusSeeOther {
		return fmt.Errorf("the viewer cannot sign in: %d", status)
	}
	var session []string
	for _, c := range cookies {
		session = append(session, c.Name+"="+c.Value)
	}
	cookie := header{"Cookie", strings.Join(session, "; ")}
	pages := []string{"/stock?state=low&low=0.001&q=a", "/orders.csv", "/search?q=n", "/stock?q=a", "/products?q=a",
		"/"}
	flood(ctx, 40, 1_000_000, func(i int) {
		a.sendTo(ctx, a.admin, http.MethodGet, pages[i%len(pages)], nil, cookie)
	})
	return nil
}

// attackFacets asks for facets and sorted lists, from several addresses.
func attackFacets(ctx context.Context, a *attacker) error {
	paths := []string{"/v2/products?with=facets", "/v2/products?with=facets&sort=price",
		"/v2/products?sort=-name&page=900",
		"/v2/products?with=facets&q=a", "/v2/products?sort=-price&in_stock=true"}
	var group sync.WaitGroup
	for i := range 6 {
		client := newAttacker(a.target, fmt.Sprintf("127.0.3.%d", i+1))
		group.Go(func() {
			flood(ctx, 2, 1_000_000, func(n int) {
				status, _ := client.send(ctx, http.MethodGet, paths[(i+n)%len(paths)], a.large.PublishableKey, nil)
				a.countResponse(ctx, status, ctx.Err())
			})
		})
	}
	group.Wait()
	return nil
}

// anyNeedsLargeStore reports whether one of the attacks reads the large store.
func anyNeedsLargeStore(list []attack) bool { return slices.ContainsFunc(list, attack.needsLargeStore) }
