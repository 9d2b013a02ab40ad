package mixed

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func newTestStorefront() *choices {
	front := &choices{words: []string{"red shoe", "coat", "lamp"}}
	for i := range 1000 {
		front.products = append(front.products, fmt.Sprint("p", i))
	}
	for i := range 20 {
		front.categories = append(front.categories, browsedCategory{
			id: fmt.Sprint("c", i), total: 60,
			features: facetParams("features", []facetValues{
				{ID: "f", Values: []facetValue{{ID: "rare", Count: 1}, {ID: "common", Count: 9}}}, {ID: "empty"},
			}),
			options: facetParams("options", []facetValues{{ID: "o", Values: []facetValue{{ID: "v", Count: 1}}}}),
			prices:  []string{"&price%5Bto%5D=10.00", "&price%5Bto%5D=20.00"},
		})
	}
	return front
}

func TestTrafficSource_hasSharesAndRepeatsBySeed(t *testing.T) {
	const n = 10_000
	first := newTrafficSource(newTestStorefront(), "k", 1)
	again := newTrafficSource(newTestStorefront(), "k", 1)
	other := newTrafficSource(newTestStorefront(), "k", 2)
	var counts [requestKinds]int
	same := 0
	popular := map[string]int{}

	for range n {
		kind, path := first.nextPath()
		if k, p := again.nextPath(); k != kind || p != path {
			t.Fatalf("the same seed gives %s %s and %s %s", kind, path, k, p)
		}

		if _, p := other.nextPath(); p == path {
			same++
		}

		counts[kind]++
		popular[path]++
	}

	for kind, percent := range [requestKinds]int{40, 25, 25, 10} {
		if got := counts[kind] * 100 / n; got < percent-2 || got > percent+2 {
			t.Errorf("%d %% of the requests are of kind %s, want %d %%", got, requestKind(kind), percent)
		}
	}

	if same > n/10 {
		t.Errorf("%d of %d requests are the same with another seed", same, n)
	}
	if head, tail := popular["/v2/products/p0"], popular["/v2/products/p900"]; head < 10*max(tail, 1) {
		t.Errorf("the most popular product is requested %d times, one of the last %d times", head, tail)
	}
}

func TestTrafficSource_requestsValidLists(t *testing.T) {
	source := newTrafficSource(newTestStorefront(), "k", 1)
	var filters [3]int // by their number
	pages := map[string]int{}
	for range 10_000 {
		kind, path := source.nextPath()
		if kind == productRequest {
			continue
		}

		_, query, _ := strings.Cut(path, "?")
		params, err := url.ParseQuery(query)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}

		count := 0
		for name, values := range params {
			if len(values) != 1 || values[0] == "" {
				t.Fatalf("%s has the values %q of %s", path, values, name)
			}
			if strings.Contains(name, "[") {
				count++
			}
		}

		if hasFilter := count > 0; hasFilter != (kind == filterRequest) || count > 2 {
			t.Fatalf("the %s request %s has %d filters", kind, path, count)
		}

		filters[count]++
		if page := params.Get("page"); page != "" {
			pages[params.Get("per_page")+" page "+page]++
		}
	}

	if filters[1] == 0 || filters[2] == 0 {
		t.Errorf("the numbers of requests by their number of filters are %v, want some with one and with two", filters)
	}

	// 60 products have three pages of 24 and two pages of 50.
	if len(pages) != 3 || pages["24 page 2"] == 0 || pages["24 page 3"] == 0 || pages["50 page 2"] == 0 {
		t.Errorf("the requests for further pages are %v", pages)
	}
}
