package onec

import (
	"errors"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// The parts of an import were counted apart, and together they were more than a store may hold: such an import was
// repeated for ever.
func TestImportSizes_fitIntoWhatAStoreMayHold(t *testing.T) {
	for _, limit := range []int64{96 << 20, 128 << 20, 256 << 20, 480 << 20, 512 << 20, 1 << 30, 64 << 30} {
		s := &Service{Deps: Deps{ImportShare: memory.NewBudget(memory.Config{Limit: limit}).Bodies}}
		z := s.importSizes()
		for _, ofDirectory := range []int64{0, z.directory / 2, z.directory} {
			sum := z.source + z.room + ofDirectory + z.knownPictures(ofDirectory)
			if most := s.ImportShare.StoreLimit(); sum > most {
				t.Errorf("with %d MiB an import may hold %d bytes, a store %d: %+v", limit>>20, sum, most, z)
			}
		}

		if rest := z.room - importMemory - z.bodies(); rest < 768<<10 || z.directory < 512<<10 {
			t.Errorf("with %d MiB only %d bytes are left for the file: %+v", limit>>20, rest, z)
		}
		if limit >= 480<<20 && z.directory != maxPackageEntries*entryBytes {
			t.Errorf("with %d MiB a directory may have %d bytes", limit>>20, z.directory)
		}
	}
}

func TestImport_thatFindsNoMemoryWaitsAndThenFails(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.ImportShare = memory.NewShare("bodies", "request bodies", 12<<20)
		s.Queue.Register(s.Kind())
		s.sendFile("v8.zip", zipOf(s.Fixture, "import.xml", `<КоммерческаяИнформация ВерсияСхемы="2.08"/>`))
		by := s.login("one")
		session, err := s.currentSession(s.Context(), by, sessionRequest{})
		if err != nil {
			s.Fatal(err)
		}

		file, err := s.findFile(s.Context(), by, session, "import.xml")
		if err != nil {
			s.Fatal(err)
		}

		s.Write(func(tx store.Tx) error { return s.queueFile(s.Context(), tx, &file, exchange.Entities()) })
		task := &importTask{Payload: fileRef{s.Store.ID, file.key, exchange.Entities()}}
		attempt := func(want string) error {
			s.Helper()
			err := s.importFile(s.Context(), task)
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != want {
				s.Fatalf("the attempt returned %v, want %s", err, want)
			}
			return err
		}

		other := s.ImportShare.Open(store.MemoryOwner(s.Store.ID))
		if err := other.Grow(s.ImportShare.StoreLimit() - 1<<20); err != nil {
			s.Fatal(err)
		}

		s.Clock.Advance(2 * importPatience) // the file had to wait for others, and not for memory
		attempt("too_many_requests")
		s.Clock.Advance(importPatience - 10*time.Minute)
		attempt("too_many_requests")
		s.Clock.Advance(11 * time.Minute)
		cause := attempt("no_memory_for_import")
		s.Write(func(tx store.Tx) error { return s.failFile(s.Context(), tx.Unscoped(), task, cause) })
		var st ImportState
		s.Read(func(tx store.Tx) (err error) {
			st, err = s.importState(s.Context(), tx, file)
			return err
		})
		if !st.Done || !strings.Contains(st.Problem, "no memory for this file") {
			s.Errorf("the import is %+v", st)
		}

		other.Release()
		if used := s.ImportShare.Used(); used > 1<<20 {
			s.Errorf("%d bytes are held after the attempts", used)
		}
	})
}
