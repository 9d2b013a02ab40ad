package e2e

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// priceShop is a store in which every price of every list, variant and step occurs once.
type priceShop struct {
	*apitest.Server
	t        *testing.T
	lists    []string             // ids
	groups   map[string][]int     // by id: indexes of lists
	products []*pricedProduct     // in the order in which they were created
	prices   map[money.Money]bool // of all lists
	next     money.Money
	size     attribute          // an option: the first variant of each product has its first value, and so on
	kind     attribute          // a feature
	routes   httpapi.RouteTable // of the API, to find the route of a request
	walked   map[string]bool
}

type pricedProduct struct {
	id       string
	category string
	variants []*pricedVariant
}

type pricedVariant struct {
	id    string
	base  money.Price
	lists map[int][]pricing.Step // by the index of the list
}

// shopReader is somebody who reads the shop: a token, and the lists whose prices they get.
type shopReader struct {
	name  string
	token string
	lists []int
}

const listCount = 4 // the last is that of the old prices

// newPriceShop creates products in two categories. The steps of list l begin at 0.5, 1 or 10, or there are none.
func newPriceShop(t *testing.T, s *apitest.Server) *priceShop {
	p := &priceShop{Server: s, t: t, groups: map[string][]int{}, prices: map[money.Money]bool{}, next: 200_000,
		size:   createAttribute(s, optionsPath, "S", "M", "L"),
		walked: map[string]bool{}}
	p.kind = parseAttribute(s.OK(201, "POST", featuresPath+"?with=values",
		map[string]any{"name": "Kind", "filterable": true, "values": newValues("old", "new")}))
	p.indexRoutes()
	for i := range listCount {
		list := s.OK(201, "POST", "/v2/price-lists", map[string]any{"name": fmt.Sprint("list ", i)}).Text("data.id")
		p.lists = append(p.lists, list)
	}
	categories := []string{createNamed(s, "/v2/categories", "first"), createNamed(s, "/v2/categories", "second")}

	for i := range 6 {
		product := &pricedProduct{category: categories[i%2]}
		var variants []map[string]any
		for j := range 1 + i%3 {
			v := &pricedVariant{base: money.NewPrice(p.newPrice()), lists: map[int][]pricing.Step{}}
			body := newVariant(fmt.Sprint("s", i, j), p.size.asOption(j))
			if body["price"] = *v.base.OrNil() / 10_000; (i+j)%5 == 4 {
				v.base = money.Price{}
				body["price"] = nil
			}
			product.variants = append(product.variants, v)
			variants = append(variants, body)
		}

		r := s.OK(201, "POST", "/v2/products", map[string]any{"name": fmt.Sprint("product ", i),
			"categories": []string{product.category}, "variants": variants,
			"features": []any{map[string]any{"feature_id": p.kind.id, "value_id": p.kind.values[i%2]}}})
		product.id = r.Text("data.id")
		for j, v := range product.variants {
			v.id = r.Text(fmt.Sprintf("data.variants.%d.id", j))
			p.setListPrices(product, v, i+j)
		}
		p.products = append(p.products, product)
	}

	for _, lists := range [][]int{{0}, {1, 0}, {2, 1, 0}} {
		var ids []string
		for _, at := range lists {
			ids = append(ids, p.lists[at])
		}
		group := s.OK(201, "POST", "/v2/customer-groups",
			map[string]any{"name": fmt.Sprint("group ", lists), "price_lists": ids}).Text("data.id")
		p.groups[group] = lists
	}
	s.DoAdmin("PUT", "/api/store/settings", map[string]any{"old_price_list": p.lists[listCount-1]})
	return p
}

// newPrice returns a price that no other variant, list or step has.
func (p *priceShop) newPrice() money.Money {
	p.next += 7
	return money.Money(p.next%100_000*7919%100_000+200_000) * 10_000
}

// setListPrices gives a variant its prices in the lists. The number n decides which lists have which steps.
func (p *priceShop) setListPrices(product *pricedProduct, v *pricedVariant, n int) {
	for list := range listCount {
		for at, from := range []money.Quantity{500, 1000, 10_000} {
			if (n+list+at)%3 == 0 || (n+list)%4 == 3 {
				continue
			}
			price := p.newPrice()
			v.lists[list] = append(v.lists[list], pricing.Step{From: from, Price: price})
			p.prices[price] = true
			p.putPrice(product.id, v.id, p.lists[list], from, price)
		}
	}
}

// putPrice writes a price of a list.
func (p *priceShop) putPrice(product, variant, list string, from money.Quantity, price money.Money) {
	p.Write(func(ctx context.Context, q database.Querier) error {
		tx := store.In(q, p.StoreID)
		err := database.Exec(ctx, tx, "INSERT INTO variant_prices (store_id, variant_key, list_key, from_quantity, "+
			"price) SELECT $1, v.key, l.key, $4, $5 FROM variants v CROSS JOIN price_lists l "+
			"WHERE v.store_id = $1 AND v.id = $2 AND l.store_id = $1 AND l.id = $3",
			mustID[catalog.Variant](variant), mustID[catalog.PriceList](list), int64(from), int64(price))
		if err != nil {
			return err
		}

		var key int64
		err = database.QueryRow(ctx, tx, "SELECT key FROM products WHERE store_id = $1 AND id = $2",
			[]any{mustID[catalog.Product](product)}, &key)
		if err != nil {
			return err
		}
		return p.App.Catalog.Products.RecordChanges(ctx, tx, key)
	})
}

func mustID[T any](text string) id.Of[T] {
	v, err := id.Parse[T](text)
	if err != nil {
		panic(err)
	}
	return v
}

// pricesFor returns the prices of a variant for a reader.
func (v *pricedVariant) pricesFor(r shopReader) pricing.Prices {
	prices := pricing.Prices{Base: v.base}
	for _, list := range r.lists {
		prices.Lists = append(prices.Lists, v.lists[list])
	}
	return prices
}

// price returns the price of one for a reader.
func (v *pricedVariant) price(r shopReader) (money.Money, bool) {
	prices := v.pricesFor(r)
	price, _ := prices.At(pricing.One)
	return price.Amount()
}

// lowest returns the lowest price of a product for a reader.
func (p *pricedProduct) lowest(r shopReader) (lowest money.Money, ok bool) {
	for _, v := range p.variants {
		if price, has := v.price(r); has && (!ok || price < lowest) {
			lowest, ok = price, true
		}
	}
	return lowest, ok
}

// newReaders returns every kind of reader.
func (p *priceShop) newReaders() (list []shopReader) {
	list = append(list, shopReader{"a guest", p.Publishable, nil}, shopReader{"a secret key", p.Secret, nil},
		shopReader{"a customer without a group", signIn(p.Server, "nobody@shop.example").Text("data.token"), nil})
	for n, group := range slices.Sorted(maps.Keys(p.groups)) {
		lists := p.groups[group]
		key := p.newGroupKey(group)
		list = append(list, shopReader{fmt.Sprint("a key of ", lists), key, lists})

		customer := signIn(p.Server, fmt.Sprintf("c%d@shop.example", n))
		p.OK(200, "PUT", "/v2/customers/"+customer.Text("data.customer.id"), map[string]any{"group_id": group})
		list = append(list, shopReader{fmt.Sprint("a customer of ", lists), customer.Text("data.token"), lists})

		came := *p.Server
		came.Publishable = key
		visitor := signIn(&came, fmt.Sprintf("v%d@shop.example", n))
		list = append(list,
			shopReader{fmt.Sprint("a customer by the key of ", lists), visitor.Text("data.token"), lists})
	}

	// A customer of the first group, who came by the key of the last.
	groups := slices.SortedFunc(maps.Keys(p.groups), func(a, b string) int {
		return cmp.Compare(len(p.groups[a]), len(p.groups[b]))
	})
	came := *p.Server
	came.Publishable = p.newGroupKey(groups[2])
	both := signIn(&came, "both@shop.example")
	p.OK(200, "PUT", "/v2/customers/"+both.Text("data.customer.id"), map[string]any{"group_id": groups[0]})
	return append(list, shopReader{"a customer with a group by a key with another", both.Text("data.token"),
		p.groups[groups[0]]})
}

