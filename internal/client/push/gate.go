package pushclient

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// Gate is a store's exchange gate: where it is, and the token that opens it.
type Gate struct {
	base  *url.URL
	token string
}

// NewGate takes the address of a store's API, such as https://shop.example or shop.example or localhost:8080 (without a scheme it is https,
// and http for this machine), and an exchange token.
func NewGate(address, token string) (Gate, error) {
	base, err := parseAddress(strings.TrimSpace(address))
	if err != nil {
		return Gate{}, err
	}
	token = strings.TrimSpace(token)
	if !strings.HasPrefix(token, "xt_") || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Gate{}, fault.New(fault.Invalid, "invalid_token", "The token must be an exchange token; it begins with xt_. vitrine key create --kind exchange makes one.")
	}
	return Gate{base, token}, nil
}

func parseAddress(address string) (*url.URL, error) {
	refuse := func(why string) error {
		return fault.New(fault.Invalid, "invalid_address", "%s is not the address of a store's API (%s); one is https://shop.example or localhost:8080.", address, why)
	}
	if !strings.Contains(address, "://") {
		address = defaultScheme(address) + "://" + address
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, refuse("it cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, refuse("it begins with neither http:// nor https://")
	case u.Hostname() == "":
		return nil, refuse("it names no host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, refuse("it has more than a host and a path")
	case strings.Contains(u.Path, "/sync-gate"):
		address = u.Scheme + "://" + u.Host // the path holds a token
		return nil, refuse("give it without /v2/sync-gate and what follows")
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v2")
	return u, nil
}

// defaultScheme is what an address without a scheme means.
func defaultScheme(address string) string {
	host, _, _ := strings.Cut(address, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); host == "localhost" || ip != nil && ip.IsLoopback() {
		return "http"
	}
	return "https"
}

// String is the address, without the token.
func (g Gate) String() string { return g.base.String() }

// url is an address inside the gate. The token is in none: it goes as a header.
func (g Gate) url(query url.Values, segments ...string) string {
	u := g.base.JoinPath(append([]string{"v2", "sync-gate"}, segments...)...)
	u.RawQuery = query.Encode()
	return u.String()
}

// Entities are what the gate takes, by the last part of its path.
func Entities() []string {
	return []string{"products", "variant-options", "features", "categories", "stocks", "remainders", "prices"}
}

// GuessEntity reads the entity from a file's name if that is plain: products.json, variant_options.csv.gz, and what a former push
// rejected of such a file. It returns "" if it is not.
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
