package address

import (
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// MaxRedirects is the number of redirects that a store may have.
const MaxRedirects = 100_000

// RedirectID identifies a redirect.
type RedirectID = id.Of[Redirect]

// Redirect is a redirect of the store's own, from the path From to To.
type Redirect struct {
	ID   RedirectID
	From string // a path as ReadPath returns it
	To   string // a path of the site, or a URL elsewhere
	// CreatedAt is the time of its creation. A redirect is never changed.
	CreatedAt time.Time
}

// RedirectEdit is a redirect as it is sent. To may be an absolute address of the store's own site, which is the same as
// its path.
type RedirectEdit struct{ From, To string }

// destination is where a redirect leads.
type destination struct {
	to string // a path or a URL
	// key is the path of to as ReadPath returns it, or "" if it is a URL.
	key string
}

// keyOn returns the key of a destination. The setting site_url may have changed since the redirect was created, so a
// URL may be an address of the site now.
func (d destination) keyOn(shop store.Store) string {
	if d.key != "" {
		return d.key
	}
	path, isOwn := OwnPath(shop, d.to)
	if !isOwn {
		return ""
	}
	key, _ := ReadPath(path)
	return key
}

// check returns the path at which a redirect begins and its destination, or fault.Invalid.
func (e RedirectEdit) check(shop store.Store) (from string, to destination, err error) {
	var wrong rule.Violations
	from, broken := checkFrom(e.From)
	wrong.Check("", "from", broken)
	to, broken = checkTo(strings.TrimSpace(e.To), shop)
	wrong.Check("", "to", broken)

	if err := wrong.Fault(); err != nil {
		return "", destination{}, err
	}
	return from, to, nil
}

// checkFrom is the rule of the path at which a redirect begins.
func checkFrom(sent string) (string, *fault.Field) {
	if strings.ContainsAny(sent, "?#") {
		return "", fault.Broken("invalid_path",
			"Redirects look at paths without the part after ? or #; write the path alone, such as /sale/summer.")
	}
	path, broken := ReadPath(strings.TrimSpace(sent))
	if broken == nil && path == "/" {
		return "", fault.Broken("invalid_path", "The home page cannot be redirected.")
	}
	return path, broken
}

// checkTo is the rule of where a redirect leads.
func checkTo(to string, shop store.Store) (destination, *fault.Field) {
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
		broken := checkURL(to)
		path, isOwn := OwnPath(shop, to)
		if broken != nil || !isOwn {
			return destination{to: to}, broken
		}
		to = path
	}

	key, broken := ReadPath(to)
	if broken != nil {
		return destination{}, broken
	}
	if len(to) > maxPath || strings.ContainsFunc(to, isNoAddressCharacter) {
		return destination{}, fault.Broken("invalid_path",
			"A path has at most %d bytes, and no blanks or control characters; write blanks as %%20.", maxPath)
	}
	return destination{to, key}, nil
}

// checkURL is the rule of a destination outside of the site.
func checkURL(to string) *fault.Field {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		len(to) > maxPath || !utf8.ValidString(to) || strings.ContainsFunc(to, isNoAddressCharacter) {
		return fault.Broken("invalid_url",
			"Write a path such as /sale/summer, or an absolute address such as https://shop.example/sale, "+
				"at most %d bytes long.", maxPath)
	}
	return nil
}

// isNoAddressCharacter reports whether a character would break a line of a header, or the address in it.
func isNoAddressCharacter(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// errLoop returns the Invalid fault for a redirect that would lead back to where it begins.
func errLoop() error {
	return fault.OneField("to", "redirect_loop", "This would lead back to where it begins, over other redirects or "+
		"at once; name another target, or delete the redirect that leads back.")
}

// errRedirectExists returns the Conflict fault for a second redirect from the same path.
func errRedirectExists(from string) error {
	return fault.New(fault.Conflict, "redirect_exists",
		"There is a redirect from %s already; delete it first.", from)
}

// errTooManyRedirects returns the Conflict fault for a store that has MaxRedirects.
func errTooManyRedirects() error {
	return fault.New(fault.Conflict, "too_many_redirects",
		"The store has %d redirects, which is all that it may have; delete some first.", MaxRedirects)
}

// entry returns what the log says about the creation or the deletion of a redirect.
func (r Redirect) entry(action audit.Action) audit.Entry {
	e := audit.Entry{Action: action, Object: audit.Object{Kind: "redirect", ID: r.ID.String(), Label: r.From}}
	if action == audit.RedirectCreated {
		e.Changes = audit.AppendChange(nil, "to", "", r.To)
	} else {
		e.Changes = audit.AppendChange(nil, "to", r.To, "")
	}
	return e
}
