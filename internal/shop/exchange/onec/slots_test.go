package onec

import (
	"context"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// S-L7: each look at an import takes a slot, and none is held in the pauses. 1C is not told that an import failed only
// because the server was too busy to look at it.
func TestSL7_waitingForAnImportHoldsNoSlot(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.Queue.Register(s.Kind())
		s.sendFile("import.xml", `<КоммерческаяИнформация ВерсияСхемы="2.08"/>`)
		by := s.login("one")
		polls, held := 0, 0

		by.Slots.Poll = func(context.Context) (func(), error) {
			polls++
			if held++; held > 1 {
				s.Error("two slots are held at once")
			}

			if polls == 3 {
				held--
				return nil, fault.New(fault.Unavailable, "overloaded", "The server is busy.")
			}

			return func() { held-- }, nil
		}

		st, err := s.Import(s.Context(), by, ImportFile{Name: "import.xml", Entities: exchange.Entities()})
		if err != nil || st.Done || st.Problem != "" {
			s.Errorf("an import that a busy server did not look at is %+v, %v", st, err)
		}
		if polls != 3 || held != 0 {
			s.Errorf("%d polls, %d slots held", polls, held)
		}
	})
}

// The slot was free again before all names of the archives were read for the files of the same kind.
func TestPackage_holdsItsSlotWhileArchivesAreRead(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.sendFile("v8.zip", zipOf(s.Fixture, "import0_1.xml", "x", "import0_2.xml", "x"))
		held := 0
		heavy := func(context.Context) (func(), error) {
			held++
			return func() { held-- }, nil
		}
		p := s.sessionFiles()
		p.admit = heavy

		e, err := p.findInArchives("import0_1.xml")
		if err != nil || held != 1 {
			s.Fatalf("%d slots are held once the entry is found, %v", held, err)
		}
		if names, err := p.ofKind(e, "import0_1.xml"); err != nil || len(names) != 1 || held != 1 {
			s.Errorf("%d slots are held, the files of the kind are %v, %v", held, names, err)
		}

		p.freeSlot()
		p.close()

		if held != 0 {
			s.Errorf("%d slots are held by a closed package", held)
		}

		by := s.login("one")
		by.Slots.Heavy = heavy
		session, err := s.currentSession(s.Context(), by, sessionRequest{})
		if err != nil {
			s.Fatal(err)
		}
		if _, err := s.findFile(s.Context(), by, session, "import0_1.xml"); err != nil || held != 0 {
			s.Errorf("%d slots are held by a request that has ended, %v", held, err)
		}
	})
}

// What the stream of a file holds was not counted any more after its first document.
func TestReceiveOrders_countsDocumentsBesidesTheirStream(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		share := memory.NewShare("bodies", "request bodies", 64<<20)
		stream := share.Open(store.MemoryOwner(s.Store.ID))
		if err := stream.Grow(1 << 20); err != nil {
			s.Fatal(err)
		}

		document := "<Документ><Ид>1</Ид><ХозОперация>Возврат товара</ХозОперация><Комментарий>" +
			strings.Repeat("x", 1<<20) +
			"</Комментарий></Документ>"
		file := OrdersFile{Memory: stream, Content: strings.NewReader("<КоммерческаяИнформация>" + document + document +
			"</КоммерческаяИнформация>")}
		if _, err := s.ReceiveOrders(s.Context(), s.login("one"), s.Store, file, store.Actor{}); err != nil {
			s.Fatal(err)
		}
		if used := share.Used(); used != 1<<20 {
			s.Errorf("%d bytes are held, want those of the stream", used)
		}
	})
}
