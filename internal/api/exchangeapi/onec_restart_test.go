package exchangeapi_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
)

// The server stops in the middle of an import. Another node goes on with the session and the import.
func TestCommerceML_anotherNodeGoesOn(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			const goods = 1500
			first := apitest.StartServer(t, engine, apitest.Alone())
			var list []string
			for i := range goods {
				list = append(list, good(fmt.Sprintf("p%d", i), fmt.Sprintf("Стол %d", i), ""))
			}

			c := newOneC(t, first).begin()
			file := goodsFile("true", list...)
			c.send("import.xml", file[:len(file)/2])
			c.send("import.xml", file[len(file)/2:])
			begun := make(chan struct{})
			go func() {
				defer close(begun)
				query := url.Values{"type": {"catalog"}, "mode": {"import"}, "filename": {"import.xml"}}
				_, _ = first.Try("GET", "/v2/sync-gate/commerceml?"+query.Encode(), nil,
					apitest.Header("Cookie", c.cookie), apitest.Header("Authorization", ""))
			}()
			time.Sleep(60 * time.Millisecond)
			first.Stop()
			<-begun
			c.Server = first.StartNode()
			c.apply("import.xml")

			if n := c.Get("/v2/products").Text("meta.total"); n != fmt.Sprint(goods) {
				t.Errorf("there are %s products, want %d", n, goods)
			}
			if run := c.runs(1)[0]; run != fmt.Sprintf("products %d 0 0 0 0", goods) {
				t.Errorf("the run is %q: items were applied twice or not at all", run)
			}
		})
	}
}
