package catalog

import (
	"cmp"
	"context"
	"sync"
	"time"

	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

// Service has the use cases of the catalogue, grouped by subject. Use cases that write run in the caller's transaction.
// All are safe for concurrent use.
type Service struct {
	Attributes *Attributes
	Categories *Categories
	Stocks     *Stocks
	Products   *Products
	Images     *Images
	Links      *Links
	Deletions  *Deletions
	Merges     *Merges
}

// Deps are the dependencies of the use cases.
type Deps struct {
	Now func() time.Time
	// Guard checks the URLs of pushed images. Queue gets the jobs that download the images; a Downloader runs the jobs.
	// If Guard or Queue is nil, URLs of images are skipped with a warning.
	Guard *outbound.Guard
	Queue *queue.Queue
	// Cache is the memory for pages of attributes. If it is nil, the cache has maxCachedBytes.
	Cache *memory.Share
	// ProductText reads a product for the log; it is view.ReadProductText. Without it, entries about edits of products
	// do not say what changed.
	ProductText func(ctx context.Context, tx store.Tx, productKey int64) (*ProductText, error)
	// MaxDirectLinks is the number of links that a deletion deletes in its own transaction. 0 means the default, and a
	// negative number means none.
	MaxDirectLinks int
}

// New returns the use cases.
func New(deps Deps) *Service {
	c := &Core{Now: deps.Now, productText: deps.ProductText,
		MaxDirectLinks:  max(0, cmp.Or(deps.MaxDirectLinks, defaultDirectLinks)),
		maxStockChanges: maxStockChanges, keptChanges: MaxKeptChanges, attributeHidden: make(chan struct{}, 1),
		deletionAdded: make(chan struct{}, 1), mergeAdded: make(chan struct{}, 1)}
	if deps.MaxDirectLinks < 0 {
		c.maxStockChanges = 0
	}

	if deps.Guard != nil && deps.Queue != nil {
		c.Downloads = &DownloadQueue{Guard: deps.Guard, Queue: deps.Queue}
	}

	return &Service{
		Attributes: &Attributes{Core: c, pages: newAttributePages(deps.Cache)},
		Categories: &Categories{Core: c},
		Stocks:     &Stocks{Core: c},
		Products:   &Products{Core: c},
		Images:     &Images{Core: c},
		Links:      &Links{Core: c},
		Deletions:  &Deletions{Core: c},
		Merges:     &Merges{Core: c},
	}
}

// Core has the state that the use cases share, and the writes of it that several of them need.
type Core struct {
	Now            func() time.Time
	productText    func(ctx context.Context, tx store.Tx, productKey int64) (*ProductText, error)
	MaxDirectLinks int
	// maxStockChanges is the constant of the same name, unless MaxDirectLinks is negative: then it is 0.
	maxStockChanges int
	Analyzer        productAnalyzer
	Downloads       *DownloadQueue // nil if images are not downloaded
	// attributeHidden has an element if an attribute was hidden that Attributes.Run must delete, and deletionAdded if
	// there is a new deletion for Deletions.Run, and mergeAdded if there is a new merge for Merges.Run.
	attributeHidden, deletionAdded, mergeAdded chan struct{}
	// keptChanges is the number of changes that PruneChanges keeps. keptVersions has the versions, by store, at which
	// it found no more than these.
	keptChanges  int64
	keptVersions sync.Map
}

// Attributes has the use cases of options, features and their values.
type Attributes struct {
	*Core
	pages *cache.Cache[attributePageKey, attributePage]
}

// Categories has the use cases of the category tree.
type Categories struct{ *Core }

// Stocks has the use cases of stocks, and of the quantities that orders reserve in them.
type Stocks struct{ *Core }

// Products has the use cases of products and their variants.
type Products struct{ *Core }

// Images has the use cases of images. Package imagefile stores their bytes.
type Images struct{ *Core }

// Links has the use cases of pending references: products and categories that refer to objects which are not pushed
// yet.
type Links struct{ *Core }

// Core returns what the use cases share, for the packages of pushes and exports.
func (s *Service) Core() *Core { return s.Products.Core }

// UpdateTimeAfter returns the current time, or the microsecond after t if the clock is not past t. So a change is
// always newer than the previous one.
func (c *Core) UpdateTimeAfter(t time.Time) time.Time {
	now := c.Now().UTC().Truncate(time.Microsecond)
	if !now.After(t) {
		now = t.Add(time.Microsecond)
	}
	return now
}