func (p *priceShop) newGroupKey(group string) string {
	_, token := p.NewKey(access.NewKey{Kind: access.PublishableKey, GroupID: new(mustID[access.CustomerGroup](group))})
	return token
}

var sixDigits = regexp.MustCompile(`\b[2]\d{5}\b`)

// wantOwnPrices fails the test if the text has a price of a list that is not the reader's.
func (p *priceShop) wantOwnPrices(r shopReader, what, text string) {
	p.t.Helper()
	allowed := map[money.Money]bool{}
	for _, product := range p.products {
		for _, v := range product.variants {
			prices := v.pricesFor(r)
			for _, s := range prices.Steps() {
				allowed[s.Price] = true
			}
			for _, quantity := range []money.Quantity{300, 500, 1000} {
				if price, _ := prices.At(quantity); price.IsSet() {
					allowed[*price.OrNil()] = true
				}
			}
			one, _ := prices.At(pricing.One)
			if old, ok := pricing.OldPrice(one, v.lists[listCount-1]).Amount(); ok {
				allowed[old] = true
			}
		}
	}

	for _, number := range sixDigits.FindAllString(text, -1) {
		n, _ := strconv.ParseInt(number, 10, 64)
		if price := money.Money(n * 10_000); p.prices[price] && !allowed[price] {
			p.t.Errorf("%s: %s has the price %s of another list", r.name, what, number)
		}
	}
}

// get reads a path as a reader, and checks that the response shows no price of others.
func (p *priceShop) get(r shopReader, path string) *apitest.Response {
	p.t.Helper()
	read := p.send(r, "GET", path, nil)
	if read.Status != http.StatusOK {
		p.t.Fatalf("%s: %s is %d %s", r.name, path, read.Status, read.Problem())
	}
	return read
}

// send sends a request as a reader, and checks that the response shows no price of others, in its body or in its
// headers, and that no shared cache keeps what depends on the customer.
func (p *priceShop) send(
	r shopReader, method, path string, body any, options ...apitest.RequestOption,
) *apitest.Response {
	p.t.Helper()
	p.markWalked(method, path)
	read := p.Do(method, path, body, append([]apitest.RequestOption{apitest.As(r.token)}, options...)...)
	what := method + " " + path
	p.wantOwnPrices(r, what, string(read.Body))
	for name, values := range read.Header {
		p.wantOwnPrices(r, what+": "+name, strings.Join(values, " "))
	}

	control := read.Header.Get("Cache-Control")
	if !strings.HasPrefix(r.name, "a key") && r.name != "a guest" && strings.Contains(control, "public") {
		p.t.Errorf("%s: %s is %s", r.name, what, control)
	}
	if !strings.Contains(strings.Join(read.Header.Values("Vary"), ","), "Authorization") {
		p.t.Errorf("%s: %s does not vary by the credential", r.name, what)
	}
	return read
}

// TestPrices_ofOtherGroupsLeakNowhere lets every kind of reader walk the routes that shoppers reach, in a store in
// which each price occurs once. Readers take turns on each path, so that shared caches would mix them up.
func TestPrices_ofOtherGroupsLeakNowhere(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		p := newPriceShop(t, s)
		readers := p.newReaders()
		one := p.products[2]

		paths := []string{"/v2/products", "/v2/products?with=variants", "/v2/products?with=variants,prices&dates=iso",
			"/v2/products?with=facets&dates=iso", "/v2/products?sort=price", "/v2/products?sort=-price&dates=iso",
			"/v2/products?q=product&with=facets,variants",
			"/v2/suggest?q=product&limit=20", "/v2/products?ids=" + one.id + "&with=variants",
			"/v2/products?category=" + one.category + "&sort=price&with=facets",
			"/v2/products?price[from]=220000&price[to]=270000&with=facets&dates=iso",
			"/v2/products?in_stock=true&sort=price", "/v2/products/" + one.id,
			"/v2/products/by-slug/" + p.Get("/v2/products/"+one.id).Text("data.slug"),
			"/v2/products/" + one.id + "?with=prices", "/v2/products/" + one.id + "?dates=iso",
			"/v2/products/" + one.id + "/variants", "/v2/products/" + one.id + "/variants?with=prices",
			"/v2/products/" + one.id + "/variants/" + one.variants[0].id,
			"/v2/products/" + one.id + "/variants/" + one.variants[0].id + "?with=prices&dates=iso",
			"/v2/products?price[from]=220000&price[to]=270000&options[" + p.size.id + "][]=" + p.size.values[0] +
				"&with=facets&dates=iso", "/v2/products?sort=price&page=1000",
			"/v2/products?price=220000..270000&with=facets&dates=iso", "/v2/products?price=..250000&sort=-price",
			"/v2/products?sort=popularity&with=variants,prices",
			"/v2/products?sort=popularity&price=220000..&dates=iso",
			"/v2/products/" + one.id + "?with=jsonld", "/v2/products/" + one.id + "?with=jsonld,prices&dates=iso",
			"/v2/products/by-slug/" + p.Get("/v2/products/"+one.id).Text("data.slug") + "?with=jsonld"}
		for _, path := range paths {
			p.get(readers[0], path) // a path with a mistake would show no prices to anybody
		}
		paths = append(paths, "/v2/products/"+unknownID, "/v2/products?price[from]=many")
		paths = append(paths, p.otherPaths()...)

		for range 3 { // from SQL, from the columns, and from the caches
			for _, path := range paths {
				p.checkTags(path, readers)
			}
			for _, r := range readers {
				p.checkLists(r)
				p.checkVariants(r)
			}
		}

		for _, r := range readers {
			p.checkCart(r)
		}
		p.wantAllRoutesWalked()
	})
}

// checkTags reads a path as all readers. Readers who get other prices get another ETag, and no 304 by the ETag of
// another reader.
func (p *priceShop) checkTags(path string, readers []shopReader) {
	p.t.Helper()
	reads := make([]*apitest.Response, len(readers))
	for i, r := range readers {
		reads[i] = p.send(r, "GET", path, nil)
	}

	for i, r := range readers {
		for j, other := range reads {
			tag := other.Header.Get("ETag")
			if tag == "" || slices.Equal(shownPrices(reads[i]), shownPrices(other)) {
				continue
			}
			if tag == reads[i].Header.Get("ETag") {
				p.t.Errorf("%s: %s has the ETag of %s", r.name, path, readers[j].name)
			}
			if (i+j)%5 > 0 {
				continue // a sample
			}
			again := p.send(r, "GET", path, nil, apitest.Header("If-None-Match", tag))
			if again.Status != http.StatusOK {
				p.t.Errorf("%s: %s with the ETag of %s is %d", r.name, path, readers[j].name, again.Status)
			}
		}
	}
}

// shownPrices returns the prices in a response.
func shownPrices(r *apitest.Response) []string { return sixDigits.FindAllString(string(r.Body), -1) }

