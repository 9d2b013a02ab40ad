package httpapi

import (
	"net"
	"net/url"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// AdminURL returns the URL of the administration for links that the response shows: the configured one or, without it,
// that by which the request reached the administration. It is https except on loopback hosts: browsers keep a session
// only there.
func (r *Request) AdminURL(configured string) string {
	if configured != "" {
		return configured
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if ip := net.ParseIP(host); r.TLS == nil && (host == "localhost" || ip != nil && ip.IsLoopback()) {
		return "http://" + r.Host
	}
	return "https://" + r.Host
}

// AdminURLForMail is like AdminURL for links that are sent to others. Without a configured URL the Host header counts
// only if a browser confirms it by the header Origin: a client with a key could have mail sent that leads anywhere.
// Then it returns the Conflict fault admin_url_required.
func (r *Request) AdminURLForMail(configured string) (string, error) {
	if configured != "" {
		return configured, nil
	}
	origin, err := url.Parse(r.Header.Get("Origin"))
	if r.Principal.Kind != access.OperatorSession || err != nil || origin.Host == "" || origin.Host != r.Host {
		return "", fault.New(fault.Conflict, "admin_url_required",
			"The address of the administration is not known, so no mail with a link to it is sent. "+
				"Start the server with --admin-url, or do this in a browser that has opened the administration.")
	}
	return r.AdminURL(configured), nil
}
