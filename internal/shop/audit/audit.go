// Package audit owns the log of who changed what in a store. An entry is written in the transaction of the change, so
// that both exist or neither.
package audit

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// Entry is one change.
type Entry struct {
	// Action is what was done: a noun and a verb in the past tense, such as order.confirmed.
	Action  string
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

// ActorKind is a kind of author of changes.
type ActorKind string

// The kinds of actors.
const (
	ByOperator ActorKind = "operator"
	ByKey      ActorKind = "key"
	ByToken    ActorKind = "token"   // an exchange token, such as that of 1C
	ByCommand  ActorKind = "command" // the command line
	// ByStranger is a client that has not signed in.
	ByStranger ActorKind = "stranger"
	// ByRetention is the program itself, when a retention ends.
	ByRetention ActorKind = "retention"
)

// Actor is the author of a change. Name is the e-mail address of an operator or the name of a key or
// token.
type Actor struct {
	Kind     ActorKind
	ID, Name string
}

// Record is a stored entry.
type Record struct {
	Entry
	// Sequence grows with each entry of the database.
	Sequence int64
	At       time.Time
	Actor    Actor
}

// maxTextBytes limits the values of a change. Longer ones are cut.
const maxTextBytes = 2000

// Service writes and reads the log. It is safe for concurrent use.
type Service struct{ Now func() time.Time }

// Record writes an entry. It writes nothing if the entry has no action.
func (s *Service) Record(ctx context.Context, tx store.Tx, by Actor, e Entry) error {
	if e.Action == "" {
		return nil
	}
	changes := make([]Change, 0, len(e.Changes))
	for _, c := range e.Changes {
		changes = append(changes, Change{c.Field, cut(c.From), cut(c.To)})
	}
	b, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	return insertEntry(ctx, tx, database.Moment(s.Now()), by, e, string(b))
}

// RecordHourly writes an entry unless the same actor did the same with the same kind of object in the last hour. It is
// for what a program may repeat at will, such as reading the mailbox.
func (s *Service) RecordHourly(ctx context.Context, tx store.Tx, by Actor, e Entry) error {
	n, err := countSince(ctx, tx, s.Now().Add(-time.Hour), by, e)
	if err != nil || n > 0 {
		return err
	}
	return s.Record(ctx, tx, by, e)
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
