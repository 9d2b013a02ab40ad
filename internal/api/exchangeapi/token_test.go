package exchangeapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/api/exchangeapi"
	"vitrine/internal/shop/access"
)

// hideToken sends a request through HideToken, and returns the request that the next handler gets and the headers of
// the response. It returns nil if the path is invalid.
func hideToken(path, bearer string) (*http.Request, http.Header) {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return nil, nil
	}
	r := &http.Request{Method: "POST", URL: u, RequestURI: path, Header: http.Header{}, Host: "shop.example"}
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	var seen *http.Request
	w := httptest.NewRecorder()
	exchangeapi.HideToken(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r })).ServeHTTP(w, r)
	return seen, w.Header()
}

// credential returns the token that Authenticate uses for a request. gate is false for requests outside of the gate.
func credential(r *http.Request) (token string, gate bool) {
	_, gate, _ = exchangeapi.Authenticate(r.Context(), r, func(_ context, given string) (access.Principal, error) {
		token = given
		return access.Principal{Kind: access.ExchangeToken}, nil
	})
	return token, gate
}

func TestHideToken_replacesTokenByPlaceholder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, bearer, want, token string }{
		{"/v2/sync-gate/xt_1/products", "", "/v2/sync-gate/-/products", "xt_1"},
		{"/v2/sync-gate/xt_1/products?dry_run=true&x=%2F", "", "/v2/sync-gate/-/products?dry_run=true&x=%2F", "xt_1"},
		{"/v2/sync-gate/xt_1/runs/7/errors", "", "/v2/sync-gate/-/runs/7/errors", "xt_1"},
		{"/v2/sync-gate/xt_1/products", "xt_2", "/v2/sync-gate/-/products", "xt_1"},
		{"/v2/sync-gate/products", "xt_2", "/v2/sync-gate/-/products", "xt_2"},
		{"/v2/sync-gate/runs/7", "xt_2", "/v2/sync-gate/-/runs/7", "xt_2"},
		{"/v2/sync-gate/variant-options", "", "/v2/sync-gate/-/variant-options", ""},
		{"/v2/sync-gate/xt_%31/products", "", "/v2/sync-gate/-/products", "xt_1"},
		{"/v2/sync-gate/xt_1", "", "/v2/sync-gate/-", "xt_1"},
		{"/v2/sync-gate/xt_1/", "", "/v2/sync-gate/-/", "xt_1"},
		{"/v2/sync-gate/xt_1//products", "", "/v2/sync-gate/-//products", "xt_1"},
		{"/v2/sync-gate/xt_1/runs/a%2Fb", "", "/v2/sync-gate/-/runs/a%2Fb", "xt_1"}, // %2F is not a separator
		// 1C may send a slash at the end, and uses the address of another site if it is given only a domain.
		{"/v2/sync-gate/commerceml/?mode=init", "", "/v2/sync-gate/-/commerceml?mode=init", ""},
		{"/v2/sync-gate/xt_1/commerceml/", "", "/v2/sync-gate/-/commerceml", "xt_1"},
		{"/bitrix/admin/1c_exchange.php?type=sale&mode=init", "", "/v2/sync-gate/-/commerceml?type=sale&mode=init", ""},
		{"http://shop.example/v2/sync-gate/xt_1/products", "", "/v2/sync-gate/-/products", "xt_1"},
		// Paths that match no route, but may contain a token.
		{"/v2/sync-gate//xt_1/products", "", "/v2/sync-gate/-", ""},
		{"/v2//sync-gate/xt_1/products", "", "/v2/sync-gate/-", ""},
		{"/v2/sync-gate%2Fxt_1/products", "", "/v2/sync-gate/-", ""},
		{"/v2/sync%2Dgate/xt_1/products", "", "/v2/sync-gate/-", ""},
		{"/V2/Sync-Gate/xt_1/products", "", "/v2/sync-gate/-", ""},
		{"/sync-gate/xt_1", "", "/v2/sync-gate/-", ""},
	} {
		r, header := hideToken(c.path, c.bearer)
		if got := r.URL.String(); got != c.want || r.RequestURI != c.want {
			t.Errorf("%s becomes %s and %s, want %s", c.path, got, r.RequestURI, c.want)
		}
		if token, gate := credential(r); token != c.token || !gate {
			t.Errorf("%s: the token is %q, want %q", c.path, token, c.token)
		}

		if header.Get("Cache-Control") != "no-store" || header.Get("Referrer-Policy") != "no-referrer" ||
			header.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("%s: the response has the headers %v", c.path, header)
		}
	}

	for _, path := range []string{"/v2/products", "/", "/v2/sync/xt_1", "/v2/products?q=sync-gate",
		"/bitrix/admin/1c_exchange.php/x", "/bitrix/admin/"} {
		r, header := hideToken(path, "xt_1")
		if _, gate := credential(r); gate || r.RequestURI != path || len(header) != 0 {
			t.Errorf("%s does not belong to the gate, and becomes %s, %v", path, r.RequestURI, header)
		}
	}
}

// HideToken removes a token that follows "sync-gate" in a path, even if the path matches no route. It does not hide a
// token in the query, or one in a later segment of a path that has another text in the place of the token.
func FuzzHideToken(f *testing.F) {
	const canary = "xt_CANARY7canary7CANARY"

	for _, path := range []string{
		"/v2/sync-gate/*/products", "/v2/sync-gate/*", "/v2/sync-gate/a*b/runs", "//v2/sync-gate/*/x",
		"/v2/sync-gate/%2e%2e/*", "/v2/SYNC-GATE/x/*", "/v2/sync-gate%2f*/..", "http://x/sync-gate/*?a=b",
		"/v2/x%00sync-gate/*",
	} {
		f.Add(path)
	}

	f.Fuzz(func(t *testing.T, path string) {
		at := strings.Index(strings.ToLower(path), "sync-gate")
		star := strings.Index(path, "*")
		if at < 0 || star < at || strings.Count(path, "*") != 1 {
			return // the path has no position for a token
		}

		r, _ := hideToken(strings.Replace(path, "*", canary, 1), "")
		if r == nil || strings.Contains(r.URL.RawQuery, canary) ||
			!strings.Contains(strings.ToLower(r.URL.Path), "sync-gate") {
			return // an invalid path, a token in the query, or a path outside of the gate
		}

		rest, ours := strings.CutPrefix(path, "/v2/sync-gate/")
		if first, _, _ := strings.Cut(rest, "/"); ours && first != "" && !strings.Contains(first, "*") {
			return // another text is in the place of the token, and the token is in a later segment
		}

		for _, text := range []string{r.URL.Path, r.URL.RawPath, r.URL.String(), r.RequestURI} {
			if strings.Contains(text, canary) {
				t.Errorf("%s keeps the token: %s", path, text)
			}
		}
	})
}
