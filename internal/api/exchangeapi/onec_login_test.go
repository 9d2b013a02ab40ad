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
