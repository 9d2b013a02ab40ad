package exchange

import (
	"cmp"
	"context"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

const (
	// maxGroupedNotes is how many notes of a run NoteGroups and NotesOf look at.
	maxGroupedNotes = 10_000
	// maxNoteGroups limits the groups. Each code of a field is one, and there are few of them.
	maxNoteGroups = 100
	// noteGroupIDs is how many ids of items a group has.
	noteGroupIDs = 5
)

// NoteGroup has the errors or warnings of a run with the same code and field.
type NoteGroup struct {
	Code string
	// Field is the place in the item without positions in lists, such as variants[].price.
	Field string
	// Message is the message of the first note.
	Message string
	Count   int64
	// IDs are the client's ids of the first items, and Names what people call them, in the same order. A name that is
	// not known is empty.
	IDs, Names []string
}

// NoteGroups groups the errors or warnings of a run by code and field, the largest group first. It looks at the first
// 10,000 only; the result complete says whether these are all.
func (s *Runs) NoteGroups(
	ctx context.Context, tx store.Tx, run Run, severity Severity,
) (groups []NoteGroup, complete bool, err error) {
	defer fault.AddContext(&err, "group the %ss of run %s", severity, run.ID)

	positions := map[NoteFilter]int{}
	seen := 0

	err = eachNoteAfter(ctx, tx, run.Key, severity, 0, maxGroupedNotes+1, func(n RunNote) bool {
		if seen++; seen > maxGroupedNotes {
			return false
		}

		key := NoteFilter{n.Code, item.StripPositions(n.Field)}
		at, known := positions[key]
		if !known {
			if len(groups) == maxNoteGroups {
				return true
			}
			at = len(groups)
			positions[key] = at
			groups = append(groups, NoteGroup{Code: key.Code, Field: key.Field, Message: n.Message})
		}

		g := &groups[at]
		g.Count++
		if n.ID != nil && len(g.IDs) < noteGroupIDs && !slices.Contains(g.IDs, *n.ID) {
			g.IDs = append(g.IDs, *n.ID)
			g.Names = append(g.Names, n.Name)
		}

		return true
	})

	slices.SortStableFunc(groups, func(a, b NoteGroup) int { return cmp.Compare(b.Count, a.Count) })
	return groups, seen <= maxGroupedNotes, err
}

// NoteFilter selects notes by their code and their field without positions in lists.
type NoteFilter struct{ Code, Field string }

// NotesOf is like Notes, but returns only the notes that the filter selects. It looks at 10,000 notes at a time, so
// that a page may have fewer notes than limit although there are more.
func (s *Runs) NotesOf(
	ctx context.Context, tx store.Tx, run Run, severity Severity, f NoteFilter, after, limit int64,
) (notes []RunNote, next int64, err error) {
	defer fault.AddContext(&err, "read the %ss of run %s", severity, run.ID)

	seen := 0
	last := after

	err = eachNoteAfter(ctx, tx, run.Key, severity, after, maxGroupedNotes, func(n RunNote) bool {
		seen++

		if n.Code == f.Code && item.StripPositions(n.Field) == f.Field {
			if int64(len(notes)) == limit {
				next = last
				return false
			}
			notes = append(notes, n)
		}

		last = n.Number
		return true
	})
	if next == 0 && seen == maxGroupedNotes {
		next = last
	}

	return notes, next, err
}
