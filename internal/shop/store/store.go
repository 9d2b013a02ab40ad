// Package store owns stores (shops) and their settings: name, timezone, language, currency, URL and CORS origins. It
// provides Tx, a transaction on behalf of one store. It also checks that the secret key belongs to the database.
// Permissions belong to package access.
package store

import (
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/memory"
)

// ID is the public id of a store.
type ID = id.Of[Store]

// MemoryOwner returns the owner of what is held of a memory share on behalf of a store. That of the zero ID is not
// limited.
func MemoryOwner(storeID ID) memory.Owner {
	if storeID.IsZero() {
		return memory.Owner{}
	}
	return memory.Owner{Store: string(storeID[:])}
}

// PriceList is the type argument of PriceListID. Price lists belong to package pricelist.
type PriceList struct{}

// PriceListID identifies a price list.
type PriceListID = id.Of[PriceList]

// Store is a copy of a store's row at the time of reading.
type Store struct {
	ID       ID
	Name     string
	Timezone string // IANA name
	Locale   string // one of locale.SupportedTags
	Currency string // ISO 4217
	SiteURL  string // "" if not set
	Address  string // postal, in lines; "" if not set
	Paths    Paths  // of the pages of the site
	// CORSOrigins are the allowed origins in lower case, without a default port; "*" allows all. The list is never nil
	// in a store from the database.
	CORSOrigins []string
	// PublicRemainders says whether publishable keys and customers see what each stock has of a variant.
	PublicRemainders bool
	// OldPriceList is the price list whose prices are shown crossed out; nil for none.
	OldPriceList *PriceListID
	// Version grows by one with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time

	zone *time.Location
}

// Zone returns the timezone, or UTC if the system's timezone database does not have it. Only the display of times
// depends on it.
func (s Store) Zone() *time.Location {
	if s.zone != nil {
		return s.zone
	}
	return zoneOrUTC(s.Timezone)
}

// Language returns the language of the store, or English if it is not supported.
func (s Store) Language() locale.Locale {
	l, err := locale.Parse(s.Locale)
	if err != nil {
		l, _ = locale.Parse(defaultLocale)
	}
	return l
}

// AllowsOrigin reports whether pages of an origin may read responses of this store. origin is the Origin header of a
// browser.
func (s Store) AllowsOrigin(origin string) bool {
	origin = strings.ToLower(origin)
	return slices.ContainsFunc(s.CORSOrigins, func(allowed string) bool {
		return allowed == anyOrigin || allowed == origin
	})
}

func zoneOrUTC(name string) *time.Location {
	zone, err := locale.Zone(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
