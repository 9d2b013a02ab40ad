package onec

import (
	"context"
	"log/slog"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// Deps are the dependencies of a Service.
type Deps struct {
	DB     *database.DB
	Stores *store.Service
	// Exchange applies what the files have. It must have been created with Importer.
	Exchange *exchange.Service
	// Orders are exchanged with 1C.
	Orders *order.Service
	// Queue has the jobs that import files. The caller must register Kind with it.
	Queue *queue.Queue
	Now   func() time.Time
	Log   *slog.Logger
	// ImportShare counts the memory of the files that are imported, of each at most a quarter of the share; nil means
	// no limit.
	ImportShare *memory.Share
}

// Service exchanges goods and orders with 1C. It is safe for concurrent use.
type Service struct {
	Deps
	// pictures is the package whose images are read, directories has the directories of the archives.
	pictures    packageCache
	directories directoryCache
	importWaits importWaits
	// leastListed and leastRecorded are the constants, except in tests.
	leastListed, leastRecorded int64
}

// New returns a Service. The caller must also call Run, in a goroutine.
func New(deps Deps) *Service {
	return &Service{Deps: deps, leastListed: leastListed, leastRecorded: leastRecorded}
}

// Importer returns what runs of imported files need of this package.
func Importer() exchange.Importer {
	return exchange.Importer{JobKind: jobKind, ParkedJob: parkedFileJob, MissingProducts: missingProducts}
}

const (
	// sweepEvery is the interval at which packages are ended and sessions deleted, pruneEvery the interval at which old
	// rows are deleted.
	sweepEvery = 10 * time.Second
	pruneEvery = time.Hour
	// deleteChunkLimit, deleteFileLimit and pruneLimit are the maximum numbers of chunks of files, of files and of
	// other rows that a transaction deletes. A chunk has up to 1 MiB.
	deleteChunkLimit = 64
	deleteFileLimit  = 5000
	pruneLimit       = 200
)

// Run does the periodic work until ctx ends: it ends full packages, and deletes sessions and records that are not used
// any more.
func (s *Service) Run(ctx context.Context) error {
	return periodic.Run(ctx, s.Log,
		periodic.Task{Name: "end full packages of 1C", Every: sweepEvery, Do: s.EndPackages},
		periodic.Task{Name: "delete old packages of 1C", Every: pruneEvery, Do: s.deleteOldPackages},
		periodic.Task{Name: "delete records of goods of 1C that are gone", Every: pruneListedEvery, Do: s.pruneListed},
		periodic.Task{Name: "delete old sessions of 1C", Every: sweepEvery, Do: s.deleteOldSessions},
		periodic.Task{Name: "delete old recordings of files of 1C", Every: pruneEvery, Do: s.deleteOldRecordings},
		periodic.Task{Name: "delete what is remembered of old pictures of 1C", Every: pruneEvery, Do: s.prunePictures},
	)
}

// querier executes statements, usually in a transaction.
type querier = database.Querier

// write runs fn in a short transaction, which may share its commit with other transactions: see database.DB.Write.
func (s *Service) write(ctx context.Context, fn func(q querier) error) error {
	return s.DB.Write(ctx, fn)
}

// now returns the current time with the precision of the database: microseconds.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }
