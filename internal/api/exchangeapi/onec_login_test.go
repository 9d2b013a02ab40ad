package exchangeapi_test

import (
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// Tokens that push nothing could fill the spool with files of 1C.
func TestS_L4_aCatalogueNeedsAScopeThatPushes(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		for _, scopes := range [][]string{{"exchange:read"}, {"orders"}, {"exchange:read", "orders"}} {
			_, c.password = c.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "1C", Scopes: scopes})
			before := c.Dump()

			for mode, body := range map[string]any{"init": nil, "file": "x", "import": nil, "complete": nil,
				"deactivate": nil} {
				lines := c.want("failure", mode, body, "filename", "import.xml")
				if !strings.Contains(lines[1], "products") || !strings.Contains(lines[1], "Connect 1C") {
					c.t.Errorf("%v, mode=%s: the reason is %q, want the scopes and where to get them", scopes, mode,
						lines[1])
				}
			}

			// The page that connects 1C shows the last request, a refused one too.
			for line := range strings.Lines(before.Diff(c.Dump())) {
				if !strings.Contains(line, " commerceml_stores ") {
					c.t.Errorf("a token with %v: the database has changed: %s", scopes, line)
				}
			}
		}

		_, c.password = c.NewKey(access.NewKey{Kind: access.ExchangeToken, Name: "1C", Scopes: []string{"prices"}})
		c.begin().send("import.xml", goodsFile("true"))
	})
}

func TestS_L5_theCookieIsSecureBehindHTTPS(t *testing.T) {
	t.Parallel()
	for address, secure := range map[string]bool{"": false, "http://shop.example": false,
		"https://shop.example": true} {
		apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
			path := "/v2/sync-gate/" + s.Exchange + "/commerceml?type=catalog&mode=checkauth"
			cookie := s.WithTB(t).Get(path, apitest.Header("Authorization", "")).Header.Get("Set-Cookie")
			if !strings.Contains(cookie, "HttpOnly") || strings.Contains(cookie, "Secure") != secure {
				t.Errorf("--public-url %q: the cookie is %q", address, cookie)
			}
		}, apitest.WithConfig(func(c *config.Serve) { c.PublicURL = address }))
	}
}

// checkauth with the cookie alone gave a new one, so that a stolen cookie worked for ever.
func TestS_L5_theCookieDoesNotRenewItself(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c.begin()
		first := c.cookie
		lines := c.want("success", "checkauth", nil)
		if got := lines[1] + "=" + lines[2]; got != first {
			c.t.Errorf("the cookie gave %q, want itself", got)
		}
		c.want("zip=yes", "init", nil)
		if c.begin(); c.cookie == first {
			c.t.Error("the password gave the old cookie")
		}
	})
}

// withoutCookie returns a client that sends only the password.
func (c *oneC) withoutCookie() *oneC {
	other := *c
	other.cookie = ""
	return &other
}

// has requires that a good came, or that it did not.
func (c *oneC) has(id string, want bool) {
	c.t.Helper()
	if got := c.Get("/v2/products?external_ids="+id).Len("data") > 0; got != want {
		c.t.Errorf("the good %s is there: %t, want %t", id, got, want)
	}
}

// Two exchanges with the password alone shared a session, so that one was told success for the file of the other. 1C
// sends the sessid back that it got.
func TestL8_theSessidTellsExchangesApart(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		c = c.withoutCookie()
		begin := func() string {
			for _, line := range c.want("zip=yes", "init", nil, "version", "3.1") {
				if id, found := strings.CutPrefix(line, "sessid="); found {
					return id
				}
			}
			c.t.Fatal("init gave no sessid")
			return ""
		}

		first, second := begin(), begin()
		c.want("success", "file", goodsFile("true", good("a", "A", "")), "filename", "import.xml", "sessid", first)
		c.want("success", "file", goodsFile("true", good("b", "B", "")), "filename", "import.xml", "sessid", second)
		c.want("success", "import", nil, "filename", "import.xml", "sessid", first)
		c.has("a", true)
		c.has("b", false)
		c.want("success", "import", nil, "filename", "import.xml", "sessid", second)
		c.has("b", true)
	})
}

// Without a cookie and sessid, a file is found by its name, and what may belong to another exchange that goes on is
// refused: neither is told success for the file of the other.
func TestL8_withoutCookieAndSessidAFileIsFoundByItsName(t *testing.T) {
	t.Parallel()
	eachOneC(t, func(c *oneC) {
		first, second := c.withoutCookie(), c.withoutCookie()
		first.want("zip=yes", "init", nil)
		first.send("import.xml", goodsFile("true", good("a", "A", "")))
		second.want("zip=yes", "init", nil)
		second.send("import2.xml", goodsFile("true", good("b", "B", "")))

		lines := second.want("failure", "file", goodsFile("true", good("c", "C", "")), "filename", "import.xml")
		if !strings.HasPrefix(lines[1], "Another exchange with this password is going on") {
			c.t.Errorf("the reason is %q", lines[1])
		}
		second.want("failure", "complete", nil)

		first.apply("import.xml")
		c.has("a", true)
		c.has("b", false)
		second.apply("import2.xml")
		c.has("b", true)

		// An exchange after the other needs no cookie, with the same names.
		second.want("zip=yes", "init", nil)
		second.send("import.xml", goodsFile("true", good("c", "C", "")))
		second.apply("import.xml")
		c.has("c", true)
		second.want("success", "complete", nil)
	})
}
