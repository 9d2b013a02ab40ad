// Package catalog owns what a shop sells: variant options, features and their values, products and their variants.
// It does not know how a catalogue is searched (search), fed (exchange) or spoken of over HTTP (storeapi).
package catalog

import (
	"time"

	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
)

// Service is the catalogue's use-cases, by what they are about. Those that change something take the caller's transaction. They are safe
// for concurrent use.
type Service struct {
	Attributes *Attributes
	Categories *Categories
	Stocks     *Stocks
	Products   *Products
	Images     *Images
	Pushes     *Pushes
}

// Deps is what the use-cases need.
type Deps struct {
	Now func() time.Time
	// Guard checks the addresses of pushed images, and Queue takes the jobs that download them. Where they are nil, such addresses are
	// passed over with a warning. A Downloader runs the jobs.
	Guard *outbound.Guard
	Queue *queue.Queue
}

// New makes the use-cases.
func New(deps Deps) *Service {
	c := &core{now: deps.Now}
	if deps.Guard != nil && deps.Queue != nil {
		c.downloads = &downloadQueue{guard: deps.Guard, queue: deps.Queue}
	}
	return &Service{
		Attributes: &Attributes{core: c},
		Categories: &Categories{core: c},
		Stocks:     &Stocks{core: c},
		Products:   &Products{core: c},
		Images:     &Images{core: c},
		Pushes:     &Pushes{core: c},
	}
}

// core is what the use-cases share.
type core struct {
	now       func() time.Time
	stats     statistics
	downloads *downloadQueue // nil where images are not downloaded
}

// Attributes are the use-cases of options, features and their values.
type Attributes struct {
	*core
	pages attributePageCache
}

// Categories are the use-cases of the tree of categories.
type Categories struct{ *core }

// Stocks are the use-cases of stocks, and of what orders reserve in them.
type Stocks struct{ *core }

// Products are the use-cases of products and their variants.
type Products struct{ *core }

// Images are the use-cases of images; imagefile has their bytes.
type Images struct{ *core }

// Pushes are the use-cases of what accounting pushes, and of the references that wait for something to be pushed.
type Pushes struct{ *core }

// after returns the present time, later than t in any case: a change is always newer than what it changes.
func (c *core) after(t time.Time) time.Time {
	now := c.now().UTC().Truncate(time.Microsecond)
	if !now.After(t) {
		now = t.Add(time.Microsecond)
	}
	return now
}
