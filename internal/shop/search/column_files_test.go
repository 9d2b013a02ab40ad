package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// newFileNode returns a node with a directory for files, which small stores have, too.
func (f *fixture) newFileNode(dir string) *Service {
	f.Helper()
	databaseID, err := store.FindDatabaseID(f.Context(), f.DB)
	if err != nil {
		f.Fatal(err)
	}
	node := f.newNode(f.DB)
	node.Dir = dir
	node.Database = databaseID
	node.saving = savingLimits{maxSaveLock: time.Minute}
	return node
}

// writeFile runs a node until it has columns, and stops it.
func (f *fixture) writeFile(dir string) {
	f.Helper()
	node := f.newFileNode(dir)
	stop := f.Start(node.Run)
	f.waitForColumns(node)
	stop()
	if stats := node.Stats(); stats.Saves == 0 {
		f.Fatalf("stats after the shutdown: %+v, want a file", stats)
	}
}

// restart starts a node that may have a file, waits for its columns, and checks how it got them.
func (f *fixture) restart(what, dir string, loads, builds int64) *Service {
	f.Helper()
	node := f.newFileNode(dir)
	f.Start(node.Run)
	f.Eventually("the columns are loaded or built without a request", func() bool {
		stats := node.Stats()
		return stats.Loads+stats.Builds > 0
	})
	f.waitForColumns(node)
	if stats := node.Stats(); stats.Loads != loads || stats.Builds != builds {
		f.Errorf("%s: %d loads and %d builds, want %d and %d", what, stats.Loads, stats.Builds, loads, builds)
	}
	return node
}

// wantSameAsSQL compares the answer of the columns with that of SQL.
func (f *fixture) wantSameAsSQL(what string, node *Service, query Query) {
	f.Helper()
	query.Limit = 100
	query.WithFacets = true
	var bySQL Result
	f.Read(func(tx store.Tx) error {
		filter, err := node.resolveSearchFilter(f.Context(), tx, query, State{})
		if err != nil {
			return err
		}
		bySQL, err = findBySQL(f.Context(), tx, filter, query)
		return err
	})

	f.expectNoSQL(node, func() {
		found, err := f.find(node, query)
		found.Text, bySQL.Text = nil, nil
		if err != nil || found.Total == 0 || !reflect.DeepEqual(found, bySQL) {
			f.Errorf("%s: found %+v %+v, %v\nwant %+v %+v", what, found, found.Facets, err, bySQL, bySQL.Facets)
		}
	})
}

func TestRun_loadsColumnsFromTheirFile(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		dir := filepath.Join(f.TempDir(), "search")
		fabric, refs := f.catalog.CreateFeature("Fabric", true, "wool", "silk", "felt")
		var products []catalog.Product
		for i := range 30 {
			products = append(products, f.catalog.CreateProduct(fmt.Sprint("product ", i), money.Money(i),
				catalog.ProductEdit{Features: &[]catalog.ValueRef{refs[i%3]}}))
		}

		f.writeFile(dir)
		info, err := os.Stat(filepath.Join(dir, f.Store.ID.String()+columnsSuffix))
		if err != nil || info.Mode().Perm() != 0o600 {
			f.Fatalf("the file: %v, %v", info, err)
		}

		byWool := Query{Features: []Choice{{ID: fabric.ID, Values: []catalog.ValueID{refs[0].Value}}}}
		node := f.restart("without changes", dir, 1, 0)
		f.wantSameAsSQL("without changes", node, Query{})
		f.wantSameAsSQL("without changes", node, byWool)
		if age := node.Stats().FileAge; age <= 0 {
			f.Errorf("the file is %s old", age)
		}

		f.Write(func(tx store.Tx) error {
			ctx := f.Context()
			_, err := f.catalog.Products.Archive(ctx, tx, products[0].ID, nil)
			_, editErr := f.catalog.Products.Edit(ctx, tx, products[1].ID, catalog.ProductEdit{Name: new("Other"),
				Features: &[]catalog.ValueRef{refs[0]}}, nil)
			_, renameErr := f.catalog.Attributes.Edit(ctx, tx, catalog.Feature, fabric.ID, catalog.AttributeEdit{
				Name: new("Cloth"), Values: catalog.NewValues("linen"), Removed: catalog.ListOf(refs[1].Value)}, nil)
			return errors.Join(err, f.catalog.Products.Delete(ctx, tx, products[2].ID, nil), editErr, renameErr)
		})

		f.catalog.CreateProduct("new", 5, catalog.ProductEdit{Features: &[]catalog.ValueRef{refs[0]}})
		node = f.restart("after changes", dir, 1, 0)
		f.wantSameAsSQL("after changes", node, Query{})
		f.wantSameAsSQL("after changes", node, byWool)
		f.wantSameAsSQL("after changes", node, Query{Text: "other"})
	})
}

