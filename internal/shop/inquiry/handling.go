package inquiry

import (
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
)

// Kind tells feedback from callback requests.
type Kind string

// The kinds.
const (
	KindFeedback Kind = "feedback"
	KindCallback Kind = "callback"
)

// State says how far the shop has got with an inquiry.
type State string

// The states. A new inquiry waits for somebody to take it. One that is done may be reopened.
const (
	StateNew   State = "new"
	StateTaken State = "taken"
	StateDone  State = "done"
)

// States returns all states in the order in which an inquiry gets to them.
func States() []State { return []State{StateNew, StateTaken, StateDone} }

// MaxNoteLength is the maximum length of a note, in characters.
const MaxNoteLength = 10_000

// ID is the public id of an inquiry of any kind.
type ID = id.Of[Inquiry]

// Inquiry is feedback or a callback request, with how the shop handles it. Unknown texts are empty.
type Inquiry struct {
	Key                int64
	ID                 ID
	Kind               Kind
	Name, Email, Phone string
	Text               string // the message or the comment
	PreferredTime      string // of a callback request, in the visitor's own words
	Extra              string // of feedback; see Feedback.Extra
	CreatedAt          time.Time

	State State
	Note  string
	// Handler is the e-mail address of the operator who took the inquiry, or else finished it.
	Handler         string
	TakenAt, DoneAt *time.Time
	// Version grows by one with every change of the fields above.
	Version int64
}

// take assigns the inquiry to an operator, also one that another operator has taken.
func (i *Inquiry) take(handler string, now time.Time) error {
	if i.State == StateDone {
		return wrongState("This inquiry is done. Reopen it before you take it.")
	}
	i.State = StateTaken
	i.Handler = handler
	i.TakenAt = &now
	return nil
}

// finish marks the inquiry as done. Without a handler it is the operator who finishes it.
func (i *Inquiry) finish(handler string, now time.Time) error {
	if i.State == StateDone {
		return wrongState("This inquiry is done already.")
	}
	if i.State == StateNew {
		i.Handler = handler
	}
	i.State = StateDone
	i.DoneAt = &now
	return nil
}

// Assignment says who had taken an inquiry, and when.
type Assignment struct {
	Handler string
	TakenAt time.Time
}

// reopen reverts the last step: an inquiry that is done becomes what it was before, and one that is taken goes back to
// the operator of the previous assignment or, for nil, becomes new.
func (i *Inquiry) reopen(previous *Assignment) error {
	switch {
	case i.State == StateNew:
		return wrongState("This inquiry is new. There is nothing to reopen.")
	case i.State == StateTaken && previous != nil:
		i.Handler = previous.Handler
		i.TakenAt = &previous.TakenAt
	case i.State == StateDone && i.TakenAt != nil:
		i.State = StateTaken
		i.DoneAt = nil
	default:
		i.State = StateNew
		i.Handler = ""
		i.TakenAt = nil
		i.DoneAt = nil
	}

	return nil
}

func wrongState(message string) error { return fault.New(fault.Conflict, "wrong_state", "%s", message) }
