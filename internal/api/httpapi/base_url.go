package httpapi

import (
	"net"
	"net/http"
)

// BaseURL returns how URLs of this API begin in a response: with the configured public URL, or else, if that is empty,
// with the scheme and host of the request.
func (r *Request) BaseURL(public string) string {
	if public != "" {
		return public
	}
	host := r.Host
	if host == "" { // an HTTP/1.0 request may have no Host header
		if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
			host = local.String()
		}
	}
	if r.TLS != nil {
		return "https://" + host
	}
	return "http://" + host
}
