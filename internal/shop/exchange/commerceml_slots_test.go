package exchange

import (
	"context"
	"testing"

	"vitrine/internal/kit/fault"
)

// S-L7: each look at an import takes a slot, and none is held in the pauses. 1C is not told that an import failed only
// because the server was too busy to look at it.
func TestSL7_waitingForAnImportHoldsNoSlot(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.Queue.Register(s.OneCKind())
		s.sendFile("import.xml", `<КоммерческаяИнформация ВерсияСхемы="2.08"/>`)
		by := s.oneCLogin("one")
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
		st, err := s.Import(s.Context(), by, OneCImport{Name: "import.xml", Entities: Entities()})
		if err != nil || st.Done || st.Problem != "" {
			s.Errorf("an import that a busy server did not look at is %+v, %v", st, err)
		}
		if polls != 3 || held != 0 {
			s.Errorf("%d polls, %d slots held", polls, held)
		}
	})
}
