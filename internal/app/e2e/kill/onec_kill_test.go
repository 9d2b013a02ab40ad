package kill

import (
	"net/http"
	"strconv"
	"testing"

	"vitrine/internal/client/onec"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// oneC returns the store's exchange as it is entered in 1C.
func (g gateClient) oneC() onec.Site {
	return onec.Site{URL: g.URL + "/v2/sync-gate/commerceml", Login: "1c", Password: g.Exchange,
		Client: http.DefaultClient}
}

// After a kill in the middle of an exchange with 1C, the files that have arrived are imported to the end. The next
// exchange, which 1C begins from the start, succeeds and leaves what an exchange without a kill does.
func TestKill_exchangeWithOneC(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	const goods = 1500

	eachEngine(t, func(t *testing.T, inst *installation) {
		dir := t.TempDir()
		err := onec.Generate(dir, onec.Generated{Goods: goods, Offers: 2, Version: "2.08", Windows1251: true})
		if err != nil {
			t.Fatal(err)
		}

		files := onec.Catalog{Directory: dir, Version: "2.08", Complete: true}
		p, shop := inst.FirstRun()
		clean := gateClient{p.Server(inst.newStore()), t}
		if err := clean.oneC().Exchange(t.Context(), files); err != nil {
			t.Fatal(err)
		}

		want := clean.CatalogSnapshot()

		g := gateClient{shop, t}
		ended := make(chan error, 1)
		go func() { ended <- g.oneC().Exchange(t.Context(), files) }()
		total := func() int {
			n, err := strconv.Atoi(g.Get("/v2/products?per_page=1").Text("meta.total"))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		storetest.Eventually(t, "the first goods are there", func() bool { return total() > 0 })
		p.Kill()

		if err := <-ended; err == nil {
			t.Fatal("the exchange was over before the kill, so the test proves nothing")
		}

		p = inst.Serve()
		g = gateClient{p.Server(shop.Keys), t}
		storetest.Eventually(t, "the goods that have arrived are imported", func() bool { return total() == goods })
		if err := g.oneC().Exchange(t.Context(), files); err != nil {
			t.Fatal(err)
		}

		g.waitForState(want)
	})
}