// checkLists compares order, filter, totals and facets of lists with the reader's own prices.
func (p *priceShop) checkLists(r shopReader) {
	p.t.Helper()
	sorted := slices.Clone(p.products)
	slices.SortStableFunc(sorted, func(a, b *pricedProduct) int {
		x, hasX := a.lowest(r)
		y, hasY := b.lowest(r)
		if !hasX || !hasY {
			return cmp.Compare(strconv.FormatBool(hasY), strconv.FormatBool(hasX))
		}
		return cmp.Compare(x, y)
	})
	var want []string
	for _, product := range sorted {
		want = append(want, product.id)
	}
	if got := p.get(r, "/v2/products?sort=price").Texts("data", "id"); !slices.Equal(got, want) {
		p.t.Errorf("%s: sorted by price %v, want %v", r.name, got, want)
	}

	const from, to = money.Money(220_000 * 10_000), money.Money(270_000 * 10_000)
	total := 0
	byCategory := map[string]int{}
	bySize := map[string]int{}
	byKind := map[string]int{}
	least, most := money.Money(1<<60), money.Money(0)
	for i, product := range p.products {
		matches := false
		for j, v := range product.variants {
			price, ok := v.price(r)
			if !ok {
				continue
			}
			least, most = min(least, price), max(most, price)
			if price >= from && price <= to {
				matches = true
				bySize[p.size.values[j]]++
			}
		}
		if matches {
			total++
			byKind[p.kind.values[i%2]]++
			byCategory[product.category]++
		}
	}

	found := p.get(r, "/v2/products?price[from]=220000&price[to]=270000&with=facets")
	if got := found.Text("meta.total"); got != strconv.Itoa(total) {
		p.t.Errorf("%s: %s products in the range, want %d", r.name, got, total)
	}
	if got, want := found.Text("meta.facets.price.min")+" "+found.Text("meta.facets.price.max"),
		fmt.Sprint(int64(least)/10_000, " ", int64(most)/10_000); got != want {
		p.t.Errorf("%s: the facet of prices is %s, want %s", r.name, got, want)
	}
	for facet, want := range map[string]map[string]int{"meta.facets.categories": byCategory,
		"meta.facets.options.0.values": bySize, "meta.facets.features.0.values": byKind} {
		got := map[string]int{}
		for i, value := range found.Texts(facet, "id") {
			got[value], _ = strconv.Atoi(found.Text(fmt.Sprintf("%s.%d.count", facet, i)))
		}
		if !maps.Equal(got, want) {
			p.t.Errorf("%s: %s is %v, want %v", r.name, facet, got, want)
		}
	}
}

// checkVariants compares prices, steps and old prices of variants, on all routes that show them.
func (p *priceShop) checkVariants(r shopReader) {
	p.t.Helper()
	list := p.get(r, "/v2/products?with=variants,prices")
	for i, product := range p.products {
		single := p.get(r, "/v2/products/"+product.id+"?with=prices")
		variants := p.get(r, "/v2/products/"+product.id+"/variants?with=prices")
		for j, v := range product.variants {
			prices := v.pricesFor(r)
			price, _ := prices.At(pricing.One)
			want := amountText(price) + " " + amountText(pricing.OldPrice(price, v.lists[listCount-1]))
			for _, s := range prices.Steps() {
				want += fmt.Sprintf(" %s:%d", s.From.Text(), int64(s.Price)/10_000)
			}

			for path, read := range map[string]*apitest.Response{
				fmt.Sprintf("data.%d.variants.%d.", i, j): list, fmt.Sprintf("data.variants.%d.", j): single,
				fmt.Sprintf("data.%d.", j): variants,
			} {
				got := read.Text(path+"price") + " " + read.Text(path+"old_price")
				for k := range read.Len(path + "prices") {
					at := fmt.Sprintf("%sprices.%d.", path, k)
					got += " " + read.Text(at+"from_quantity") + ":" + read.Text(at+"price")
				}
				if got != want {
					p.t.Errorf("%s: %s is %s, want %s", r.name, path, got, want)
				}
			}
		}
	}
}

func amountText(price money.Price) string {
	if amount, ok := price.Amount(); ok {
		return strconv.FormatInt(int64(amount)/10_000, 10)
	}
	return "null"
}

// checkCart puts variants into a cart, in several quantities, and submits it. Every reader of the cart sees the prices
// of the reader who made it.
func (p *priceShop) checkCart(r shopReader) {
	p.t.Helper()
	if r.token == p.Secret {
		return
	}

	for _, product := range p.products {
		for _, v := range product.variants {
			for _, quantity := range []money.Quantity{300, 1000, 9000, 10_000} {
				prices := v.pricesFor(r)
				want, _ := prices.At(quantity)
				line := map[string]any{"variant_id": v.id, "quantity": float64(quantity) / 1000}
				if !want.IsSet() {
					if got := p.send(r, "POST", ordersPath, orderItems(line)).Problem(); got != "409 not_for_sale" {
						p.t.Errorf("%s: %s of a variant without a price is %s", r.name, quantity.Text(), got)
					}
					continue
				}

				made := p.want(201, p.send(r, "POST", ordersPath, orderItems(line)))
				path := ordersPath + "/" + made.Text("data.id")
				token := apitest.Header("X-Order-Token", made.Text("data.order_token"))
				for _, read := range []*apitest.Response{made, p.Get(path, apitest.As(r.token), token),
					p.Get(path, apitest.As(p.Publishable), token), p.Get(path)} {
					if got := read.Text("data.items.0.price"); got != amountText(want) {
						p.t.Errorf("%s: %s of a variant cost %s each, want %s", r.name, quantity.Text(), got,
							amountText(want))
					}
				}
				if made.Has("data.items.0.price_list_id") {
					p.t.Errorf("%s sees the price list of an item", r.name)
				}
			}
		}
	}
	p.checkSubmit(r)
	p.checkReplays(r)
}

