package exchange

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/export"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// Deps are the dependencies of a Service.
type Deps struct {
	DB      *database.DB
	Catalog *catalog.Service
	Access  *access.Service
	Stores  *store.Service
	// Events emits exchange.completed.
	Events *event.Emitter
	// Orders says what reservations were taken.
	Orders *order.Service
	// Importer is implemented by package onec.
	Importer Importer
	// Queue has the jobs that apply pushes in the background. The caller must register Pushes.Kind with it.
	Queue *queue.Queue
	Now   func() time.Time
	Log   *slog.Logger
	// Retention is how long runs are kept; 0 keeps them for ever.
	Retention time.Duration
	// SpoolDir is the directory for the temporary files of pushes that are applied in one transaction.
	SpoolDir string
	// SpoolShare limits the bytes of these files; nil means no limit. Its limits hold a second time for the bodies that
	// wait in the database to be applied in the background.
	SpoolShare *memory.Share
	// Observe is called on this node after every end of a push, to count it. It may be nil.
	Observe func(e Ended)
	// Failed is called in the transaction that ends a push that has failed, except dry runs. It may be nil.
	Failed func(ctx context.Context, tx store.Tx, run *Run) error
	// DatabaseRoom returns how many more bytes such bodies may take on the disk of the database; nil means no limit.
	DatabaseRoom func() int64
}

// Importer has what a run depends on if it was made of a file. Its functions work in the caller's transaction.
type Importer struct {
	// JobKind is the kind of the jobs that import files.
	JobKind string
	// ParkedJob returns the name of the parked job that imports the file of a run, or fault.NotFound.
	ParkedJob func(ctx context.Context, tx store.Tx, runKey int64) (name string, err error)
	// MissingProducts returns the keys of the products that a run of a file archives because they are missing.
	MissingProducts func(ctx context.Context, tx store.Tx, run *Run) ([]int64, error)
}

// Service has the use cases of the exchange, by what they are about. It is safe for concurrent use.
type Service struct {
	*core
	Pushes  *Pushes
	Runs    *Runs
	Exports *Exports
	Bodies  *Bodies
}

// core is what all use cases share.
type core struct {
	Deps
	catalogPushes  *push.Pushes
	catalogExports *export.Exports
}

// Pushes receives pushes and applies them.
type Pushes struct {
	*core
	runs     *Runs
	bodies   *Bodies
	handlers map[string]entityHandler
	// storeLocks serializes the transactions of the pushes to one store.
	storeLocks   storeLocks
	yielding     database.Yielding
	interruption interruption
	// workbooks has an element for each workbook that is taken apart.
	workbooks chan struct{}
	// smallPushItems is maxSmallPushItems, except in tests.
	smallPushItems int
	// archiveChunk is the constant, except in tests.
	archiveChunk int
	// shortWritesWait is DB.ShortWritesWait, except in tests.
	shortWritesWait func() bool
}

// Runs reads the records of pushes, ends them and deletes old ones.
type Runs struct {
	*core
	bodies *Bodies
	// running holds the runs for which this node writes heartbeats.
	running runSet
	// revertChunk is the constant, except in tests.
	revertChunk int
}

// Exports writes the catalogue in the form in which it is pushed.
type Exports struct{ *core }

// Bodies stores the bodies of pushes that wait to be applied in the background.
type Bodies struct{ *core }

// New returns a Service. The caller must also call Run, in a goroutine.
func New(deps Deps) *Service {
	shared := &core{
		Deps:           deps,
		catalogPushes:  push.New(deps.Catalog, deps.Orders.TakenReservations),
		catalogExports: export.New(deps.Catalog),
	}
	bodies := &Bodies{shared}
	runs := &Runs{core: shared, bodies: bodies, revertChunk: revertChunk}
	pushes := &Pushes{
		core: shared, runs: runs, bodies: bodies,
		yielding: database.DefaultYielding(), interruption: newInterruption(),
		workbooks:      make(chan struct{}, workbookSlots),
		smallPushItems: maxSmallPushItems, archiveChunk: archiveChunk, shortWritesWait: deps.DB.ShortWritesWait,
	}
	pushes.handlers = pushes.newHandlers()
	return &Service{core: shared, Pushes: pushes, Runs: runs, Exports: &Exports{shared}, Bodies: bodies}
}

// newHandlers returns the handlers of all entities.
func (s *Pushes) newHandlers() map[string]entityHandler {
	attributes := func(of item.Type[catalog.AttributePush], kind catalog.Kind) entityHandler {
		push := func(ctx context.Context, tx store.Tx, items []catalog.AttributePush) ([]push.Pushed, error) {
			return s.catalogPushes.ApplyAttributes(ctx, tx, kind, items)
		}
		return &entityOf[catalog.AttributePush]{itemType: of, push: push, describe: s.describeAttributes(kind),
			mark: func(p *catalog.AttributePush) catalog.Mark { return p.Mark }}
	}

	return map[string]entityHandler{
		Products: &entityOf[catalog.ProductPush]{itemType: item.Product(), push: s.catalogPushes.ApplyProducts,
			findRepeated: s.catalogPushes.FindRepeated,
			setOrigin:    func(p *catalog.ProductPush, from catalog.Origin) { p.Origin = from },
			restrict:     item.RestrictProduct, describe: s.describeProducts,
			compare:  func(p *catalog.ProductPush) { p.Compare = true },
			matching: productMatch(),
			mark:     func(p *catalog.ProductPush) catalog.Mark { return p.Mark }},
		VariantOptions: attributes(item.Option(), catalog.Option),
		Features:       attributes(item.Feature(), catalog.Feature),
		Categories: &entityOf[catalog.CategoryPush]{itemType: item.Category(), push: s.catalogPushes.ApplyCategories,
			describe: s.describeCategories, mark: func(p *catalog.CategoryPush) catalog.Mark { return p.Mark }},
		Stocks: &entityOf[catalog.StockPush]{itemType: item.Stock(), push: s.catalogPushes.ApplyStocks,
			describe: s.describeStocks,
			mark:     func(p *catalog.StockPush) catalog.Mark { return p.Mark }},
		PriceLists: &entityOf[catalog.PriceListPush]{itemType: item.PriceList(), push: s.catalogPushes.ApplyPriceLists,
			describe: s.describePriceLists,
			mark:     func(p *catalog.PriceListPush) catalog.Mark { return p.Mark }},
		Remainders: &entityOf[catalog.RemainderPush]{
			itemType: item.Remainder(), push: s.catalogPushes.ApplyRemainders, byVariant: true,
			restrict: restrictRemainder, matching: remainderMatch(),
			describe: s.describeRemainders},
		Prices: &entityOf[catalog.PricePush]{itemType: item.Price(), push: s.catalogPushes.ApplyPrices, byVariant: true,
			restrict: restrictPrice, matching: priceMatch(), describe: s.describePrices},
	}
}

// now returns the current time with the precision of the database: microseconds.
func (s *core) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }
