package adminapi

import (
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
			n.ExpiresAt = wire.OrNil(wire.Moment(r))
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
