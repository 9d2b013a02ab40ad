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

// encryption says whether and when a connection uses TLS. With TLS the certificate must always be valid.
type encryption string

const (
	tlsOpportunistic encryption = "opportunistic" // TLS if the server offers STARTTLS
	tlsRequired      encryption = "required"
	tlsNone          encryption = "none"
	tlsImplicit      encryption = "implicit" // TLS from the first byte (smtps)
)

// serverAddress is a parsed mail server URL.
type serverAddress struct {
	host, port     string
	encryption     encryption
	user, password string
	from           string
}

const serverURLForm = "the URL of a mail server is smtp://user:password@host:587?from=shop@example.com&tls=required " +
	"or smtps://user:password@host:465?from=shop@example.com, with special characters percent-encoded"

// parseServerURL parses the URL of a mail server. Its errors never quote the URL, which may contain a password.
func parseServerURL(address string) (serverAddress, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" || u.Opaque != "" {
		return serverAddress{}, errors.New(serverURLForm)
	}

	p := serverAddress{host: u.Hostname(), port: u.Port()}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return serverAddress{}, errors.New(serverURLForm)
	}
	if err := p.readUser(u.User); err != nil {
		return serverAddress{}, err
	}

	for name, values := range query {
		if name != "from" && name != "tls" || len(values) != 1 {
			return serverAddress{}, errors.New(
				"the URL of a mail server may set from and tls, each once, and nothing else: " + serverURLForm)
		}
	}

	if err := p.readEncryption(u.Scheme, query.Get("tls")); err != nil {
		return serverAddress{}, err
	}

	if n, err := strconv.ParseUint(p.port, 10, 16); err != nil || n == 0 {
		return serverAddress{}, errors.New("the port of a mail server must be a number from 1 to 65535, usually 587 " +
			"for smtp:// and 465 for smtps://")
	}

	if p.from, err = contact.CheckEmail(query.Get("from")); err != nil {
		return serverAddress{}, errors.New("the URL of a mail server must set from= to the sender's address, such as " +
			"from=shop@example.com")
	}

	return p, nil
}

func (p *serverAddress) readUser(user *url.Userinfo) error {
	if user == nil {
		return nil
	}
	p.user = user.Username()
	p.password, _ = user.Password()
	if p.user == "" || p.password == "" {
		return errors.New("a mail server needs a user with a password, or neither: smtp://user:password@host:587")
	}
	if strings.ContainsFunc(p.user+p.password, unicode.IsControl) {
		return errors.New("the user and the password of a mail server must not contain control characters")
	}
	return nil
}

// readEncryption sets the encryption and the default port from the scheme and from tls=. If tls= is missing, TLS is
// required with a password, and opportunistic otherwise.
func (p *serverAddress) readEncryption(scheme, given string) error {
	defaultPort := "587"
	switch {
	case scheme == "smtps" && (given == "" || given == string(tlsRequired)):
		p.encryption = tlsImplicit
		defaultPort = "465"
	case scheme == "smtps":
		return errors.New("smtps:// always uses TLS: leave out tls=, or write smtp://")
	case scheme != "smtp":
		return errors.New("the URL of a mail server begins with smtp:// or smtps://")
	case given == "" && p.user != "":
		p.encryption = tlsRequired
	case given == "":
		p.encryption = tlsOpportunistic
	case given == string(tlsOpportunistic) || given == string(tlsRequired) || given == string(tlsNone):
		p.encryption = encryption(given)
	default:
		return fmt.Errorf("tls= must be %s, %s or %s", tlsOpportunistic, tlsRequired, tlsNone)
	}

	if p.port == "" {
		p.port = defaultPort
	}

	return nil
}

// endpoint returns host:port.
func (p *serverAddress) endpoint() string { return net.JoinHostPort(p.host, p.port) }

// emailDomain returns the part of an e-mail address after the @.
func emailDomain(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }
