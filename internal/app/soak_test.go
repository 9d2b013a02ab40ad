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

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// soakClients is the number of clients of the soak test.
const soakClients = 8

// Under a mixed load on a shop of constant size, the program holds as much memory and as many goroutines and
// descriptors at the end as in the middle. The load lasts two seconds, and with VITRINE_PROVE two minutes on each
// database. TestTables_loseTheirRowsAfterTheirRetention is about what the database holds.
func TestSoak_holdsNoMoreAtTheEndThanInTheMiddle(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	half := time.Second
	if promise.ProveAll() {
		half = time.Minute
	}

	sampledEngine(t, func(t *testing.T, inst *installation) {
		cmd := inst.ServeCommand("--dev")
		cmd.Env = append(cmd.Env, "GOGC=10") // keeps garbage out of the measurement
		p := apitest.LaunchServer(t, cmd)
		keys, _ := p.FirstRunKeys()
		shop := p.Server(keys.Keys(t))

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
			for range soakClients {
				all.Go(func() {
					for ctx.Err() == nil {
						if status := soakRequest(shop, products[rand.IntN(len(products))]); status >= 500 &&
							status != 503 {
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
		middle := usageOf(t, shop, inst.Engine)
		load()

		// Each client may have a connection that it did not have in the middle. Caches count their values, and not all
		// that they hold besides.
		most := usage{heap: middle.heap + 2<<20, goroutines: middle.goroutines + 2*soakClients,
			descriptors: middle.descriptors + soakClients}
		var end usage
		defer func() { t.Logf("%d requests; in the middle %+v, at the end %+v", sent.Load(), middle, end) }()

		storetest.Eventually(t, "the program holds no more than in the middle", func() bool {
			end = usageOf(t, shop, inst.Engine)
			return end.heap <= most.heap && end.goroutines <= most.goroutines && end.descriptors <= most.descriptors
		})
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
			`{"payload": [{"id": "%d", "name": "Coat %d"}]}`, rand.IntN(20), rand.IntN(1000)),
			apitest.As(s.Exchange)).Status

	case 3:
		return s.Do("POST", "/v2/products", `{"name": `).Status
	case 4:
		return s.Do("GET", "/v2/products/"+product, nil, apitest.As("sk_wrong")).Status
	default:
		return s.Do("GET", "/v2/products/"+product, nil).Status
	}
}

// usage is what a process holds. The heap does not include the caches, and the descriptors not the connections to
// PostgreSQL: these are bounded and may fill up later.
type usage struct{ heap, caches, goroutines, descriptors int64 }

var cacheBytes = regexp.MustCompile(
	`(?m)^vitrine_memory_share_used_bytes\{share="(?:page|product|attribute|value|event)_cache"\} (\S+)$`)

// usageOf reads the metrics of a process. The heap is derived from the size at which it is collected next, which is a
// tenth above what was live at the last collection, whatever is garbage now.
func usageOf(t *testing.T, s *apitest.Server, engine string) usage {
	t.Helper()
	text := string(s.DoAdmin("GET", "/metrics", nil, apitest.As("")).Body)
	u := usage{heap: metricOf(t, text, "go_memstats_next_gc_bytes") / 11 * 10,
		goroutines: metricOf(t, text, "go_goroutines"), descriptors: metricOf(t, text, "process_open_fds")}
	for _, m := range cacheBytes.FindAllStringSubmatch(text, -1) {
		used, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		u.caches += int64(used)
	}

	u.heap -= u.caches

	if engine == database.Postgres {
		u.descriptors -= metricOf(t, text, `vitrine_database_connections{state="in_use"}`) +
			metricOf(t, text, `vitrine_database_connections{state="idle"}`)
	}

	return u
}

func metricOf(t *testing.T, text, name string) int64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("/metrics lacks %s", name)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(v)
}
