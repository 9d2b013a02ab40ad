package inquiry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// HandlingFilter selects inquiries of all kinds. A zero member does not filter.
type HandlingFilter struct {
	State  State
	Search string // as in Filter
	// PhoneEnds also selects the inquiries whose phone numbers end in a word of Search with four to nine digits.
	// Tolerant does so, too, and corrects the words that no inquiry has: see store.Reading.
	PhoneEnds, Tolerant bool
}

// Position is a place in a list of inquiries: next to the inquiry with this creation time in Unix microseconds, this
// kind and this key.
type Position struct {
	CreatedAt int64
	Kind      Kind
	Key       int64
	// Newer selects the inquiries before the position in the list, which are newer, not those after it.
	Newer bool
}

// Part is a part of a list. Newer and Older are the positions of the adjacent parts; nil if there are none.
type Part struct {
	Inquiries    []Inquiry
	Newer, Older *Position
}

// List returns up to limit inquiries of all kinds that match the filter, newest first, from a position on; nil is the
// beginning.
func (s *Service) List(
	ctx context.Context, tx store.Tx, f HandlingFilter, at *Position, limit int,
) (p Part, err error) {
	defer fault.AddContext(&err, "list the inquiries of store %s", tx.StoreID())

	list, err := selectInquiries(ctx, tx, f, at, limit+1)
	if err != nil {
		return Part{}, err
	}

	backwards := at != nil && at.Newer
	p.Inquiries, p.Newer, p.Older = store.Window(list, limit, at, backwards, (*Inquiry).position)
	return p, nil
}

// position returns the position next to the inquiry.
func (i *Inquiry) position(newer bool) *Position {
	return &Position{CreatedAt: i.CreatedAt.UnixMicro(), Kind: i.Kind, Key: i.Key, Newer: newer}
}

// MaxCounted is the number up to which CountStates counts. It bounds the rows that a page reads.
const MaxCounted = 1000

// CountStates counts the inquiries in each state. A count of MaxCounted + 1 stands for any larger number.
func (s *Service) CountStates(ctx context.Context, tx store.Tx) (_ map[State]int64, err error) {
	defer fault.AddContext(&err, "count the inquiries of store %s", tx.StoreID())
	counts, err := countStates(ctx, tx, MaxCounted+1)
	for state, n := range counts {
		counts[state] = min(n, MaxCounted+1)
	}
	return counts, err
}

// CountNew counts the inquiries that nobody has taken yet, up to limit.
func CountNew(ctx context.Context, tx store.Tx, limit int64) (n int64, err error) {
	defer fault.AddContext(&err, "count the new inquiries of store %s", tx.StoreID())
	n, err = countNew(ctx, tx, limit)
	return min(n, limit), err
}

// Find returns an inquiry of any kind, or fault.NotFound.
func (s *Service) Find(ctx context.Context, tx store.Tx, inquiryID ID) (_ Inquiry, err error) {
	defer fault.AddContext(&err, "read inquiry %s", inquiryID)
	return selectInquiry(ctx, tx, inquiryID)
}

// WithContact returns up to limit inquiries that have one of the e-mail addresses or phone numbers, newest first.
// Addresses are compared as they are stored.
func (s *Service) WithContact(
	ctx context.Context, tx store.Tx, addresses []string, limit int,
) (_ []Inquiry, err error) {
	defer fault.AddContext(&err, "list the inquiries of a person in store %s", tx.StoreID())
	list, err := selectWithContact(ctx, tx, addresses, limit)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Inquiry) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Kind, a.Kind), cmp.Compare(b.Key, a.Key))
	})
	list = slices.CompactFunc(list, func(a, b Inquiry) bool { return a.ID == b.ID })
	return list[:min(limit, len(list))], nil
}

