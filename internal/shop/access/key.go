package access

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// DefaultOverlap is how long a rotated key keeps working by default.
const DefaultOverlap = 24 * time.Hour

// maxOverlap limits how long a rotated key keeps working.
const maxOverlap = 30 * 24 * time.Hour

// KeyID identifies a key or exchange token.
type KeyID = id.Of[Key]

// Key is a publishable key, a secret key or an exchange token. It does not contain the token, which is shown once and
// not stored.
type Key struct {
	ID      KeyID
	StoreID store.ID
	Kind    Kind
	Name    string
	// Hint is the token's prefix and its last four characters, by which people recognize it.
	Hint    string
	Scopes  Scopes
	Members productfield.Set // of products, that an exchange token writes; 0 means all
	// GroupID is the customer group of a publishable key: visitors who come by the key get its prices. It is nil for
	// none.
	GroupID    *GroupID
	CreatedAt  time.Time
	ExpiresAt  *time.Time // nil if it never expires
	RevokedAt  *time.Time // nil if it is not revoked
	LastUsedAt *time.Time // nil if it was never used; up to a minute behind
}

// Active reports whether the key is neither revoked nor expired at the given time.
func (k Key) Active(now time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || k.ExpiresAt.After(now))
}

// NewKey describes a key to create.
type NewKey struct {
	Kind Kind
	Name string
	// Scopes are scopes such as "catalog:read", or entities such as "products" for an exchange token. nil selects the
	// default of the kind.
	Scopes []string
	// Members are the names of the members of products that an exchange token writes; nil means all.
	Members []string
	// GroupID is the customer group of a publishable key; nil for none.
	GroupID *GroupID
	// ExpiresAt is when the key stops working; nil means never.
	ExpiresAt *time.Time
}

// check validates n. It returns the key to store, without id, hint and hash, or fault.Invalid with one field per
// problem.
func (n NewKey) check(now time.Time) (Key, error) {
	var problems []fault.Field
	switch n.Kind {
	case PublishableKey, SecretKey, ExchangeToken:
	default:
		problems = append(problems, fault.NewField("kind", "unknown_kind",
			"Use one of %s, %s, %s.", PublishableKey, SecretKey, ExchangeToken))
	}

	name := strings.TrimSpace(n.Name)
	if problem := checkKeyName(name); problem != nil {
		problems = append(problems, problem.At("name"))
	}

	scopes, problem := chooseScopes(n.Kind, n.Scopes)
	problems = append(problems, problem...)
	members, problem := chooseMembers(n.Kind, n.Members)
	problems = append(problems, problem...)
	problems = append(problems, checkGroup(n.Kind, n.GroupID)...)
	key := Key{Kind: n.Kind, Name: name, Scopes: scopes, Members: members, GroupID: n.GroupID,
		CreatedAt: now}

	if n.ExpiresAt != nil {
		key.ExpiresAt = new(n.ExpiresAt.UTC().Truncate(time.Microsecond))
		if !key.ExpiresAt.After(now) {
			problems = append(problems, fault.NewField("expires_at", "in_the_past",
				"The key would have expired already; give a time to come, or none."))
		}
	}

	return key, fault.Fields(problems)
}

// Owned returns the members of products that the key writes.
func (k Key) Owned() productfield.Set {
	if k.Members == 0 {
		return productfield.All
	}
	return k.Members
}

// KeyEdit is an edit of a key. A nil field keeps the stored value.
type KeyEdit struct {
	Name *string
	// Members has the same meaning as in NewKey. A pointer to nil means all.
	Members *[]string
	// GroupID is the customer group of a publishable key; the zero id takes it away.
	GroupID *GroupID
}

// apply applies an edit to the key. It returns fault.Invalid with one field per problem.
func (k *Key) apply(e KeyEdit) error {
	var problems []fault.Field
	if e.Name != nil {
		k.Name = strings.TrimSpace(*e.Name)
		if problem := checkKeyName(k.Name); problem != nil {
			problems = append(problems, problem.At("name"))
		}
	}
	if e.Members != nil {
		members, problem := chooseMembers(k.Kind, *e.Members)
		k.Members, problems = members, append(problems, problem...)
	}

	if e.GroupID != nil {
		k.GroupID = e.GroupID
		if e.GroupID.IsZero() {
			k.GroupID = nil
		}
		problems = append(problems, checkGroup(k.Kind, k.GroupID)...)
	}

	return fault.Fields(problems)
}

// checkGroup returns what is wrong with the group of a key: only visitors have one.
func checkGroup(kind Kind, groupID *GroupID) []fault.Field {
	if groupID == nil || kind == PublishableKey {
		return nil
	}
	return []fault.Field{fault.NewField("group_id", "not_allowed",
		"Only a publishable key can have a customer group: other keys read the prices of the variants themselves.")}
}

// chooseMembers returns the members that the names select, and 0 for nil, which means all. The fields list what is
// wrong with them.
func chooseMembers(kind Kind, names []string) (set productfield.Set, problems []fault.Field) {
	switch {
	case names == nil:
		return 0, nil
	case kind != ExchangeToken:
		return 0, []fault.Field{fault.NewField("members", "not_allowed",
			"Only an exchange token can be limited to members of products.")}
	case len(names) == 0:
		return 0, []fault.Field{fault.NewField("members", "required",
			"The list is empty, so the token could write nothing. Use some of %s, or null for all.", productfield.All)}
	}

	for i, name := range names {
		one, known := productfield.All.Find(name)
		if !known {
			problems = append(problems, fault.NewField(fmt.Sprintf("members[%d]", i), "unknown_member",
				"There is no such member; use some of %s.", productfield.All))
		}
		set |= one
	}

	return set, problems
}

func checkKeyName(name string) *fault.Field {
	if name == "" {
		return fault.Broken("required", "Give the key a name by which people know what it is for.")
	}
	if broken := rule.OneLine(name); broken != nil {
		return broken
	}
	if utf8.RuneCountInString(name) > rule.MaxName {
		return fault.Broken("too_long", "The name has more than %d characters.", rule.MaxName)
	}
	return nil
}

// successor returns the key that replaces k, without id, hint and hash. A key that expires gets the same lifetime
// again.
func (k Key) successor(now time.Time) Key {
	next := Key{StoreID: k.StoreID, Kind: k.Kind, Name: k.Name, Scopes: k.Scopes, Members: k.Members,
		GroupID: k.GroupID, CreatedAt: now}
	if k.ExpiresAt != nil {
		next.ExpiresAt = new(now.Add(k.ExpiresAt.Sub(k.CreatedAt)))
	}
	return next
}

// rotationEnd returns when a key that is rotated now stops working: after the overlap, or earlier if it expires
// earlier.
func (k Key) rotationEnd(now time.Time, overlap time.Duration) time.Time {
	end := now.Add(overlap)
	if k.ExpiresAt != nil && k.ExpiresAt.Before(end) {
		return *k.ExpiresAt
	}
	return end
}

func checkOverlap(overlap time.Duration) error {
	if overlap < 0 || overlap > maxOverlap {
		return fault.OneField("overlap", "out_of_range",
			"The overlap is between 0, which ends the old key at once, and %d hours.", int(maxOverlap.Hours()))
	}
	return nil
}
