package order

import (
	"slices"

	"vitrine/internal/kit/fault"
)

// State is the state of an order.
type State string

// The states. A draft is a cart: it can be edited, and has no reservations. Completed and Cancelled are final, but for
// Reopen.
const (
	Draft     State = "draft"
	Submitted State = "submitted"
	Confirmed State = "confirmed"
	Completed State = "completed"
	Cancelled State = "cancelled"
)

// States returns all states. An order never changes to a state that precedes its own in this list, except by Unconfirm
// and Reopen, which only operators call.
func States() []State { return []State{Draft, Submitted, Confirmed, Completed, Cancelled} }

// Known reports whether s is one of States.
func (s State) Known() bool { return slices.Contains(States(), s) }

// predecessors returns the states from which an order can change to s.
func (s State) predecessors() []State {
	switch s {
	case Submitted:
		return []State{Draft}
	case Confirmed:
		return []State{Submitted}
	case Completed:
		return []State{Confirmed}
	case Cancelled:
		return []State{Submitted, Confirmed}
	case Draft:
	}
	return nil
}

// CheckTransition returns fault.Conflict unless an order in state s may change to the given state, which is not Draft.
func (s State) CheckTransition(to State) error {
	from := to.predecessors()
	if slices.Contains(from, s) {
		return nil
	}
	names := string(from[0])
	if len(from) > 1 {
		names += " or " + string(from[1])
	}
	return fault.New(fault.Conflict, "wrong_state",
		"This order is %s. Only one that is %s can become %s; nothing was changed.", s, names, to)
}

// checkSubmitted returns fault.Conflict for a draft.
func (s State) checkSubmitted() error {
	if s != Draft {
		return nil
	}
	return fault.New(fault.Conflict, "wrong_state", "This is a cart. Only a submitted order has notes, tags, tracking "+
		"and payments; nothing was changed.")
}

// checkOpen returns fault.Conflict unless an order in state s waits to be completed or cancelled.
func (s State) checkOpen() error {
	if s == Submitted || s == Confirmed {
		return nil
	}
	return fault.New(fault.Conflict, "wrong_state", "This order is %s. Only one that is submitted or confirmed can be "+
		"edited; nothing was changed.", s)
}

// checkReturn returns fault.Conflict unless an operator may return an order in state s to an earlier state: a confirmed
// one to Submitted, a completed or cancelled one to Confirmed.
func (s State) checkReturn(to State) error {
	switch {
	case to == Submitted && s == Confirmed, to == Confirmed && (s == Completed || s == Cancelled):
		return nil
	case to == Submitted:
		return fault.New(fault.Conflict, "wrong_state",
			"This order is %s. Only a confirmation can be undone; nothing was changed.", s)
	}
	return fault.New(fault.Conflict, "wrong_state",
		"This order is %s. Only one that is completed or cancelled can be reopened; nothing was changed.", s)
}

// checkEditable returns fault.Conflict unless an order in state s may be edited.
func (s State) checkEditable() error {
	if s == Draft {
		return nil
	}
	return fault.New(fault.Conflict, "wrong_state",
		"This order is %s. Only a draft can be edited; nothing was changed.", s)
}
