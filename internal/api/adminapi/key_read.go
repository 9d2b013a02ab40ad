package adminapi

import (
	"net/http"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
)

// readNewKey reads the body of a request that creates a key. It ignores other members, so that a client can send back a
// key that it has read. null means that the member is absent.
func readNewKey(body *httpapi.Body) (access.NewKey, error) {
	var n access.NewKey
	hasName := false
	r := wire.NewReader(body.Reader())
	err := r.Document(func(name string) {
		switch name {
		case "kind":
			s, _ := r.String()
			n.Kind = access.Kind(s)
		case "name":
			if !r.Null() {
				hasName = true
				n.Name, _ = r.String()
			}
		case "scopes":
			if !r.Null() {
				n.Scopes, _ = readStrings(r)
			}
		case "expires_at":
			if !r.Null() {
				if at, ok := readTime(r); ok {
					n.ExpiresAt = &at
				}
			}
		}
	})
	if !hasName {
		n.Name = defaultName(n.Kind)
	}
	return n, err
}

func defaultName(k access.Kind) string {
	switch k {
	case access.PublishableKey:
		return "Publishable key"
	case access.ExchangeToken:
		return "Exchange token"
	}
	return "Secret key"
}

// readTime reads an instant: a string in ISO 8601 with an offset, or a date object as the API returns it, of which it
// reads iso_utc.
func readTime(r *wire.Reader) (at time.Time, ok bool) {
	text := func() {
		s, isString := r.String()
		if !isString {
			return
		}
		t, err := time.Parse(time.RFC3339, s)
		if at, ok = t, err == nil; !ok {
			r.Failf("invalid_date",
				"This must be a date and time in ISO 8601 with an offset, such as 2027-01-31T12:00:00+00:00.")
		}
	}
	if !r.IsObject() {
		text()
		return at, ok
	}
	hasMember := false
	read := r.Object(func(name string) {
		if name == "iso_utc" {
			hasMember = true
			text()
		}
	})
	if read && !hasMember {
		r.FailAt("iso_utc", "required", "A date object must hold iso_utc; a string in ISO 8601 does as well.")
	}
	return at, ok
}

// readOverlap reads the optional body of a request that rotates a key. The caller closes the body.
func readOverlap(r *httpapi.Request) (*httpapi.Body, time.Duration, error) {
	overlap := access.DefaultOverlap
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return r.NoBody(), overlap, nil
	}
	body, err := r.JSONBody(httpapi.BodyLimit)
	if err != nil {
		return nil, 0, err
	}
	in := wire.NewReader(body.Reader())
	err = in.Document(func(name string) {
		if name != "overlap_hours" || in.Null() {
			return
		}
		// Six digits cannot overflow a duration. access checks the range.
		if hours, ok := in.Fixed(0, 6); ok {
			overlap = time.Duration(hours) * time.Hour
		}
	})
	if err != nil {
		body.Close()
		return nil, 0, err
	}
	return body, overlap, nil
}
