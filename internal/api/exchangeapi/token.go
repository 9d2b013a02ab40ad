package exchangeapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

const (
	// prefix is the beginning of all paths of the gate, routePrefix the beginning of its route patterns.
	prefix      = "/v2/sync-gate/"
	routePrefix = prefix + "{token}/"
	// gateMarker identifies paths that may contain a token, even if they are malformed and match no route.
	gateMarker = "sync-gate"
	// placeholder replaces the token in the path.
	placeholder = "-"
	// bitrixPath is where 1C exchanges if it is given only the domain of a site.
	bitrixPath = "/bitrix/admin/1c_exchange.php"
)

// tokenKey is the context key of the token.
type tokenKey struct{}

// HideToken is a middleware that replaces the token in the path of a request to the gate by a placeholder, and stores
// the token in the context. It must be the outermost handler, so that no log, panic, trace or redirect can leak the
// token. If the token is sent as a bearer token, HideToken inserts the placeholder, so that one route matches both
// forms. The path of 1C may end with a slash, and may be bitrixPath. HideToken sets headers that forbid to cache or
// index the responses, or to send their URL as a referrer.
func HideToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isBitrix := r.URL.Path == bitrixPath
		if !isBitrix && !strings.Contains(strings.ToLower(r.URL.Path), gateMarker) {
			next.ServeHTTP(w, r)
			return
		}

		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", "noindex")

		escaped := r.URL.EscapedPath()
		if isBitrix {
			escaped = prefix + oneCPath
		}

		hidden, token := cutToken(escaped)
		if given, ok := httpapi.Bearer(r); ok && token == "" {
			token = given
		}

		rewritten := r.WithContext(context.WithValue(r.Context(), tokenKey{}, token))
		rewritten.URL = &url.URL{RawPath: hidden, RawQuery: r.URL.RawQuery}
		rewritten.URL.Path, _ = url.PathUnescape(hidden) // cannot fail: it is a part of a path that was parsed
		rewritten.RequestURI = rewritten.URL.RequestURI()
		next.ServeHTTP(w, rewritten)
	})
}

// cutToken replaces the token in an escaped path by the placeholder, and returns the path and the token, which may be
// empty. A path that does not begin with prefix is replaced as a whole, since it may contain a token anywhere.
func cutToken(escaped string) (hidden, token string) {
	rest, isGate := strings.CutPrefix(escaped, prefix)
	first, below, deeper := strings.Cut(rest, "/")
	if !isGate || first == "" {
		return prefix + placeholder, ""
	}

	if first == oneCPath && strings.Trim(below, "/") == "" {
		return prefix + placeholder + "/" + oneCPath, ""
	}
	if first == "runs" || first == "pending" || first == oneCPath ||
		slices.Contains(access.EntityScopes(), access.Scope(first)) {
		return prefix + placeholder + "/" + rest, ""
	}

	token, _ = url.PathUnescape(first)
	if !deeper {
		return prefix + placeholder, token
	}
	if strings.TrimRight(below, "/") == oneCPath {
		below = oneCPath
	}
	return prefix + placeholder + "/" + below, token
}

// NoRoute returns the fault of a request to the gate that matches no route, such as one with a misspelt entity, and nil
// for any other request.
func NoRoute(r *http.Request) error {
	if !strings.HasPrefix(r.URL.Path, prefix) {
		return nil
	}
	var entities []string
	for _, scope := range access.EntityScopes() {
		entities = append(entities, string(scope))
	}
	return fault.New(fault.NotFound, "no_such_path",
		"The gate has nothing at this path. Push to %s{token}/ and one of "+
			"%s, or read these there; or read runs or pending.", prefix, strings.Join(entities, ", "))
}

// Authenticate returns the principal of a request to the gate; gate is false for any other request. The fault is the
// same for every kind of invalid token.
func Authenticate(
	ctx context.Context, r *http.Request,
	authenticate func(ctx context.Context, token string) (access.Principal, error),
) (p access.Principal, gate bool, err error) {
	token, gate := r.Context().Value(tokenKey{}).(string)
	if !gate {
		return p, false, nil
	}
	p, err = authenticate(ctx, token)
	if fault.KindOf(err) == fault.Unauthenticated || (err == nil && p.Kind != access.ExchangeToken) {
		return access.Principal{}, true, fault.New(fault.Unauthenticated, "invalid_exchange_token",
			"The exchange token is not valid: it is missing, mistyped, unknown, revoked or expired, or is a key of "+
				"another kind. It begins with xt_ and stands in the path, or in the header Authorization: Bearer.")
	}
	return p, true, err
}