func TestRun_buildsColumnsIfTheirFileIsNotUsable(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})

		for _, name := range []string{"first", "second"} { // two versions of each
			f.catalog.CreateFeature(name, true, "value")
			f.Write(func(tx store.Tx) error {
				_, err := f.catalog.Categories.Create(f.Context(), tx, catalog.CategoryEdit{Name: new(name)})
				return err
			})
			f.raiseSearchVersion()
		}

		original := f.TempDir()
		f.writeFile(original)
		name := f.Store.ID.String() + columnsSuffix
		content, err := os.ReadFile(filepath.Join(original, name))
		if err != nil {
			f.Fatal(err)
		}

		fileIn := func(content []byte) (dir string) {
			dir = f.TempDir()
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				f.Fatal(err)
			}
			return dir
		}

		withHeader := func(change func(h *columnsHeader)) []byte {
			idx := f.search.index(f.Store.ID)
			if idx.cols == nil {
				f.search.buildIndex(f.Context(), idx)
			}

			header := columnsHeader{database: f.newFileNode("").Database, store: f.Store.ID, state: idx.cols.state}
			change(&header)
			var b bytes.Buffer
			if err := writeColumns(&b, header, idx.cols, func() error { return nil }); err != nil {
				f.Fatal(err)
			}

			return b.Bytes()
		}

		f.restart("a good file", fileIn(withHeader(func(*columnsHeader) {})), 1, 0)
		f.restart("a torn file", fileIn(content[:len(content)/2]), 0, 1)
		f.restart("a damaged file", fileIn(append(slices.Clone(content[:len(content)-1]), 'x')), 0, 1)
		f.restart("another database", fileIn(withHeader(func(h *columnsHeader) { h.database[0]++ })), 0, 1)
		f.restart("another store", fileIn(withHeader(func(h *columnsHeader) { h.store = store.ID{1} })), 0, 1)
		f.restart("other products of the same version",
			fileIn(withHeader(func(h *columnsHeader) { h.state.changedAt-- })), 0, 1)

		for name, change := range map[string]func(h *columnsHeader){
			"other categories of the same version": func(h *columnsHeader) { h.state.categoriesStamp++ },
			"other attributes of the same version": func(h *columnsHeader) { h.state.attributesStamp++ },
			"another search of the same version":   func(h *columnsHeader) { h.state.searchStamp++ },
			"other categories of an older version": func(h *columnsHeader) { h.state.categories-- },
			"other attributes of an older version": func(h *columnsHeader) { h.state.attributes-- },
			"another search of an older version":   func(h *columnsHeader) { h.state.search-- },
			"unknown categories of an older version": func(h *columnsHeader) {
				h.state.categories--
				h.state.categoriesStamp = 0
			},
			"newer products":   func(h *columnsHeader) { h.state.products++ },
			"newer categories": func(h *columnsHeader) { h.state.categories++ },
			"newer attributes": func(h *columnsHeader) { h.state.attributes++ },
			"a newer search":   func(h *columnsHeader) { h.state.search++ },
		} {
			f.restart(name, fileIn(withHeader(change)), 0, 1)
		}
	})
}

// Orders make many versions of the search, so the stamp of the one in a file may be gone. Then the file may be of a
// lost history, and the popularity of all products is read again.
func TestRun_loadsAFileWhoseSearchVersionIsNotRecorded(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		dir := f.TempDir()
		byPopularity := Query{Sort: ByPopularity, Limit: 10}
		setPopularity := func(p catalog.Product, quantity int) {
			f.Helper()
			f.raiseSearchVersion()
			f.Exec(fmt.Sprintf(`
				INSERT INTO product_popularity (store_id, product_key, quantity, version)
				SELECT store_id, %d, %d, search FROM catalog_versions WHERE store_id = $1`, p.Key, quantity),
				f.Store.ID)
		}

		lost := f.catalog.CreateProduct("lost", 1, catalog.ProductEdit{})
		kept := f.catalog.CreateProduct("kept", 1, catalog.ProductEdit{})
		f.catalog.CreateProduct("new", 1, catalog.ProductEdit{})
		setPopularity(lost, 7000)
		f.writeFile(dir)
		node := f.restart("without changes", dir, 1, 0)
		f.wantSameAsSQL("without changes", node, byPopularity)

		f.Exec("DELETE FROM product_popularity WHERE store_id = $1", f.Store.ID)
		setPopularity(kept, 1)
		f.Exec("DELETE FROM version_stamps WHERE part = 'search' AND version = 1")
		node = f.restart("without the stamp", dir, 1, 0)
		f.wantSameAsSQL("without the stamp", node, byPopularity)
	})
}

// After a restore of a backup the versions grow again, by other changes than those that the file shows.
func TestRun_buildsColumnsIfTheDatabaseGotToTheVersionByOtherChanges(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		dir := f.TempDir()
		f.catalog.CreateProduct("kept", 1, catalog.ProductEdit{})
		backup := f.backup()
		f.catalog.CreateProduct("lost", 1, catalog.ProductEdit{})
		f.writeFile(dir)
		f.restore(backup)
		for i := range 3 {
			f.catalog.CreateProduct(fmt.Sprint("other ", i), 1, catalog.ProductEdit{})
		}
		node := f.restart("a restored database", dir, 0, 1)
		f.wantSameAsSQL("a restored database", node, Query{Text: "other"})
	})
}

// catalogBackup is the version and the last key of the products at some time.
type catalogBackup struct{ version, lastKey string }

func (f *fixture) backup() catalogBackup {
	f.Helper()
	got := f.Texts("SELECT CAST(version AS TEXT) FROM catalog_versions WHERE store_id = $1 UNION ALL "+
		"SELECT CAST(MAX(key) AS TEXT) FROM products WHERE store_id = $1", f.Store.ID)
	if len(got) != 2 {
		f.Fatalf("%q", got)
	}
	return catalogBackup{got[0], got[1]}
}

// restore undoes the creation of products since the backup, as a restore of the whole database does.
func (f *fixture) restore(b catalogBackup) {
	f.Helper()
	f.Exec("DELETE FROM products WHERE key > " + b.lastKey)
	f.Exec("DELETE FROM product_changes WHERE version > " + b.version)
	f.Exec("UPDATE catalog_versions SET version = " + b.version)
}

// P8: after a restore, running nodes answered from columns of the lost state until they were restarted.
func TestP8_columnsAreDroppedWhenTheDatabaseWasRestored(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		dir := f.TempDir()
		node := f.newFileNode(dir)
		var err error
		if node.files, err = openColumnFiles(dir, node.Database); err != nil {
			f.Fatal(err)
		}

		f.catalog.CreateProduct("kept", 1, catalog.ProductEdit{})
		backup := f.backup()
		f.catalog.CreateProduct("lost", 1, catalog.ProductEdit{})
		idx := node.index(f.Store.ID)
		reset := func() {
			f.Helper()
			node.buildIndex(f.Context(), idx)
			if err := node.saveIndex(f.Context(), idx); err != nil || idx.cols == nil {
				f.Fatal(err)
			}
		}

		wantDropped := func(what string) {
			f.Helper()
			if idx.cols != nil || !idx.needsBuild.Load() {
				f.Errorf("%s: the columns are still there", what)
			}
		}
		reset()
		f.restore(backup)

		if err := node.refreshIndex(f.Context(), idx); err != nil {
			f.Error(err)
		}

		wantDropped("the version went down")
		if node.files.exists(f.Store.ID) {
			f.Error("the file of the lost state is still there")
		}

		f.catalog.CreateProduct("lost", 1, catalog.ProductEdit{})
		reset()
		f.restore(backup)
		f.catalog.CreateProduct("other", 1, catalog.ProductEdit{}) // the versions meet again

		if n := f.total(node, Query{Text: "other"}); n != 1 {
			f.Errorf("found %d products, want 1", n)
		}

		wantDropped("the version is that of another change")

		reset()
		f.restore(backup)

		for range 2 { // the version is higher, but not by changes since that of the columns
			f.catalog.CreateProduct("more", 1, catalog.ProductEdit{})
		}

		if n := f.total(node, Query{Text: "more"}); n != 2 || !idx.needsBuild.Load() {
			f.Errorf("found %d products, needsBuild %v; want 2, true", n, idx.needsBuild.Load())
		}
	})
}

func TestFindInMemory_ignoresColumnsOfALostHistory(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
		node := f.newFileNode("")
		idx := node.index(f.Store.ID)
		node.buildIndex(f.Context(), idx)
		state := idx.cols.state
		if _, _, ok := node.FindInMemory(f.Store.ID, Query{}, state); !ok {
			f.Error("the columns do not answer at their own state")
		}
		state.changedAt++
		if _, _, ok := node.FindInMemory(f.Store.ID, Query{}, state); ok {
			f.Error("the columns answer at a state that another change made")
		}
	})
}

func TestRun_removesFilesOfDeletedStores(t *testing.T) {
	f := newFixture(storetest.Open(t, database.SQLite))
	f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
	dir := t.TempDir()
	f.writeFile(dir)

	content, err := os.ReadFile(filepath.Join(dir, f.Store.ID.String()+columnsSuffix))
	if err != nil {
		t.Fatal(err)
	}

	gone := filepath.Join(dir, id.New[store.Store]().String()+columnsSuffix)
	old := filepath.Join(dir, "x-1"+tempSuffix)
	recent := filepath.Join(dir, "x-2"+tempSuffix)
	for _, path := range []string{gone, old, recent} { // files of an earlier version
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	killed := time.Now().Add(-2 * staleTempAge)
	if err := os.Chtimes(old, killed, killed); err != nil {
		t.Fatal(err)
	}

	f.restart("a file of a deleted store beside", dir, 1, 0)
	f.Eventually("the files are removed", func() bool {
		_, goneErr := os.Stat(gone)
		_, oldErr := os.Stat(old)
		return errors.Is(goneErr, os.ErrNotExist) && errors.Is(oldErr, os.ErrNotExist)
	})

	if _, err := os.Stat(recent); err != nil {
		t.Errorf("the temporary file of another process: %v", err)
	}
}

// Processes that were killed again and again while they wrote columns filled the disk, since only files of an hour ago
// were removed.
func TestRegression_removesTemporaryFilesOfKilledProcesses(t *testing.T) {
	f := newFixture(storetest.Open(t, database.SQLite))
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}

	node := f.newNode(f.DB)
	create := func(dir string, pid int) string {
		path := filepath.Join(dir, fmt.Sprintf("%s.%d.1%s", f.Store.ID, pid, tempSuffix))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		pid              int
		atStart, atSweep bool // the file is removed
	}{
		"killed process":                 {ended.Process.Pid, true, true},
		"other process":                  {os.Getppid(), false, false},
		"this process or an earlier one": {os.Getpid(), true, false},
	} {
		dir := t.TempDir()
		path := create(dir, c.pid)
		files, err := openColumnFiles(dir, f.search.Database)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) != c.atStart {
			t.Errorf("%s, at the start: %v", name, err)
		}

		create(dir, c.pid)
		node.files = files

		if err := node.removeOrphans(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) != c.atSweep {
			t.Errorf("%s, later: %v", name, err)
		}
	}
}

// testFile calls write instead of writing to the file, if write is not nil.
type testFile struct {
	*os.File
	write func(b []byte) (int, error)
}

func (f *testFile) Write(b []byte) (int, error) {
	if f.write != nil {
		return f.write(b)
	}
	return f.File.Write(b)
}

// newSavingNode returns a node with columns and files, whose files are created by create.
func (f *fixture) newSavingNode(log *slog.Logger, create func(f *testFile)) (*Service, *searchIndex) {
	f.Helper()
	node := f.newFileNode(f.TempDir())
	node.Log = log

	var err error
	if node.files, err = openColumnFiles(node.Dir, node.Database); err != nil {
		f.Fatal(err)
	}

	node.files.create = func(dir, pattern string) (tempFile, error) {
		file, err := os.CreateTemp(dir, pattern)
		test := &testFile{File: file}
		create(test)
		return test, err
	}
	idx := node.index(f.Store.ID)
	node.buildIndex(f.Context(), idx)

	return node, idx
}

// loadFile returns the columns in the file of the node.
func (f *fixture) loadFile(node *Service) (c *searchColumns, err error) {
	err = f.TryRead(func(tx store.Tx) error {
		c, _, err = node.files.load(f.Context(), tx, 1<<30)
		return err
	})
	return c, err
}

func TestSaveIndexes_keepsTheOldFileWhenTheDiskIsFull(t *testing.T) {
	f := newFixture(storetest.Open(t, database.SQLite))
	f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
	full := errors.New("no space left on device")
	var log bytes.Buffer
	written := 0
	fail := false
	node, idx := f.newSavingNode(slog.New(slog.NewTextHandler(&log, nil)), func(file *testFile) {
		file.write = func(b []byte) (int, error) {
			if written++; fail && written > 3 {
				return 0, full
			}
			return file.File.Write(b)
		}
	})
	always := func(*searchIndex, time.Time) bool { return true }
	node.saveIndexes(t.Context(), always)
	f.catalog.CreateProduct("two", 1, catalog.ProductEdit{})

	if n := f.total(node, Query{}); n != 2 {
		t.Fatalf("%d products", n)
	}

	fail = true

	for range 3 {
		written = 0
		node.saveIndexes(t.Context(), always)
	}

	node.FreeDisk = func() int64 { return minDiskLeft }
	node.saveIndexes(t.Context(), always)

	if n := strings.Count(log.String(), "WARN"); n != 1 || !strings.Contains(log.String(), full.Error()) {
		t.Errorf("%d warnings, want one:\n%s", n, log.String())
	}
	if c, err := f.loadFile(node); err != nil || c.rowCount() != 2 || c.unsaved != 1 {
		t.Errorf("the old file: %v", err)
	}

	entries, err := os.ReadDir(node.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files are left, %v; want one", len(entries), err)
	}

	fail, node.FreeDisk = false, nil
	node.saveIndexes(t.Context(), always)

	if c, err := f.loadFile(node); err != nil || c.unsaved != 0 || idx.cols.unsaved != 0 {
		t.Errorf("the file after the disk had room: %v", err)
	}
	if got := node.Stats().Saves; got != 2 {
		t.Errorf("%d saves, want 2", got)
	}
}

func TestSaveIndex_writesOneStateWhileTheColumnsChange(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
		attempts := 0
		var changed sync.WaitGroup
		var node *Service

		node, idx := f.newSavingNode(slog.New(slog.DiscardHandler), func(file *testFile) {
			attempts++

			file.write = func(b []byte) (int, error) {
				file.write = nil
				name := fmt.Sprint("added ", attempts)
				changed.Go(func() {
					f.catalog.CreateProduct(name, 1, catalog.ProductEdit{})
					f.total(node, Query{})
				})
				f.Eventually("a change waits for the lock", func() bool {
					free := node.index(f.Store.ID).mu.TryRLock()
					if free {
						node.index(f.Store.ID).mu.RUnlock()
					}
					return !free
				})

				return file.File.Write(b)
			}
		})

		err := node.saveIndex(f.Context(), idx)
		changed.Wait()
		if err != nil || attempts != saveAttempts {
			f.Errorf("%d attempts, want %d: %v", attempts, saveAttempts, err)
		}

		c, err := f.loadFile(node)
		if err != nil || c.rowCount() != 1+saveAttempts || c.unsaved != 1 {
			f.Errorf("the file: %v; want all but the last change", err)
		}
	})
}

func TestSaveIndex_writesOnlyWhatChanged(t *testing.T) {
	f := newFixture(storetest.Open(t, database.SQLite))
	f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
	node, idx := f.newSavingNode(slog.New(slog.DiscardHandler), func(*testFile) {})

	wantSaves := func(what string, want int64) {
		t.Helper()
		if err := node.saveIndex(t.Context(), idx); err != nil {
			t.Fatal(err)
		}
		if got := node.Stats().Saves; got != want {
			t.Errorf("%s: %d saves, want %d", what, got, want)
		}
	}
	if !idx.saveIsDue(time.Now()) {
		t.Error("columns without a file are not due")
	}

	node.saving.minSavedProducts = 2
	wantSaves("a small store", 0)
	node.saving.minSavedProducts = 0
	wantSaves("new columns", 1)
	wantSaves("unchanged columns", 1)
	f.catalog.CreateProduct("two", 1, catalog.ProductEdit{})
	f.total(node, Query{})

	now := time.Now()
	if idx.saveIsDue(now.Add(minSaveAge)) || !idx.saveIsDue(now.Add(maxSaveAge)) {
		t.Error("one change is due before an hour, or not after it")
	}

	idx.cols.unsaved = saveChanges
	if idx.saveIsDue(now.Add(minSaveAge/2)) || !idx.saveIsDue(now.Add(minSaveAge)) {
		t.Error("many changes are due before five minutes, or not after these")
	}

	wantSaves("a change", 2)
}

func TestOpenFiles_requestsTheStoresUsedLastThatFit(t *testing.T) {
	first := newFixture(storetest.Open(t, database.SQLite))
	dir := t.TempDir()
	node := first.newFileNode(dir)
	stop := first.Start(node.Run)
	fixtures := []*fixture{first}

	for range 3 {
		fixtures = append(fixtures, newFixture(first.WithStore(first.NewStore(store.Edit{}))))
	}

	for _, f := range fixtures {
		for i := range 50 {
			f.catalog.CreateProduct(fmt.Sprint("product ", i), 1, catalog.ProductEdit{})
		}
		f.waitForColumns(node)
	}

	first.waitForColumns(node) // the first store is now the last used one
	stop()
	bytesPerStore := (node.Stats().Filters + node.Stats().Words) / int64(len(fixtures))

	again := first.newFileNode(dir)
	again.Memory = 2*bytesPerStore + bytesPerStore/2
	if err := again.openFiles(); err != nil {
		t.Fatal(err)
	}

	var order []store.ID
	for idx := again.nextBuild(t.Context()); idx != nil; idx = again.nextBuild(t.Context()) {
		order = append(order, idx.storeID)
		if !again.loadIndex(t.Context(), idx) || idx.cols == nil {
			t.Fatal("the columns were not loaded")
		}
	}

	if want := []store.ID{first.Store.ID, fixtures[3].Store.ID}; !slices.Equal(order, want) {
		t.Errorf("loaded %v, want %v", order, want)
	}

	// A store that a request needs is loaded before the others.
	again = first.newFileNode(dir)
	if err := again.openFiles(); err != nil {
		t.Fatal(err)
	}

	again.index(fixtures[1].Store.ID).requested.Store(true)
	if idx := again.nextBuild(t.Context()); idx.storeID != fixtures[1].Store.ID {
		t.Error("the store of the request is not the first")
	}
}

// A process that was killed leaves a temporary file at most.
func TestTrySave_replacesTheFileAtOnce(t *testing.T) {
	f := newFixture(storetest.Open(t, database.SQLite))
	f.catalog.CreateProduct("one", 1, catalog.ProductEdit{})
	var path string

	node, idx := f.newSavingNode(slog.New(slog.DiscardHandler), func(*testFile) {})
	if err := node.saveIndex(t.Context(), idx); err != nil {
		t.Fatal(err)
	}

	path = node.files.path(f.Store.ID)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	f.catalog.CreateProduct("two", 1, catalog.ProductEdit{})
	f.total(node, Query{})
	create := node.files.create

	node.files.create = func(dir, pattern string) (tempFile, error) {
		file, err := create(dir, pattern)
		return syncHook{file, func() {
			now, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(now, before) {
				t.Errorf("the file changed before the new one was complete: %v", err)
			}
		}}, err
	}
	if err := node.saveIndex(context.WithoutCancel(t.Context()), idx); err != nil {
		t.Fatal(err)
	}

	if c, err := f.loadFile(node); err != nil || c.unsaved != 0 {
		t.Errorf("the new file: %v", err)
	}
}

// syncHook calls before when the file is synced, after all of it was written.
type syncHook struct {
	tempFile
	before func()
}

func (f syncHook) Sync() error {
	f.before()
	return f.tempFile.Sync()
}
