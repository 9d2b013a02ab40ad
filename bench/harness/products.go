package harness

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

// Million is the number of products to which the aims apply.
const Million = 1_000_000

// DemoSeed is the seed of the demo catalogue.
const DemoSeed = 1

// PicturedProducts is the number of products with pictures, one page of a list.
const PicturedProducts = 50

// filledStores are stores with products of the demo catalogue, one per size. A store is filled when a benchmark first
// uses it.
type filledStores struct {
	sizes          []int
	dir            string
	postgresCopies map[int]databasetest.FreshDatabase // by size
	Plot           *Plot
}

func NewFilledStores(dir string, sizes []int) *filledStores {
	return &filledStores{
		sizes: sizes, dir: dir, postgresCopies: map[int]databasetest.FreshDatabase{}, Plot: newFacetsPlot(),
	}
}

// EachSize runs a measurement with the store of each size.
func (e *Environment) EachSize(measure func(n int) ([]Figure, error)) ([]Figure, error) {
	var all []Figure
	for _, n := range e.Stores.sizes {
		figures, err := measure(n)
		if err != nil {
			return nil, fmt.Errorf("%s products: %w", FormatThousands(n), err)
		}
		all = append(all, figures...)
	}
	return all, nil
}

// EachSizeInMemory runs a measurement with the store of each size, on a server that answers from the columns.
func (e *Environment) EachSizeInMemory(
	ctx context.Context, measure func(s *Server, c *http.Client, n int) ([]Figure, error),
) ([]Figure, error) {
	return e.EachSize(func(n int) ([]Figure, error) {
		s, err := e.StartServerWithProducts(ctx, n)
		if err != nil {
			return nil, err
		}
		c := NewClient()
		if _, err := s.WaitForColumns(ctx, c); err != nil {
			return nil, err
		}
		figures, err := measure(s, c, n)
		if err != nil {
			return nil, err
		}
		return figures, s.Stop()
	})
}

// StartServerWithProducts starts the program with the store of a size.
func (e *Environment) StartServerWithProducts(ctx context.Context, n int) (*Server, error) {
	storage, keys, err := e.Stores.EnsureFilled(ctx, e.Engine, n)
	if err != nil {
		return nil, err
	}
	return StartServerAt(ctx, storage, &keys)
}

// EnsureFilled returns the storage and the keys of the store of a size, and fills the store if necessary. The
// PostgreSQL database is a copy of the SQLite one: both have the same rows, and copying is faster than filling.
func (s *filledStores) EnsureFilled(
	ctx context.Context, engine string, n int,
) (config.Storage, account.ProvisionedStore, error) {
	storage := config.Storage{Data: s.ProductsDir(n)}
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
		if err := MigrateStore(ctx, storage); err != nil {
			return storage, keys, err
		}
		if err := copyTables(ctx, storage.DatabaseURL(), fresh.URL); err != nil {
			return storage, keys, fmt.Errorf("copy to PostgreSQL: %w", err)
		}
	}

	storage.Database = s.postgresCopies[n].URL
	return storage, keys, nil
}

// ProductsDir returns the directory of the SQLite store of a size.
func (s *filledStores) ProductsDir(n int) string {
	return filepath.Join(s.dir, "products-"+strconv.Itoa(n))
}

// MigrateStore migrates a store that an older program has filled. Its tables are copied by the current columns.
func MigrateStore(ctx context.Context, storage config.Storage) error {
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
		Products: n, Language: demo.Mixed, Seed: DemoSeed, Pictures: PicturedProducts, Files: files,
		Progress: func(done int) {
			if done >= reported+n/10 || done == n {
				reported = done
				fmt.Fprintf(os.Stderr, "  filled %s of %s products, %s\n", FormatThousands(done), FormatThousands(n),
					FormatRate(done, time.Since(start))+" products/s")
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

// DropCopy drops the PostgreSQL database of a size, if there is one. The next use makes another.
func (s *filledStores) DropCopy(ctx context.Context, n int) error {
	fresh, copied := s.postgresCopies[n]
	if !copied {
		return nil
	}
	delete(s.postgresCopies, n)
	return fresh.Drop(ctx)
}

// DropCopies drops the PostgreSQL databases. The SQLite files are in a temporary directory or are kept.
func (s *filledStores) DropCopies(ctx context.Context) error {
	var err error
	for _, fresh := range s.postgresCopies {
		err = errors.Join(err, fresh.Drop(ctx))
	}
	return err
}
