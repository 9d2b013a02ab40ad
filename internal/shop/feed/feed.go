package feed

import (
	"net/url"
	"regexp"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
)

// MaxFeeds is the number of feeds that a store may have.
const MaxFeeds = 50

// Format is the format of a feed.
type Format string

// The formats. CSV has the columns of Google.
const (
	YML    Format = "yml"
	Google Format = "google"
	CSV    Format = "csv"
)

// Formats returns all formats.
func Formats() []Format { return []Format{YML, Google, CSV} }

// MediaType returns the media type of a feed.
func (f Format) MediaType() string {
	if f == CSV {
		return "text/csv; charset=utf-8"
	}
	return "application/xml"
}

// Feed is a feed of a store.
type Feed struct {
	Name string
	Definition
	// Token is the feed key, with which an address reads the feed and nothing else.
	Token string
	// Version grows by one with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Address returns the address that reads the feed, with its key. base is the address of the API.
func (f *Feed) Address(base string) string {
	return base + "/v2/feeds/" + f.Name + "?key=" + url.QueryEscape(f.Token)
}

// Edit replaces the definition of a feed.
type Edit struct {
	Definition
	// NewKey gives the feed another key; the key before ends at once.
	NewKey bool
}

// namePattern matches the names of feeds, which stand in addresses.
var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// checkName is the rule of the name of a feed.
func checkName(name string) *fault.Field {
	if !namePattern.MatchString(name) {
		return fault.Broken("invalid_name",
			"The name of a feed stands in its address: 1 to 64 of the characters a-z, 0-9, hyphen and underscore, "+
				"such as yandex-market.")
	}
	return nil
}

// errTooManyFeeds returns the Conflict fault for a store that has MaxFeeds.
func errTooManyFeeds() error {
	return fault.New(fault.Conflict, "too_many_feeds",
		"The store has %d feeds, which is all that it may have; delete one first.", MaxFeeds)
}

// entry returns what the log says about the feed.
func (f *Feed) entry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "feed", ID: f.Name, Label: f.Name}, Changes: changes}
}
