package memory

// Config are the settings of a Budget.
type Config struct {
	// Limit is the memory of the process in bytes.
	Limit int64
	// Database is the memory of the page caches of the database connections. It is taken off the limit before the rest
	// is divided.
	Database int64
	// Search is the memory of the search columns in bytes. If it is negative, it is a share of Limit.
	Search int64
	// Spool limits the bytes of temporary files.
	Spool int64
	// FreeDisk returns the free bytes of the file system of the temporary files. It may be nil.
	FreeDisk func() int64
	// AnyAddress turns off the limits per address.
	AnyAddress bool
}

// Budget is the memory of the process, divided into shares. The shares are parts of the limit less Database; the sizes
// in parentheses are for a limit of 512 MiB. What is left is for the program itself and the garbage collector.
type Budget struct {
	Limit int64

	Bodies      *Share // request bodies and what they are decoded to (64 MiB)
	Windows     *Share // windows of the decompressors of request bodies (32 MiB)
	Responses   *Share // responses until their clients have read them (48 MiB)
	Connections *Share // connections and the headers of their requests (40 MiB)
	Images      *Share // decoded images (168 MiB)
	Search      *Share // search columns (56 MiB)
	Database    *Share // page caches of the database connections
	PageCache   *Share // rendered lists of products (8 MiB)
	// ProductCache is for rendered products, of which pages and single products are put together (24 MiB).
	ProductCache *Share
	ValueCache   *Share // rendered values of options (4 MiB)
	// AdminConnections is for connections of the administration (8 MiB). They have a share of their own, so that health
	// checks are answered while the API has no room.
	AdminConnections *Share
	// AttributeCache is for pages of options and features, EventCache for the payloads of webhooks (4 MiB each).
	AttributeCache, EventCache *Share
	// Spool counts bytes of temporary files, not of memory.
	Spool *Share
}

// spoolReserve is how many bytes of the disk temporary files leave free. It is more than what the server needs to be
// ready, so that requests alone cannot make it unavailable.
const spoolReserve = 128 << 20

// largeImage is what decoding the largest accepted image takes, unless it is of a rare kind.
const largeImage = 168 << 20

// NewBudget divides the limit into shares.
func NewBudget(c Config) *Budget {
	// The parts are 128ths of the limit less the page caches of the database. Caches have an upper limit: beyond it
	// they hardly become more useful.
	part := func(n int64) int64 { return max(0, c.Limit-c.Database) / 128 * n }

	// One large image must fit into its share. What it does not need beyond that, the search columns get.
	images := max(min(part(42), largeImage), part(16))
	search := c.Search
	if search < 0 {
		search = part(56) - images
	}

	b := &Budget{
		Limit:          c.Limit,
		Bodies:         NewShare("bodies", "request bodies", part(16)),
		Windows:        NewShare("windows", "compressed request bodies", part(8)),
		Responses:      NewShare("responses", "responses", part(12)),
		Connections:    NewShare("connections", "connections", part(10)),
		Images:         NewShare("images", "images", images),
		Search:         NewShare("search", "search columns", search),
		Database:       NewShare("database_cache", "pages of the database", c.Database),
		PageCache:      NewShare("page_cache", "lists", min(part(2), 64<<20)),
		ProductCache:   NewShare("product_cache", "products", part(6)),
		ValueCache:     NewShare("value_cache", "values", min(part(1), 8<<20)),
		AttributeCache: NewShare("attribute_cache", "options and features", min(part(1), 16<<20)),
		EventCache:     NewShare("event_cache", "events", min(part(1), 16<<20)),
		Spool:          NewShare("spool", "large request bodies and responses", c.Spool),

		AdminConnections: NewShare("admin_connections", "connections", part(2)),
	}

	b.Database.Measure(func() int64 { return c.Database }) // the caches fill up once and stay full
	if c.FreeDisk != nil {
		b.Spool.room = func() int64 { return c.FreeDisk() - spoolReserve }
	}

	for _, s := range b.Shares() {
		s.anyAddress = c.AnyAddress
	}

	return b
}

// Shares returns all shares.
func (b *Budget) Shares() []*Share {
	return []*Share{b.Bodies, b.Windows, b.Responses, b.Connections, b.AdminConnections, b.Images, b.Search, b.Database,
		b.PageCache, b.ProductCache, b.ValueCache, b.AttributeCache, b.EventCache, b.Spool}
}

// HeapLimit returns the limit for the heap of the Go runtime, for debug.SetMemoryLimit. It is below the limit of the
// process: the runtime may exceed it for a moment, and the memory of SQLite is not part of the heap.
func (b *Budget) HeapLimit() int64 { return b.Limit / 8 * 7 }
