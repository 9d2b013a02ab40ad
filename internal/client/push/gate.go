package push

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// Gate is the address of a store's exchange gate with a token for it.
type Gate struct {
	base  *url.URL
	token string
}

// NewGate validates the address of a store's API and an exchange token. The address may be a URL or a host, such as
// https://shop.example, shop.example or localhost:8080. The default scheme is https, or http for a loopback address.
func NewGate(address, token string) (Gate, error) {
	base, err := parseGateAddress(strings.TrimSpace(address))
	if err != nil {
		return Gate{}, err
	}
	token = strings.TrimSpace(token)
	if !request.IsToken(token, "xt_") {
		return Gate{}, fault.New(fault.Invalid, "invalid_token", "The token must be an exchange token, which begins "+
			"with xt_. Create one with vitrine key create --kind exchange.")
	}
	return Gate{base, token}, nil
}

func parseGateAddress(address string) (*url.URL, error) {
	invalid := func(reason string) error {
		return fault.New(fault.Invalid, "invalid_address",
			"%s is not the address of a store's API: %s. Examples are https://shop.example and localhost:8080.",
			address, reason)
	}
	if !strings.Contains(address, "://") {
		address = defaultScheme(address) + "://" + address
	}

	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, invalid("it is not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, invalid("it begins with neither http:// nor https://")
	case u.Hostname() == "":
		return nil, invalid("it names no host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, invalid("it has more than a host and a path")
	case strings.Contains(u.Path, "/sync-gate"):
		address = u.Scheme + "://" + u.Host // the path contains a token
		return nil, invalid("leave out /v2/sync-gate and everything after it")
	}

	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v2")
	return u, nil
}

func defaultScheme(address string) string {
	host, _, _ := strings.Cut(address, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if request.IsLocal(strings.Trim(host, "[]")) {
		return "http"
	}
	return "https"
}

// String returns the address without the token.
func (g Gate) String() string { return g.base.String() }

// url returns a URL of the gate. It never contains the token, which is sent as a header.
func (g Gate) url(query url.Values, segments ...string) string {
	u := g.base.JoinPath(append([]string{"v2", "sync-gate"}, segments...)...)
	u.RawQuery = query.Encode()
	return u.String()
}

// Entities returns the entities that the gate accepts, as in the last segment of its path.
func Entities() []string {
	return []string{"products", "variant-options", "features", "categories", "stocks", "remainders", "prices",
		"price-lists"}
}

// GuessEntity returns the entity if the file is named after it, such as products.json or variant_options.csv.gz, or is
// the rejects file of such a file. Otherwise it returns "".
func GuessEntity(file string) string {
	name := strings.ToLower(file[strings.LastIndexAny(file, `/\`)+1:])
	for _, ending := range []string{".rejects.ndjson", ".gz", ".json", ".ndjson", ".jsonl", ".csv", ".tsv", ".txt"} {
		name = strings.TrimSuffix(name, ending)
	}
	name = strings.ReplaceAll(name, "_", "-")
	if slices.Contains(Entities(), name) {
		return name
	}
	return ""
}
