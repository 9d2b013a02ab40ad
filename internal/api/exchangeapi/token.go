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
	// prefix is what all paths of the gate begin with, gate what their patterns do.
	prefix = "/v2/sync-gate/"
	gate   = prefix + "{token}/"
	// marker is the part of a path after which a token may stand, however the rest is written.
	marker = "sync-gate"
	// placeholder is in the path where the token was.
	placeholder = "-"
)

type tokenKey struct{}

// HideToken takes the token out of a request to the gate before anything else sees it, and leaves a placeholder in its place: no log, panic,
// trace or redirect can repeat what is not there. A path without a token, whose request carries it as a bearer token, gets the
// placeholder too, so that both forms are one path. Answers to such requests are kept by nobody and named to nobody.
func HideToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(strings.ToLower(r.URL.Path), marker) {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", "noindex")
		hidden, token := takeToken(r.URL.EscapedPath())
		if given, ok := httpapi.Bearer(r); ok && token == "" {
			token = given
		}
		q := r.WithContext(context.WithValue(r.Context(), tokenKey{}, token))
		q.URL = &url.URL{RawPath: hidden, RawQuery: r.URL.RawQuery}
		q.URL.Path, _ = url.PathUnescape(hidden) // a part of what was parsed
		q.RequestURI = q.URL.RequestURI()
		next.ServeHTTP(w, q)
	})
}

// takeToken returns a path, as it was sent, with the placeholder, and the token that was in its place; empty if the path has none. Of a path
// that is none of the gate nothing is left: a token may be in it all the same.
func takeToken(escaped string) (hidden, token string) {
	rest, ours := strings.CutPrefix(escaped, prefix)
	first, below, deeper := strings.Cut(rest, "/")
	if !ours || first == "" {
		return prefix + placeholder, ""
	}
	if first == "runs" || slices.Contains(access.EntityScopes(), access.Scope(first)) {
		return prefix + placeholder + "/" + rest, ""
	}
	token, _ = url.PathUnescape(first)
	if !deeper {
		return prefix + placeholder, token
	}
	return prefix + placeholder + "/" + below, token
}

// Authenticate tells who makes a request to the gate; gate is false for any other request. Whatever is wrong with the token, the fault is
// the same.
func Authenticate(r *http.Request, by func(ctx context.Context, token string) (access.Principal, error)) (p access.Principal, gate bool, err error) {
	token, gate := r.Context().Value(tokenKey{}).(string)
	if !gate {
		return p, false, nil
	}
	p, err = by(r.Context(), token)
	if fault.KindOf(err) == fault.Unauthenticated || (err == nil && p.Kind != access.ExchangeToken) {
		return access.Principal{}, true, fault.New(fault.Unauthenticated, "invalid_exchange_token",
			"The exchange token is not valid: it is missing, mistyped, unknown, revoked or expired, or is a key of another kind. It begins with xt_ and stands in the path, or in the header Authorization: Bearer.")
	}
	return p, true, err
}
