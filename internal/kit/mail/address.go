package mail

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"vitrine/internal/kit/contact"
)

// encryption says when a connection begins in the clear and when it goes on with TLS. A certificate must be valid wherever there is one.
type encryption string

const (
	opportunistic encryption = "opportunistic" // where the server offers it
	required      encryption = "required"
	none          encryption = "none"
	implicit      encryption = "implicit" // from the first byte: smtps
)

// place is what the address of a mail server says.
type place struct {
	host, port     string
	encryption     encryption
	user, password string
	from           string
}

const addressForm = "the address of a mail server is smtp://user:password@host:587?from=shop@example.com&tls=required or " +
	"smtps://user:password@host:465?from=shop@example.com, with special characters percent-encoded"

// parsePlace reads the address of a mail server. What it says of a wrong one shows nothing of it: it may hold a password.
func parsePlace(address string) (place, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" || u.Opaque != "" {
		return place{}, errors.New(addressForm)
	}
	p := place{host: u.Hostname(), port: u.Port()}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return place{}, errors.New(addressForm)
	}
	if err := p.readUser(u.User); err != nil {
		return place{}, err
	}
	for name, values := range query {
		if name != "from" && name != "tls" || len(values) != 1 {
			return place{}, errors.New("the address of a mail server may name from and tls, each once, and nothing else: " + addressForm)
		}
	}
	if err := p.readEncryption(u.Scheme, query.Get("tls")); err != nil {
		return place{}, err
	}
	if n, err := strconv.ParseUint(p.port, 10, 16); err != nil || n == 0 {
		return place{}, errors.New("the port of a mail server is a number from 1 to 65535, most often 587 for smtp:// and 465 for smtps://")
	}
	if p.from, err = contact.CheckEmail(query.Get("from")); err != nil {
		return place{}, errors.New("the address of a mail server names in from= the address that mail comes from, such as from=shop@example.com")
	}
	return p, nil
}

func (p *place) readUser(user *url.Userinfo) error {
	if user == nil {
		return nil
	}
	p.user = user.Username()
	p.password, _ = user.Password()
	if p.user == "" || p.password == "" {
		return errors.New("a mail server needs a user with a password, or neither: smtp://user:password@host:587")
	}
	if strings.ContainsFunc(p.user+p.password, unicode.IsControl) {
		return errors.New("the user and the password of a mail server must not hold control characters")
	}
	return nil
}

// readEncryption decides by the scheme and by tls=. Who gives a password and says nothing wants it to stay one.
func (p *place) readEncryption(scheme, given string) error {
	standard := "587"
	switch {
	case scheme == "smtps" && (given == "" || given == string(required)):
		p.encryption, standard = implicit, "465"
	case scheme == "smtps":
		return errors.New("smtps:// has TLS from the first byte: leave out tls=, or write smtp://")
	case scheme != "smtp":
		return errors.New("the address of a mail server begins with smtp:// or smtps://")
	case given == "" && p.user != "":
		p.encryption = required
	case given == "":
		p.encryption = opportunistic
	case given == string(opportunistic) || given == string(required) || given == string(none):
		p.encryption = encryption(given)
	default:
		return fmt.Errorf("tls= is %s, %s or %s", opportunistic, required, none)
	}
	if p.port == "" {
		p.port = standard
	}
	return nil
}

// endpoint is where to connect to.
func (p *place) endpoint() string { return net.JoinHostPort(p.host, p.port) }

// domain is that of the address that mail comes from.
func domain(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }
