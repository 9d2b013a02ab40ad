package onec

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/store"
)

// missingFixture is a store of ten goods of 1C that archives missing ones. Its imports wait for open.
type missingFixture struct {
	*fixture
	by    Login
	gates chan chan struct{}
}

// eachMissing runs fn on each engine.
func eachMissing(t *testing.T, fn func(s *missingFixture)) {
	t.Helper()
	eachEngine(t, func(f *fixture) {
		s := &missingFixture{fixture: f, gates: make(chan chan struct{}, 1)}
		s.setQueue(queue.New(queue.Deps{DB: s.DB, Now: s.Clock.Now, Log: s.Service.Log}))
		s.open()
		files := s.Kind()
		importFile := files.Run

		files.Run = func(ctx context.Context, t *importTask) error {
			gate := <-s.gates
			s.gates <- gate
			select {
			case <-gate:
			case <-ctx.Done():
				return ctx.Err()
			}
			return importFile(ctx, t)
		}

		s.Queue.Register(s.Exchange.Pushes.Kind())
		s.Queue.Register(files)
		s.Start(s.Queue.Run)
		s.Write(func(tx store.Tx) error {
			_, _, err := s.Edit(s.Context(), tx, Edit{Missing: new(MissingArchive)})
			return err
		})
		s.by = s.login("one")
		s.begin()
		s.importAll("all.xml", s.file("true", 0, 10))
		fn(s)
	})
}

// close lets imports wait, open lets them go on.
func (s *missingFixture) close() {
	<-s.gates
	s.gates <- make(chan struct{})
}

func (s *missingFixture) open() {
	select {
	case gate := <-s.gates:
		select {
		case <-gate:
		default:
			close(gate)
		}
		s.gates <- gate
	default:
		gate := make(chan struct{})
		close(gate)
		s.gates <- gate
	}
}

// begin begins a session.
func (s *missingFixture) begin() {
	s.Helper()
	if _, err := s.BeginSession(s.Context(), s.by, ""); err != nil {
		s.Fatal(err)
	}
}

// file returns a catalogue with the goods from one number to before another.
func (s *missingFixture) file(flag string, from, to int) string {
	var goods strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&goods, goodXML, i)
	}
	return strings.Replace(fmt.Sprintf(goodsXML, &goods), `"false"`, `"`+flag+`"`, 1)
}

// queue sends a file and queues its import.
func (s *missingFixture) queue(name, content string) sessionFile {
	s.Helper()
	s.sendFile(name, content)
	session, err := s.currentSession(s.Context(), s.by, sessionRequest{})
	if err != nil {
		s.Fatal(err)
	}
	file, err := s.findFile(s.Context(), s.by, session, name)
	if err != nil {
		s.Fatal(err)
	}
	s.Write(func(tx store.Tx) error { return s.queueFile(s.Context(), tx, &file, exchange.Entities()) })
	return file
}

// importAll sends a file and waits until its runs are done.
func (s *missingFixture) importAll(name, content string) {
	s.Helper()
	s.waitDone(s.queue(name, content))
}

func (s *missingFixture) waitDone(file sessionFile) {
	s.Helper()
	s.Eventually(file.name+" is imported", func() (done bool) {
		s.Read(func(tx store.Tx) error {
			st, err := s.importState(s.Context(), tx, file)
			done = st.Done
			return err
		})
		return done
	})
}

// waitEnds waits until nothing is queued.
func (s *missingFixture) waitEnds() {
	s.Helper()
	s.Eventually("all is done", func() bool {
		return s.Count("commerceml_files WHERE store_id = $1 AND state = 'queued'", s.Store.ID) == 0 &&
			s.Count("exchange_runs WHERE store_id = $1 AND finished_at IS NULL", s.Store.ID) == 0
	})
}

func (s *missingFixture) wantArchived(want int64) {
	s.Helper()
	s.waitEnds()
	if n := s.Count("products WHERE store_id = $1 AND archived_at IS NOT NULL", s.Store.ID); n != want {
		s.Errorf("%d products are archived, want %d", n, want)
	}
}

func (s *missingFixture) silence(d time.Duration) {
	s.Helper()
	s.Clock.Advance(d)
	if err := s.EndPackages(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// A portion that was queued before mode=complete is imported after it, and belongs to the package.
func TestMissing_aFileThatWasQueuedBeforeTheEndBelongsToThePackage(t *testing.T) {
	eachMissing(t, func(s *missingFixture) {
		s.begin()
		s.importAll("import0_1.xml", s.file("false", 0, 5))
		s.close()
		s.queue("import0_2.xml", s.file("true", 5, 8))
		s.queue("import0_3.xml", s.file("false", 8, 9))

		if err := s.CompleteSession(s.Context(), s.by); err != nil {
			s.Fatal(err)
		}

		s.open()
		s.wantArchived(1)
		s.silence(time.Hour)
		s.wantArchived(1)

		if n := s.Count("commerceml_packages WHERE store_id = $1", s.Store.ID); n != 1 {
			s.Errorf("there are %d packages, want 1", n)
		}
	})
}

// Between the look at the packages and the end of one a file may come for it.
func TestMissing_aPackageThatIsNotDueAnyMoreDoesNotEnd(t *testing.T) {
	eachMissing(t, func(s *missingFixture) {
		s.begin()
		s.importAll("import0_1.xml", s.file("false", 0, 5))
		s.close()
		s.Clock.Advance(31 * time.Minute)
		p := duePackage{s.Store.ID, "cat"}
		now := s.Clock.Now()
		end := func() {
			s.Helper()
			if err := s.DB.Write(s.Context(),
				func(q querier) error { return s.endDuePackage(s.Context(), q, p, now) }); err != nil {
				s.Fatal(err)
			}
		}

		wantOpen := func(when string, want int64) {
			s.Helper()
			if n := s.Count("commerceml_packages WHERE store_id = $1 AND file_key IS NULL", s.Store.ID); n != want {
				s.Errorf("%s: %d packages are open, want %d", when, n, want)
			}
		}

		file := s.queue("import0_2.xml", s.file("true", 5, 9))
		end()
		wantOpen("a file is queued", 1)

		s.open()
		s.waitDone(file)
		end()
		wantOpen("a file has come since then", 1)

		now = now.Add(time.Hour)
		end()
		wantOpen("after the silence", 0)
		s.wantArchived(1)
	})
}

// A parked portion is like one that failed.
func TestMissing_afterAParkedPortionNothingIsArchived(t *testing.T) {
	eachMissing(t, func(s *missingFixture) {
		s.begin()
		s.importAll("import0_1.xml", s.file("false", 0, 5))
		s.close()

		file := s.queue("import0_2.xml", s.file("true", 5, 9))
		if err := s.DB.Write(s.Context(), func(q querier) error {
			return s.parkFile(s.Context(), q, fileRef{s.Store.ID, file.key, exchange.Entities()})
		}); err != nil {
			s.Fatal(err)
		}

		s.open()
		s.importAll("import0_3.xml", s.file("true", 9, 10))
		s.importAll("import0_4.xml", s.file("true", 5, 8))
		s.silence(31 * time.Minute)
		s.wantArchived(0)

		if n := s.Count("exchange_runs WHERE store_id = $1 AND problem_code = 'archive_refused'", s.Store.ID); n != 1 {
			s.Errorf("%d runs say that nothing was archived, want 1", n)
		}
	})
}

// A package that cannot end does not keep the others open.
func TestMissing_aPackageThatCannotEndStopsNoOther(t *testing.T) {
	eachMissing(t, func(s *missingFixture) {
		s.begin()
		s.importAll("import0_1.xml", strings.Replace(s.file("false", 0, 1), "<Ид>cat<", "<Ид>bad<", 1))
		s.Clock.Advance(time.Minute)
		s.importAll("import0_2.xml", s.file("false", 1, 9))

		s.WriteUnscoped(func(q database.Querier) error {
			fails := `CREATE TRIGGER fails BEFORE UPDATE ON commerceml_packages WHEN NEW.catalog = 'bad' BEGIN ` +
				`SELECT RAISE(ABORT, 'fails'); END`
			if q.Dialect().Engine == database.Postgres {
				fails = `ALTER TABLE commerceml_packages ADD CONSTRAINT fails CHECK (catalog <> 'bad' ` +
					`OR file_key IS NULL)`
			}
			_, err := q.Exec(s.Context(), fails)
			return err
		})

		s.Clock.Advance(time.Hour)
		if err := s.EndPackages(s.Context()); err == nil {
			s.Error("no error is reported")
		}

		s.wantArchived(1)
	})
}

// Packages that ended long ago are deleted.
func TestMissing_oldPackagesAreDeleted(t *testing.T) {
	eachMissing(t, func(s *missingFixture) {
		s.begin()
		s.importAll("import0_1.xml", s.file("false", 0, 9))
		s.silence(time.Hour)
		s.wantArchived(1)
		for _, want := range []int64{1, 0} {
			if err := s.deleteOldPackages(s.Context()); err != nil {
				s.Fatal(err)
			}
			if n := s.Count("commerceml_packages WHERE store_id = $1", s.Store.ID); n != want {
				s.Errorf("there are %d packages, want %d", n, want)
			}
			s.Clock.Advance(packageRetention)
		}
	})
}

// With a file of too many catalogues it is not known what is missing.
func TestMissing_afterTooManyCataloguesNothingIsArchived(t *testing.T) {
	eachMissing(t, func(s *missingFixture) {
		s.begin()
		s.importAll("import0_1.xml", s.file("false", 0, 8))
		var other strings.Builder
		for i := range commerceml.MaxCatalogs {
			fmt.Fprintf(&other, `<Каталог><Ид>c%d</Ид><Товары>`+goodXML+`</Товары></Каталог>`, i, 100+i)
		}
		last := s.file("true", 8, 9)
		s.importAll("import0_2.xml", strings.Replace(last, "<Каталог ", other.String()+"<Каталог ", 1))
		s.silence(31 * time.Minute)
		s.wantArchived(0)
		if n := s.Count("exchange_runs WHERE store_id = $1 AND problem_code = 'archive_refused'", s.Store.ID); n != 1 {
			s.Errorf("%d runs say that nothing was archived, want 1", n)
		}
	})
}

// What 1C sends is recorded only up to a limit. Past it nothing is archived.
func TestMissing_theRecordedGoodsAreBounded(t *testing.T) {
	eachMissing(t, func(s *missingFixture) {
		recorded := func() int64 { return s.Count("commerceml_goods WHERE store_id = $1", s.Store.ID) }
		s.leastListed = 20
		s.begin()
		s.importAll("import0_1.xml", s.file("false", 0, 9))

		if n := recorded(); n != 10 {
			s.Fatalf("%d goods are recorded, want 10", n)
		}

		s.importAll("import0_2.xml", s.file("true", 100, 200))
		if n := recorded(); n != 10 {
			s.Errorf("%d goods are recorded past the limit, want 10", n)
		}

		s.silence(31 * time.Minute)
		s.wantArchived(0)

		// The shop has the goods now, so they may be recorded.
		s.importAll("import0_3.xml", s.file("false", 0, 9))
		s.importAll("import0_4.xml", s.file("true", 100, 200))

		if n := recorded(); n != 110 {
			s.Errorf("%d goods are recorded, want 110", n)
		}

		s.silence(31 * time.Minute)
		s.wantArchived(1)
	})
}

// A store that keeps missing goods records what comes, too: it may choose to archive them later.
func TestMissing_goodsAreRecordedWhereMissingOnesAreKept(t *testing.T) {
	eachMissing(t, func(s *missingFixture) {
		s.Write(func(tx store.Tx) error {
			_, _, err := s.Edit(s.Context(), tx, Edit{Missing: new(MissingKeep)})
			return err
		})
		s.begin()
		s.importAll("import.xml", s.file("false", 100, 110))
		if n := s.Count("commerceml_goods WHERE store_id = $1", s.Store.ID); n != 20 {
			s.Errorf("%d goods are recorded, want those of before and 10 more", n)
		}
	})
}

// Goods and offers that the shop does not have are forgotten some days after they came.
func TestMissing_recordsOfGoodsThatAreGoneAreDeleted(t *testing.T) {
	eachMissing(t, func(s *missingFixture) {
		want := func(when string, want int64) {
			s.Helper()
			if err := s.pruneListed(s.Context()); err != nil {
				s.Fatal(err)
			}
			if n := s.Count("commerceml_goods WHERE store_id = $1", s.Store.ID); n != want {
				s.Errorf("%s: %d goods and offers are recorded, want %d", when, n, want)
			}
		}

		batch := database.NewBatch(database.Text, database.Text, database.Text, database.BigInt)
		for i := range 2*listedBatch + 1 {
			batch.Add(fmt.Sprintf("gone%d", i), "", "cat", int64(0))
		}

		batch.Add("p1", "p1#gone", "cat", int64(0))
		s.Write(func(tx store.Tx) error { return upsertListed(s.Context(), tx, batch, s.Clock.Now()) })
		want("at once", 10+2*listedBatch+2)
		s.Clock.Advance(listedRetention + time.Hour)
		want("after the retention", 10)
	})
}
