package address

import (
	"cmp"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// maxPath is the maximum length of a decoded path, in bytes. Two of them fit into an entry of an index.
const maxPath = 1000

// CodeTooLong is the code of the broken rule of a path that is too long.
const CodeTooLong = "too_long"

// ReadPath returns a path as paths are compared: without query and fragment, percent-decoded, and without a slash at
// its end. It returns the broken rule of what is no path.
func ReadPath(sent string) (path string, broken *fault.Field) {
	path, _, _ = strings.Cut(sent, "#")
	path, _, _ = strings.Cut(path, "?")

	if len(path) > 3*maxPath { // each byte may be percent-encoded
		return "", store.PathTooLong(len(path), maxPath)
	}
	if !strings.HasPrefix(path, "/") {
		return "", fault.Broken("invalid_path", "A path begins with a slash, such as /sale/summer.")
	}

	decoded, err := url.PathUnescape(path)
	if err != nil || !utf8.ValidString(decoded) || strings.ContainsFunc(decoded, unicode.IsControl) {
		return "", fault.Broken("invalid_path",
			"This is no path: it has a percent sign without two hexadecimal digits, or characters that are no text.")
	}
	if len(decoded) > maxPath {
		return "", store.PathTooLong(len(decoded), maxPath)
	}

	if trimmed := strings.TrimSuffix(decoded, "/"); trimmed != "" {
		return trimmed, nil
	}
	return "/", nil
}

// OwnPath returns the path, with query and fragment, of an absolute address of the store's own site. It returns false
// for an address elsewhere. The scheme does not matter: a site has the same pages by http and https.
func OwnPath(shop store.Store, address string) (path string, isOwn bool) {
	site, err := url.Parse(shop.SiteURL)
	if err != nil || site.Host == "" {
		return "", false
	}
	page, err := url.Parse(address)
	if err != nil || page.Scheme != "http" && page.Scheme != "https" || hostOf(page) != hostOf(site) {
		return "", false
	}

	path, isBelow := strings.CutPrefix(page.EscapedPath(), strings.TrimSuffix(site.EscapedPath(), "/"))
	if !isBelow || path != "" && path[0] != '/' {
		return "", false
	}

	path = cmp.Or(path, "/")
	if page.RawQuery != "" {
		path += "?" + page.RawQuery
	}
	if page.Fragment != "" {
		path += "#" + page.EscapedFragment()
	}
	return path, true
}

// hostOf returns the host of a URL in lower case and in ASCII, with the port unless it is that of the scheme.
func hostOf(u *url.URL) string {
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		name = ascii
	}
	switch port := u.Port(); {
	case port == "", port == "80" && u.Scheme == "http", port == "443" && u.Scheme == "https":
		return name
	default:
		return name + ":" + port
	}
}
