package frame

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
)

// Embedded is what a document in an iframe with srcdoc has that pages must not have. Such a document has the policy of
// its page, so the page allows it, and nothing else.
type Embedded struct {
	// Styles are the values of its style attributes. Only these are allowed, by their hashes.
	Styles []string
	// ImagesURL is where its images come from, or "".
	ImagesURL string
}

// policy returns the Content-Security-Policy of the page.
func (e *Embedded) policy() string {
	styles := "style-src 'self' 'unsafe-hashes'"
	for _, style := range e.Styles {
		sum := sha256.Sum256([]byte(style))
		styles += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}

	images := "img-src 'self' data: blob:"
	u, err := url.Parse(e.ImagesURL)
	web := err == nil && (u.Scheme == "https" || u.Scheme == "http")
	if web && u.Host != "" && !strings.ContainsAny(u.Host, "; ,'") {
		images += " " + u.Scheme + "://" + u.Host
	}

	return strings.NewReplacer("style-src 'self'", styles, "img-src 'self' data: blob:", images).
		Replace(contentSecurityPolicy)
}
