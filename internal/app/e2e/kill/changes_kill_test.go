package kill

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// changeReceiver is a receiver of catalog.changed that keeps which products it was told of.
type changeReceiver struct {
	t       *testing.T
	mu      sync.Mutex
	version int64            // the highest one that it was told
	told    map[string]int64 // the version by product
}

func (c *changeReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed
	}
	var sent struct {
		Payload struct {
			Version  int64
			Products struct {
				IDs  []string
				More bool
			}
		}
	}
	if err := json.Unmarshal(body, &sent); err != nil || sent.Payload.Products.More {
		c.t.Errorf("the event %s: %v", body, err)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = max(c.version, sent.Payload.Version)
	for _, id := range sent.Payload.Products.IDs {
		c.told[id] = max(c.told[id], sent.Payload.Version)
	}
	w.WriteHeader(http.StatusNoContent)
}

// missing returns which of the products were not told of since a version.
func (c *changeReceiver) missing(products []string, since int64) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(products), func(id string) bool { return c.told[id] > since })
}

// After kills at random times while products change, receivers are told of each product whose change was acknowledged,
// and the changes since any version that they were told are the rest.
func TestChanges_surviveKills(t *testing.T) {
	t.Parallel()
	rounds := killCount(t)

	eachEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun("--dev")
		receiver := &changeReceiver{t: t, told: map[string]int64{}}
		server := httptest.NewServer(receiver)
		t.Cleanup(server.Close)
		t.Cleanup(server.CloseClientConnections)
		if r := shop.DoAdmin("POST", "/api/store/webhook-receivers", map[string]any{"url": server.URL,
			"webhook_types": []string{"catalog.changed"}}); r.Status != 201 {
			t.Fatalf("creating a receiver returns %d %s", r.Status, r.Body)
		}

		var ids []string
		for i := range 20 {
			ids = append(ids, shop.OK(201, "POST", "/v2/products", map[string]any{"name": fmt.Sprint("Lamp ", i),
				"single_variant": map[string]any{"price": 1}}).Text("data.id"))
		}

		for round := range rounds {
			before, err := strconv.ParseInt(shop.Get("/v2/changes").Text("data.version"), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			acknowledged := renameUntilKilled(t, p, shop.Keys, ids, round)
			inst.expireLeases()
			p = inst.Serve("--dev")
			shop = p.Server(shop.Keys)

			storetest.EventuallyEqual(t, "products that the receiver was not told of", "[]",
				func() string { return fmt.Sprint(receiver.missing(acknowledged, before)) })
			changes := string(shop.Get(fmt.Sprint("/v2/changes?since=", before)).Body)
			for _, id := range acknowledged {
				if !strings.Contains(changes, id) {
					t.Errorf("the changes since %d do not have %s", before, id)
				}
			}
		}
	})
}

// renameUntilKilled renames products until the process is killed at a random time. It returns the products of the
// acknowledged changes.
func renameUntilKilled(t *testing.T, p *apitest.Process, keys apitest.Keys, ids []string, round int) []string {
	t.Helper()
	acknowledged := map[string]bool{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			id := ids[i%len(ids)]
			r, err := p.Server(keys).Try("PUT", "/v2/products/"+id, map[string]any{
				"name": fmt.Sprintf("Lamp of round %d, %d", round, i)})
			if err != nil {
				return
			}
			if r.Status == 200 {
				acknowledged[id] = true
			}
		}
	}()

	time.Sleep(50*time.Millisecond + rand.N(1500*time.Millisecond)) // before, during or after an event
	p.Kill()
	<-done
	return slices.Sorted(maps.Keys(acknowledged))
}
