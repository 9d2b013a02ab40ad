package order

import (
	"testing"

	"vitrine/internal/kit/fault"
)

func TestCheckTransition_allowsOnlyListedTransitions(t *testing.T) {
	allowed := map[[2]State]bool{
		{Draft, Submitted}: true, {Submitted, Confirmed}: true, {Confirmed, Completed}: true,
		{Submitted, Cancelled}: true, {Confirmed, Cancelled}: true,
	}
	for _, from := range States() {
		for _, to := range States()[1:] {
			err := from.CheckTransition(to)
			if allowed[[2]State{from, to}] != (err == nil) || (err != nil && fault.KindOf(err) != fault.Conflict) {
				t.Errorf("transition from %s to %s: %v", from, to, err)
			}
		}
		if (from.checkEditable() == nil) != (from == Draft) {
			t.Errorf("checkEditable of state %s: %v", from, from.checkEditable())
		}
	}
}
