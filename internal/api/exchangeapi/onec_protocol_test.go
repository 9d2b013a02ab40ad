package exchangeapi_test

import (
	"strings"
	"sync"
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

func TestCommerceML_refusesInTextWithStatus200(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		for name, lines := range map[string][]string{
			"an unknown mode":       c.call("GET", "dance", nil),
			"no mode":               c.call("GET", "", nil),
			"an unknown type":       c.call("GET", "init", nil, "type", "weather"),
			"an unknown file":       c.call("GET", "import", nil, "filename", "none.xml"),
			"no name":               c.call("POST", "file", "x"),
			"a path upwards":        c.call("POST", "file", "x", "filename", "../x.xml"),
			"an absolute path":      c.call("POST", "file", "x", "filename", "/etc/x.xml"),
			"a path of Windows":     c.call("POST", "file", "x", "filename", `a\b.xml`),
			"a drive":               c.call("POST", "file", "x", "filename", `C:x.xml`),
			"a path that goes back": c.call("POST", "file", "x", "filename", `a/../../x.xml`),
		} {
			if len(lines) != 2 || lines[0] != "failure" || lines[1] == "" {
				c.t.Errorf("%s: %q, want failure and a reason", name, lines)
			}
		}

		c.password = "xt_wrong"
		if lines := c.call("GET", "checkauth", nil); lines[0] != "failure" {
			c.t.Errorf("a wrong password: %q", lines)
		}

		c.cookie = "vitrine_1c=forged"
		if lines := c.call("GET", "init", nil); lines[0] != "failure" {
			c.t.Errorf("a forged cookie: %q", lines)
		}
	})
}

func TestCommerceML_tokenInThePathNeedsNoPassword(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		r := c.Get("/v2/sync-gate/"+c.Exchange+"/commerceml?type=catalog&mode=init&version=3.1",
			apitest.Header("Authorization", ""))
		if want := "zip=yes\nfile_limit="; !strings.HasPrefix(string(r.Body), want) ||
			!strings.Contains(string(r.Body), "\nversion=3.1") {
			c.t.Errorf("init answers %q", r.Body)
		}
		if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain") {
			c.t.Errorf("Content-Type is %q", got)
		}
	})
}

func TestCommerceML_initStartsClean(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		file := goodsFile("true", good("p1", "Стол", ""))
		c.begin().send("import.xml", file[:100])
		c.begin().send("import.xml", file)
		c.apply("import.xml")
	})
}

func TestCommerceML_aRepeatedFileDoesNoHarm(t *testing.T) {
	t.Parallel()

	eachOneC(t, func(c *oneC) {
		file := goodsFile("true", good("p1", "Стол", ""))
		c.begin()
		for range 2 {
			for _, part := range []string{file[:100], file[100:200], file[200:]} {
				c.send("import.xml", part)
			}
		}
		c.apply("import.xml")
		c.send("import.xml", goodsFile("true", good("p1", "Стул", "")))
		c.apply("import.xml")
		if got := c.product("p1").Text("data.name"); got != "Стул" {
			c.t.Errorf("the name is %q", got)
		}
	})
}

func TestCommerceML_brokenFilesFailAndApplyNothing(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		file := goodsFile("true", good("p1", "Стол", ""), good("p2", "Стул", ""))
		c.begin().send("import.xml", file[:len(file)-60])
		if lines := c.want("failure", "import", nil, "filename", "import.xml"); !strings.Contains(lines[1], "XML") {
			c.t.Errorf("the reason is %q", lines[1])
		}
		if n := c.Get("/v2/products").Text("meta.total"); n != "0" {
			c.t.Errorf("%s products were created", n)
		}
		run := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange))
		if run.Text("data.0.status") != "failed" || run.Text("data.0.problem.code") != "malformed_xml" {
			c.t.Errorf("the run is %s", run.Body)
		}
	})
}

func TestCommerceML_refusesArchivesThatWriteOutsideOrAreBombs(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.begin()
		c.want("success", "file", zipped(c.t, "import.xml", goodsFile("true"), "../../evil.xml", "x"), "filename",
			"v8.zip")
		c.want("failure", "import", nil, "filename", "import.xml")
		c.begin()
		bomb := goodsFile("true") + strings.Repeat("<!--"+strings.Repeat(" ", 1<<20)+"-->", 70)
		c.want("success", "file", zipped(c.t, "import.xml", bomb), "filename", "v8.zip")
		if lines := c.want("failure", "import", nil, "filename", "import.xml"); !strings.Contains(lines[1],
			"times its size") {
			c.t.Errorf("the reason is %q", lines[1])
		}
	})
}

func TestCommerceML_badItemsDoNotFailTheExchange(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.exchange("import.xml", goodsFile("true", good("p1", "", ""), good("p2", "Стол", "")))
		if got := c.runs(1)[0]; got != "products 1 0 0 1 0" {
			c.t.Errorf("the run is %q", got)
		}
		run := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange)).Text("data.0.id")
		rejects := c.Get("/v2/sync-gate/runs/"+run+"/rejects", apitest.As(c.Exchange))
		if strings.TrimSpace(string(rejects.Body)) != `{"id":"p1"}` {
			c.t.Errorf("the rejects are %s", rejects.Body)
		}
	})
}

func TestCommerceML_aTokenPushesOnlyItsEntities(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		_, c.password = c.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "1C", Scopes: []string{"prices"}})
		c.begin().send("import.xml", goodsFile("true", good("p1", "Стол", "")))
		if lines := c.want("failure", "import", nil, "filename", "import.xml"); !strings.Contains(lines[1],
			"scope products") {
			c.t.Errorf("the reason is %q", lines[1])
		}
		c.kind = "sale"
		if lines := c.want("failure", "query", nil); !strings.Contains(lines[1], "scope orders") {
			c.t.Errorf("the reason is %q", lines[1])
		}
	})
}

// "*" stands for what can be pushed. A token that exchanges orders has the scope by name.
func TestCommerceML_ordersAreNotPartOfEverything(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.kind = "sale"
		_, c.password = c.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "1C"})
		for _, mode := range []string{"init", "query", "success"} {
			lines := c.want("failure", mode, nil)
			if !strings.Contains(lines[1], "scope orders") || !strings.Contains(lines[1], "Connect 1C") {
				c.t.Errorf("%s: the reason is %q, want what lacks and where to get it", mode, lines[1])
			}
		}
		_, c.password = c.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "1C", Scopes: []string{"*", "orders"}})
		c.want("success", "success", nil)
		c.password = c.Exchange // that of a new store
		c.want("success", "success", nil)
	})
}

func TestCommerceML_twoExchangesAtTheSameTime(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		var all sync.WaitGroup
		for _, name := range []string{"Стол", "Стул"} {
			other := newOneC(c.t, c.Server)
			all.Go(func() {
				file := goodsFile("true", good("p1", name, ""), good("own "+name, name, ""))
				other.begin()
				for _, part := range []string{file[:100], file[100:]} {
					other.send("import.xml", part)
				}
				other.apply("import.xml")
			})
		}

		all.Wait()
		if n := c.Get("/v2/products").Text("meta.total"); n != "3" {
			c.t.Errorf("there are %s products, want 3", n)
		}
	})
}