// checkReplays repeats requests with an Idempotency-Key that all readers use. Each gets the response to its own
// request.
func (p *priceShop) checkReplays(r shopReader) {
	p.t.Helper()
	v := p.products[2].variants[1]
	prices := v.pricesFor(r)
	want, _ := prices.At(10_000)
	key := apitest.Header("Idempotency-Key", "the-same-key-of-all-readers")

	var made, done [2]string // the id and the price, at first and in the replay
	var path string
	var token apitest.RequestOption
	for i := range made {
		cart := p.want(201, p.send(r, "POST", ordersPath, orderItems(orderLine(v.id, 10)), key))
		made[i] = cart.Text("data.id") + " " + cart.Text("data.items.0.price")
		path = ordersPath + "/" + cart.Text("data.id")
		token = apitest.Header("X-Order-Token", cart.Text("data.order_token"))
	}
	for i := range done {
		order := p.want(200, p.send(r, "POST", path+"/submit", submissionBody, token, key))
		done[i] = order.Text("data.id") + " " + order.Text("data.items.0.price")
	}

	own := strings.TrimPrefix(path, ordersPath+"/") + " " + amountText(want)
	if made != [2]string{own, own} || done != made {
		p.t.Errorf("%s: the carts are %q and the orders %q, want %q", r.name, made, done, own)
	}
}

// want fails the test unless the response has this status.
func (p *priceShop) want(status int, r *apitest.Response) *apitest.Response {
	p.t.Helper()
	if r.Status != status {
		p.t.Fatalf("%d, want %d: %s", r.Status, status, r.Body)
	}
	return r
}

// checkSubmit changes and submits a cart and checks the frozen line.
func (p *priceShop) checkSubmit(r shopReader) {
	p.t.Helper()
	v := p.products[2].variants[1]
	prices := v.pricesFor(r)
	want, at := prices.At(10_000)
	list := "null"
	if at >= 0 {
		list = p.lists[r.lists[at]]
	}

	made := p.want(201, p.send(r, "POST", ordersPath, orderItems(orderLine(v.id, 1))))
	path := ordersPath + "/" + made.Text("data.id")
	token := apitest.Header("X-Order-Token", made.Text("data.order_token"))
	item := path + "/items/" + made.Text("data.items.0.id")
	p.want(200, p.send(r, "PUT", item, `{"quantity":10}`, token))
	p.want(200, p.send(r, "PUT", path, `{"comment":"Soon"}`, token))
	added := p.send(r, "POST", path+"/items", orderLine(p.products[3].variants[0].id, 12), token)
	if last := added.Len("data.items") - 1; last > 0 {
		p.send(r, "DELETE", path+"/items/"+added.Text(fmt.Sprintf("data.items.%d.id", last)), nil, token)
	}
	p.want(200, p.send(r, "GET", path, nil, token))

	done := p.want(200, p.send(r, "POST", path+"/submit", submissionBody, token))
	p.send(r, "GET", ordersPath, nil)

	if done.Has("data.items.0.price_list_id") {
		p.t.Errorf("%s sees the price list of a submitted item", r.name)
	}
	if kept := p.Get(path); kept.Text("data.items.0.price") != amountText(want) ||
		kept.Text("data.items.0.price_list_id") != list {
		p.t.Errorf("%s: the submitted line is %s of list %s, want %s of %s", r.name, kept.Text("data.items.0.price"),
			kept.Text("data.items.0.price_list_id"), amountText(want), list)
	}
}
