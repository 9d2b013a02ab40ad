package app_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
)

// Under a mixed load on a shop of constant size, the program holds as much memory and as many goroutines and
// descriptors at the end as in the middle. The load lasts a few seconds, and with VITRINE_PROVE two minutes on each
// database.
func TestSoak_holdsNoMoreAtTheEndThanInTheMiddle(t *testing.T) {
	t.Parallel()
	half := 2 * time.Second
	if promise.ProveAll() {
		half = time.Minute
	}
	eachEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.firstRun("--dev")
		products := make([]string, 50)
		for i := range products {
			products[i] = shop.OK(201, "POST", "/v2/products",
				fmt.Sprintf(`{"name": "Shirt %d", "variants": [{"sku": "s", "price": 10}]}`, i)).Text("data.id")
		}
		var sent atomic.Int64
		load := func() {
			ctx, cancel := context.WithTimeout(t.Context(), half)
			defer cancel()
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for ctx.Err() == nil {
						if status := soakRequest(shop, products[rand.IntN(len(products))]); status >= 500 && status != 503 {
							t.Errorf("a request returns %d", status)
							return
						}
						sent.Add(1)
					}
				})
			}
			all.Wait()
		}
		load()
		middle := usageOf(t, p)
		load()
		end := usageOf(t, p)
		t.Logf("%d requests; heap %d and %d KiB, goroutines %d and %d, descriptors %d and %d", sent.Load(),
			middle.heap>>10, end.heap>>10, middle.goroutines, end.goroutines, middle.descriptors, end.descriptors)
		const slack = 32 << 20 // of caches that fill up, and of requests in progress
		if end.heap > middle.heap*3/2+slack || end.goroutines > middle.goroutines+50 ||
			end.descriptors > middle.descriptors+50 {
			t.Errorf("the program holds more at the end than in the middle: %+v, %+v", end, middle)
		}
	})
}

// soakRequest sends one of several requests that leave the shop as large as it is, and returns its status.
func soakRequest(s *apitest.Server, product string) int {
	switch rand.IntN(6) {
	case 0:
		return s.Do("PUT", "/v2/products/"+product, fmt.Sprintf(`{"name": "Shirt %d"}`, rand.IntN(1000))).Status
	case 1:
		return s.Do("GET", fmt.Sprintf("/v2/products?with=facets&price[from]=%d", rand.IntN(1000)), nil).Status
	case 2:
		return s.Do("POST", "/v2/sync-gate/products", fmt.Sprintf(
			`{"payload": [{"id": "%d", "name": "Coat %d"}]}`, rand.IntN(20), rand.IntN(1000)), apitest.As(s.Exchange)).Status
	case 3:
		return s.Do("POST", "/v2/products", `{"name": `).Status
	case 4:
		return s.Do("GET", "/v2/products/"+product, nil, apitest.As("sk_wrong")).Status
	default:
		return s.Do("GET", "/v2/products/"+product, nil).Status
	}
}

// usage is what a process holds.
type usage struct{ heap, goroutines, descriptors int64 }

// usageOf reads the metrics of a process. The heap is the size at which it is collected next, which depends on what was
// live at the last collection and not on what is garbage now.
func usageOf(t *testing.T, p *apitest.Process) usage {
	t.Helper()
	_, text := p.GetAdmin("/metrics")
	return usage{metricOf(t, text, "go_memstats_next_gc_bytes"), metricOf(t, text, "go_goroutines"),
		metricOf(t, text, "process_open_fds")}
}

func metricOf(t *testing.T, text, name string) int64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("/metrics lacks %s", name)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(v)
}
