package httpapi

import (
	"log/slog"
	"regexp"
	"strings"
	"unicode"

	"vitrine/internal/shop/access"
)

// maxUserAgent is how many bytes of a User-Agent the log has.
const maxUserAgent = 200

// isProbe reports whether a route is one that monitoring asks every few seconds. The log has it at the level debug if
// it succeeds.
func isProbe(route string) bool {
	return route == "GET /healthz" || route == "GET /readyz" || route == "GET /metrics"
}

// appendPrincipal appends who made a request: the store, and the kind and the id of the credential, the operator or the
// customer. It appends nothing for a request without a valid credential, and never a token.
func appendPrincipal(line []slog.Attr, p access.Principal) []slog.Attr {
	if p.Kind == "" {
		return line
	}
	line = append(line, slog.String("store_id", p.Store.ID.String()), slog.String("credential", string(p.Kind)))
	switch {
	case p.Operator != nil:
		return append(line, slog.String("operator_id", p.Operator.ID.String()))
	case p.Kind == access.CustomerToken:
		return append(line, slog.String("customer_id", p.CustomerID.String()))
	}
	if p.Kind == access.FeedKey {
		return append(line, slog.String("feed", p.FeedName))
	}
	return append(line, slog.String("credential_id", p.CredentialID.String()))
}

// opaqueWord matches what may be a token that a client sent in the wrong header: a word with the prefix of a token,
// such as sk_, or a word that is longer than the names of programs.
var opaqueWord = regexp.MustCompile(`\b[a-z]{2}_[\w+=-]*|[\w+=-]{32,}`)

// cleanUserAgent returns the beginning of a User-Agent, with … in place of words that may be tokens, and spaces
// in place of characters that are not printable.
func cleanUserAgent(agent string) string {
	agent = opaqueWord.ReplaceAllLiteralString(agent, "…")
	if len(agent) > maxUserAgent {
		agent = agent[:maxUserAgent]
	}
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) || c == unicode.ReplacementChar {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(agent, ""))
}
