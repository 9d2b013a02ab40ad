package adminapi

import (
	"time"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
)

// readNewKey reads the body of a request that creates a key. It ignores other members, so that a client can send back a
// key that it has read. A member that is null counts as absent, except kind. The password goes to where password
// points.
func readNewKey(r *wire.Reader, password *string) (n access.NewKey) {
	hasName := false

	r.Object(func(name string) {
		switch {
		case name == "kind":
			s, _ := r.String()
			n.Kind = access.Kind(s)
		case r.Null():
		case name == "name":
			hasName = true
			n.Name, _ = r.String()
		case name == "password":
			*password, _ = r.String()
		case name == "scopes":
			n.Scopes, _ = readStrings(r)
		case name == "members":
			n.Members, _ = readStrings(r)
		case name == "group_id":
			n.GroupID = wire.OrNil(wire.ID[access.CustomerGroup](r))
		case name == "expires_at":
			n.ExpiresAt = wire.OrNil(readTimeOrDateObject(r))
		}
	})
	if !hasName {
		n.Name = defaultKeyName(n.Kind)
	}

	return n
}

// readKeyEdit reads the body of a request that changes a key. It ignores other members. members and group_id may be
// null. The password goes to where password points.
func readKeyEdit(r *wire.Reader, password *string) (e access.KeyEdit) {
	r.Object(func(name string) {
		switch name {
		case "password":
			if !r.Null() {
				*password, _ = r.String()
			}
		case "name":
			e.Name = wire.OrNil(r.String())
		case "members":
			var names []string
			if !r.Null() {
				names, _ = readStrings(r)
			}
			e.Members = &names
		case "group_id":
			e.GroupID = new(access.GroupID)
			if !r.Null() {
				e.GroupID = wire.OrNil(wire.ID[access.CustomerGroup](r))
			}
		}
	})

	return e
}

func defaultKeyName(k access.Kind) string {
	switch k {
	case access.PublishableKey:
		return "Publishable key"
	case access.ExchangeToken:
		return "Exchange token"
	}
	return "Secret key"
}

// readTimeOrDateObject reads a time: a string in ISO 8601 with an offset, or a date object as the API returns it. Of
// the object it uses only iso_utc.
func readTimeOrDateObject(r *wire.Reader) (at time.Time, ok bool) {
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

	r.ObjectWith(func(name string) {
		if name == "iso_utc" {
			text()
		}
	}, wire.Required{Member: "iso_utc",
		Message: "A date object must hold iso_utc; a string in ISO 8601 does as well."})
	return at, ok
}