// Take assigns an inquiry to the operator with the e-mail address handler, even if another operator has taken it. Take,
// Finish, Reopen and SetNote return the inquiry before and after the change. They return fault.NotFound, fault.Stale,
// or fault.Conflict if its state does not allow the change.
func (s *Service) Take(
	ctx context.Context, tx store.Tx, inquiryID ID, handler string, pre fault.Precondition,
) (before, after Inquiry, err error) {
	return s.handle(ctx, tx, inquiryID, pre, audit.InquiryTaken,
		func(i *Inquiry, now time.Time) error { return i.take(handler, now) })
}

// Finish marks an inquiry as done. If nobody took it, handler becomes its handler.
func (s *Service) Finish(
	ctx context.Context, tx store.Tx, inquiryID ID, handler string, pre fault.Precondition,
) (before, after Inquiry, err error) {
	return s.handle(ctx, tx, inquiryID, pre, audit.InquiryDone,
		func(i *Inquiry, now time.Time) error { return i.finish(handler, now) })
}

// Reopen reverts the last step of the handling: an inquiry that is done becomes what it was before, and one that is
// taken becomes new. If the operator took it over from another one, previous says from whom, and the inquiry goes back
// to that operator.
func (s *Service) Reopen(
	ctx context.Context, tx store.Tx, inquiryID ID, previous *Assignment, pre fault.Precondition,
) (before, after Inquiry, err error) {
	return s.handle(ctx, tx, inquiryID, pre, audit.InquiryReopened,
		func(i *Inquiry, _ time.Time) error { return i.reopen(previous) })
}

// SetNote replaces the note. It also returns fault.Invalid if the note is too long.
func (s *Service) SetNote(
	ctx context.Context, tx store.Tx, inquiryID ID, note string, pre fault.Precondition,
) (before, after Inquiry, err error) {
	if n := utf8.RuneCountInString(note); n > MaxNoteLength {
		return before, after, fault.OneField("note", "too_long",
			"A note may have at most %d characters; this one has %d.",
			MaxNoteLength, n)
	}
	before, after, err = s.change(ctx, tx, inquiryID, pre, func(i *Inquiry, _ time.Time) error {
		i.Note = note
		return nil
	})
	if err != nil || before.Note == after.Note {
		return before, after, err
	}
	return before, after, audit.Record(ctx, tx, logEntry(audit.InquiryNoted, inquiryID, cmp.Or(after.Name, after.Phone),
		audit.Change{Field: "note", From: before.Note, To: after.Note}))
}

// handle changes the state of an inquiry as change does, and records the action.
func (s *Service) handle(
	ctx context.Context, tx store.Tx, inquiryID ID, pre fault.Precondition, action audit.Action,
	fn func(i *Inquiry, now time.Time) error,
) (before, after Inquiry, err error) {
	if before, after, err = s.change(ctx, tx, inquiryID, pre, fn); err != nil {
		return before, after, err
	}
	return before, after, audit.Record(ctx, tx, logEntry(action, inquiryID, cmp.Or(after.Name, after.Phone),
		audit.Change{Field: "state", From: string(before.State), To: string(after.State)}))
}

// logEntry returns what the log says about a change of an inquiry. The label is the name or the phone number of the
// person.
func logEntry(action audit.Action, inquiryID fmt.Stringer, label string, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "inquiry", ID: inquiryID.String(), Label: label},
		Changes: changes}
}

// change locks an inquiry, calls fn to change it, and saves it with the next version.
func (s *Service) change(
	ctx context.Context, tx store.Tx, inquiryID ID, pre fault.Precondition,
	fn func(i *Inquiry, now time.Time) error,
) (before, after Inquiry, err error) {
	defer fault.AddContext(&err, "change inquiry %s", inquiryID)

	if before, err = selectInquiry(ctx, tx, inquiryID); err != nil {
		return before, after, err
	}
	if before, err = lockInquiry(ctx, tx, before.Kind, inquiryID); err != nil {
		return before, after, err
	}
	if err := pre.Check(before.Version); err != nil {
		return before, after, err
	}

	after = before
	if err := fn(&after, database.Moment(s.Now())); err != nil {
		return before, after, err
	}

	after.Version++
	err = updateHandling(ctx, tx, &after)
	return before, after, err
}
