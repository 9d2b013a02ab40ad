// Package store owns shops and their settings: name, timezone, language, currency, address and the origins that may call from
// a browser. It also holds the secret key to the database it belongs to. Who may read or change a shop is decided in access.
package store

import (
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
)

// ID names a store.
type ID = id.Of[Store]

// Store is a shop as it was when it was read; it does not follow later changes.
type Store struct {
	ID       ID
	Name     string
	Timezone string // IANA name
	Locale   string // one of locale.Supported
	Currency string // ISO 4217
	SiteURL  string // "" where none is set
	// CORSOrigins are in lower case, without a default port; "*" stands for all. Never nil in a store that was read.
	CORSOrigins []string
	// Version grows by one with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time

	zone *time.Location
}

// Zone returns the timezone. Where this machine does not know it, that is UTC: instants stay right.
func (s Store) Zone() *time.Location {
	if s.zone != nil {
		return s.zone
	}
	return zoneOrUTC(s.Timezone)
}

// Language returns the language of the shop; English where this program does not know it.
func (s Store) Language() locale.Locale {
	l, err := locale.Parse(s.Locale)
	if err != nil {
		l, _ = locale.Parse(defaultLocale)
	}
	return l
}

// AllowsOrigin reports whether a page of that origin, as a browser sends it, may read answers of this store.
func (s Store) AllowsOrigin(origin string) bool {
	origin = strings.ToLower(origin)
	return slices.ContainsFunc(s.CORSOrigins, func(allowed string) bool { return allowed == anyOrigin || allowed == origin })
}

func zoneOrUTC(name string) *time.Location {
	zone, err := locale.Zone(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
