package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/app"
	"vitrine/internal/demo"
	"vitrine/internal/kit/config"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// million is the number of products to which the aims apply.
const million = 1_000_000

// demoSeed is the seed of the demo catalogue.
const demoSeed = 1

// picturedProducts is the number of products with pictures, one page of a list.
const picturedProducts = 50

// filledStores are stores with products of the demo catalogue, one per size. A store is filled when a benchmark first
// uses it.
type filledStores struct {
	sizes          []int
	dir            string
	postgresCopies map[int]databasetest.FreshDatabase // by size
	plot           *benchPlot
}

func newFilledStores(dir string, sizes []int) *filledStores {
	return &filledStores{
		sizes: sizes, dir: dir, postgresCopies: map[int]databasetest.FreshDatabase{}, plot: newFacetsPlot(),
	}
}

// eachSize runs a measurement with the store of each size.
func (e *benchEnvironment) eachSize(measure func(n int) ([]figure, error)) ([]figure, error) {
	var all []figure
	for _, n := range e.stores.sizes {
		figures, err := measure(n)
		if err != nil {
			return nil, fmt.Errorf("%s products: %w", formatThousands(n), err)
		}
		all = append(all, figures...)
	}
	return all, nil
}

// eachSizeInMemory runs a measurement with the store of each size, on a server that answers from the columns.
func (e *benchEnvironment) eachSizeInMemory(
	ctx context.Context, measure func(s *benchServer, c *http.Client, n int) ([]figure, error),
) ([]figure, error) {
	return e.eachSize(func(n int) ([]figure, error) {
		s, err := e.startServerWithProducts(ctx, n)
		if err != nil {
			return nil, err
		}
		c := newClient()
		if _, err := s.waitForColumns(ctx, c); err != nil {
			return nil, err
		}
		figures, err := measure(s, c, n)
		if err != nil {
			return nil, err
		}
		return figures, s.stop()
	})
}

// startServerWithProducts starts the program with the store of a size.
func (e *benchEnvironment) startServerWithProducts(ctx context.Context, n int) (*benchServer, error) {
	storage, keys, err := e.stores.ensureFilled(ctx, e.engine, n)
	if err != nil {
		return nil, err
	}
	return startServerAt(ctx, storage, &keys)
}

// ensureFilled returns the storage and the keys of the store of a size, and fills the store if necessary. The
// PostgreSQL database is a copy of the SQLite one: both have the same rows, and copying is faster than filling.
func (s *filledStores) ensureFilled(
	ctx context.Context, engine string, n int,
) (config.Storage, account.ProvisionedStore, error) {
	storage := config.Storage{Data: s.productsDir(n)}
	keys, err := readKeys(storage)
	if errors.Is(err, fs.ErrNotExist) {
		keys, err = createFilledStore(ctx, storage, n)
	}

	if err != nil || engine != "postgres" {
		return storage, keys, err
	}

	if _, copied := s.postgresCopies[n]; !copied {
		fresh, err := databasetest.CreateMigrated(ctx, engine, "")
		if err != nil {
			return storage, keys, err
		}

		s.postgresCopies[n] = fresh
		if err := migrateStore(ctx, storage); err != nil {
			return storage, keys, err
		}
		if err := copyTables(ctx, storage.DatabaseURL(), fresh.URL); err != nil {
			return storage, keys, fmt.Errorf("copy to PostgreSQL: %w", err)
		}
	}

	storage.Database = s.postgresCopies[n].URL
	return storage, keys, nil
}

// productsDir returns the directory of the SQLite store of a size.
func (s *filledStores) productsDir(n int) string {
	return filepath.Join(s.dir, "products-"+strconv.Itoa(n))
}

// migrateStore migrates a store that an older program has filled. Its tables are copied by the current columns.
func migrateStore(ctx context.Context, storage config.Storage) error {
	core, err := app.Open(ctx, storage, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return core.Close()
}

// createFilledStore creates and fills a store on SQLite. It writes the keys last: a store without them is incomplete.
func createFilledStore(ctx context.Context, storage config.Storage, n int) (account.ProvisionedStore, error) {
	if err := os.RemoveAll(storage.Data); err != nil {
		return account.ProvisionedStore{}, err
	}
	core, err := app.Open(ctx, storage, slog.New(slog.DiscardHandler))
	if err != nil {
		return account.ProvisionedStore{}, err
	}
	keys, err := fillWithDemo(ctx, core, storage, n)
	if err := errors.Join(err, core.Close()); err != nil {
		return account.ProvisionedStore{}, err
	}
	return keys, writeKeys(storage, keys)
}

func fillWithDemo(
	ctx context.Context, core *app.Core, storage config.Storage, n int,
) (account.ProvisionedStore, error) {
	keys, err := core.CreateStore(ctx, store.Edit{}, account.NewOwner{})
	if err != nil {
		return keys, err
	}
	files, blobs, err := core.OpenImages(ctx, storage, config.Files{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return keys, err
	}

	start := time.Now()
	reported := 0

	_, err = demo.Fill(ctx, core.DB, catalog.New(catalog.Deps{Now: core.Now}), keys.StoreID, demo.Options{
		Products: n, Seed: demoSeed, Pictures: picturedProducts, Files: files,
		Progress: func(done int) {
			if done >= reported+n/10 || done == n {
				reported = done
				fmt.Fprintf(os.Stderr, "  filled %s of %s products, %s\n", formatThousands(done), formatThousands(n),
					formatRate(done, time.Since(start))+" products/s")
			}
		},
	})
	if err := errors.Join(err, blobs.Close()); err != nil {
		return keys, err
	}

	// Prune the log of product changes now. Otherwise the server would prune it during the measurement.
	later := catalog.New(catalog.Deps{Now: func() time.Time { return time.Now().Add(time.Hour) }})
	return keys, later.Products.PruneChanges(ctx, core.DB)
}

func keysFile(storage config.Storage) string { return filepath.Join(storage.Data, "keys.json") }

func readKeys(storage config.Storage) (keys account.ProvisionedStore, err error) {
	b, err := os.ReadFile(keysFile(storage))
	if err != nil {
		return keys, err
	}
	err = json.Unmarshal(b, &keys)
	return keys, err
}

func writeKeys(storage config.Storage, keys account.ProvisionedStore) error {
	b, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return os.WriteFile(keysFile(storage), b, 0o600)
}

// dropCopy drops the PostgreSQL database of a size, if there is one. The next use makes another.
func (s *filledStores) dropCopy(ctx context.Context, n int) error {
	fresh, copied := s.postgresCopies[n]
	if !copied {
		return nil
	}
	delete(s.postgresCopies, n)
	return fresh.Drop(ctx)
}

// dropCopies drops the PostgreSQL databases. The SQLite files are in a temporary directory or are kept.
func (s *filledStores) dropCopies(ctx context.Context) error {
	var err error
	for _, fresh := range s.postgresCopies {
		err = errors.Join(err, fresh.Drop(ctx))
	}
	return err
}
