package e2e

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
)

// Prices in lists, lists, groups and the groups of customers and keys follow the rule of all writes: the next read sees
// them, on every node, while other readers fill the caches of both nodes.
func TestPrices_areSeenByTheNextReadOnEachNode(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		p := newPriceShop(t, s)
		other := *p
		other.Server = s.StartNode()
		nodes := []*priceShop{p, &other}
		ends := p.readMeanwhile(nodes)
		defer ends()

		groups := slices.SortedFunc(maps.Keys(p.groups), func(a, b string) int {
			return len(p.groups[a]) - len(p.groups[b])
		})
		group := groups[2]
		anna := signIn(s, "anna@shop.example")
		annaPath := "/v2/customers/" + anna.Text("data.customer.id")
		key, token := p.NewKey(access.NewKey{Kind: access.PublishableKey,
			GroupID: new(mustID[access.CustomerGroup](groups[0]))})
		readers := []shopReader{{"a customer", anna.Text("data.token"), nil}, {"a key", token, p.groups[groups[0]]},
			{"a guest", p.Publishable, nil}}

		check := func() {
			t.Helper()
			for _, node := range nodes {
				for _, r := range readers {
					node.checkLists(r)
					node.checkVariants(r)
				}
			}
		}

		check()
		for _, step := range []struct {
			name   string
			change func()
		}{
			{"the group of a customer", func() {
				s.OK(200, "PUT", annaPath, map[string]any{"group_id": group})
				readers[0].lists = p.groups[group]
			}},
			{"prices in lists", func() { p.changeListPrices(0) }},
			{"prices without a list", func() { p.changeBasePrice(p.products[1]) }},
			{"the lists of a group", func() {
				s.OK(200, "PUT", "/v2/customer-groups/"+group,
					map[string]any{"price_lists": []string{p.lists[1], p.lists[2]}})
				readers[0].lists = []int{1, 2}
			}},
			{"the group of a key", func() {
				r := s.DoAdmin("PUT", "/api/store/keys/"+key.ID.String(), map[string]any{"group_id": group})
				p.want(200, r)
				readers[1].lists = []int{1, 2}
			}},
			{"prices in lists again", func() { p.changeListPrices(1) }},
			{"the list of old prices", func() { p.changeListPrices(listCount - 1) }},
			{"a list that is deleted", func() {
				s.OK(204, "DELETE", "/v2/price-lists/"+p.lists[1], nil)
				readers[0].lists, readers[1].lists = []int{2}, []int{2}
			}},
			{"a list that takes the place of a deleted one", func() {
				p.lists[1] = s.OK(201, "POST", "/v2/price-lists", `{"name":"next"}`).Text("data.id")
				for _, product := range p.products {
					for _, v := range product.variants {
						delete(v.lists, 1)
					}
				}
				s.OK(200, "PUT", "/v2/customer-groups/"+group,
					map[string]any{"price_lists": []string{p.lists[1], p.lists[2]}})
				readers[0].lists, readers[1].lists = []int{1, 2}, []int{1, 2}
			}},
			{"prices of that list", func() { p.changeListPrices(1) }},
			{"a group that is deleted", func() {
				s.OK(204, "DELETE", "/v2/customer-groups/"+group, nil)
				readers[0].lists, readers[1].lists = nil, nil
			}},
		} {
			step.change()
			check()
			if t.Failed() {
				t.Fatalf("after a change of %s", step.name)
			}
		}
	}, apitest.Alone())
}

// readMeanwhile reads lists on all nodes, as readers of all groups, until the result is called.
func (p *priceShop) readMeanwhile(nodes []*priceShop) (end func()) {
	done := make(chan struct{})
	var group sync.WaitGroup

	for id := range p.groups {
		key := p.newGroupKey(id)
		for _, node := range nodes {
			group.Go(func() {
				for {
					for _, path := range []string{"/v2/products?sort=price&with=variants", "/v2/products?with=facets"} {
						read, err := node.Try("GET", path, nil, apitest.As(key))
						if err != nil || read.Status != http.StatusOK {
							p.t.Errorf("a reader meanwhile: %v %v", read, err)
							return
						}
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
	}

	return func() { close(done); group.Wait() }
}

// changeListPrices gives every other product new prices in a list, for one and from ten on, by the API.
func (p *priceShop) changeListPrices(list int) {
	for i, product := range p.products {
		if i%2 > 0 {
			continue
		}
		for _, v := range product.variants {
			one, ten := p.newPrice(), p.newPrice()
			p.OK(200, "PUT", "/v2/products/"+product.id+"/variants/"+v.id, map[string]any{"price_lists": []any{
				map[string]any{"price_list_id": p.lists[list], "from_quantity": 0.5, "price": nil},
				map[string]any{"price_list_id": p.lists[list], "from_quantity": 1, "price": one / 10_000},
				map[string]any{"price_list_id": p.lists[list], "from_quantity": 10, "price": ten / 10_000}}})
			v.lists[list] = []pricing.Step{{From: 1000, Price: one}, {From: 10_000, Price: ten}}
			p.prices[one], p.prices[ten] = true, true
		}
	}
}

// changeBasePrice gives the variants of a product new prices of their own.
func (p *priceShop) changeBasePrice(product *pricedProduct) {
	for _, v := range product.variants {
		price := p.newPrice()
		p.OK(200, "PUT", "/v2/products/"+product.id+"/variants/"+v.id, map[string]any{"price": price / 10_000})
		v.base = money.NewPrice(price)
	}
}
