// Package audit owns the log of who changed what in a store. An entry is written in the transaction of the change, so
// that both exist or neither.
package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// Entry is one change.
type Entry struct {
	Action  Action
	Object  Object
	Changes []Change
}

// Object is what was changed. Label is its name for people at the time of the change.
type Object struct{ Kind, ID, Label string }

// Change is a changed member of the object. Secrets have no values.
type Change struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// StoredEntry is an entry of the log.
type StoredEntry struct {
	Entry
	// Sequence grows with each entry of the database.
	Sequence int64
	At       time.Time
	Actor    store.Actor
}

// maxTextBytes limits the values of a change. Longer ones are cut.
const maxTextBytes = 2000

// Service reads the log and deletes old entries. It is safe for concurrent use.
type Service struct{ Now func() time.Time }

// Record writes an entry by the author of the transaction. It writes nothing if the entry has no action, or if the
// transaction has no author.
func Record(ctx context.Context, tx store.Tx, e Entry) error {
	by, at, recorded := tx.Author()
	if e.Action == "" || !recorded {
		return nil
	}
	if ActionTexts[e.Action] == "" {
		return fmt.Errorf("the log has no words for the action %s", e.Action)
	}

	changes := make([]Change, 0, len(e.Changes))
	for _, c := range e.Changes {
		changes = append(changes, Change{c.Field, cut(c.From), cut(c.To)})
	}

	b, err := json.Marshal(changes)
	if err != nil {
		return err
	}

	return insertEntry(ctx, tx, database.Moment(at), by, e, string(b))
}

// RecordHourly writes an entry unless the same author did the same with the same kind of object in the last hour. It is
// for what a program may repeat at will, such as reading the mailbox.
func RecordHourly(ctx context.Context, tx store.Tx, e Entry) error {
	by, at, _ := tx.Author()
	n, err := countSince(ctx, tx, at.Add(-time.Hour), by, e)
	if err != nil || n > 0 {
		return err
	}
	return Record(ctx, tx, e)
}

// cut shortens a text to maxTextBytes, at the start of a character.
func cut(text string) string {
	if len(text) <= maxTextBytes {
		return text
	}
	end := maxTextBytes
	for end > 0 && text[end]&0xC0 == 0x80 {
		end--
	}
	return text[:end] + "…"
}

// AppendChange appends the change of a member, unless both texts are the same.
func AppendChange(list []Change, field, from, to string) []Change {
	if from == to {
		return list
	}
	return append(list, Change{Field: field, From: from, To: to})
}

// AppendOptional is AppendChange for a member that may be nil.
func AppendOptional(list []Change, field string, from, to *string) []Change {
	return AppendChange(list, field, textOrNone(from), textOrNone(to))
}

// textOrNone returns the text of an optional member.
func textOrNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
