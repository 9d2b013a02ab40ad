package store

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// anyOrigin, as an element of CORSOrigins, allows all origins.
const anyOrigin = "*"

// checkOrigins validates and normalizes origins to the form that browsers send. It removes duplicates and preserves the
// order.
func checkOrigins(origins []string) ([]string, []fault.Field) {
	if len(origins) > maxOrigins {
		return nil, []fault.Field{{Field: "cors_origins", Code: "too_many",
			Message: fmt.Sprintf("There are %d origins; at most %d are allowed. \"*\" allows all.", len(origins),
				maxOrigins)}}
	}

	var broken []fault.Field
	normalized := []string{}
	for i, text := range origins {
		origin, ok := parseOrigin(text)
		if !ok {
			broken = append(broken, fault.NewField(fmt.Sprintf("cors_origins[%d]", i), "invalid_origin",
				`An origin is a scheme, a host and perhaps a port, with nothing after them, `+
					`such as "https://shop.example" or `+
					`"http://localhost:3000"; a name in another script is written as browsers send it (xn--…). "*" `+
					`allows all.`))
			continue
		}

		if !slices.Contains(normalized, origin) {
			normalized = append(normalized, origin)
		}
	}

	return normalized, broken
}

// parseOrigin parses "*" or scheme://host[:port] and returns it in lower case without the scheme's default port.
func parseOrigin(text string) (string, bool) {
	if text == anyOrigin {
		return text, true
	}
	if len(text) > maxURL || strings.ContainsAny(text, "@?#\\") || strings.ContainsFunc(text, isBlankOrControl) {
		return "", false
	}

	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Opaque != "" || u.Path != "" || !isHost(u, true) {
		return "", false
	}

	host := strings.ToLower(u.Host)
	switch u.Scheme { // url.Parse returns it in lower case
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}

	return u.Scheme + "://" + host, true
}

func isIPv6(text string) bool {
	addr, err := netip.ParseAddr(text)
	return err == nil && addr.Is6() && addr.Zone() == ""
}
