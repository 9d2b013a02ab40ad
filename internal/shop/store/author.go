package store

import "time"

// ActorKind is a kind of author of changes.
type ActorKind string

// The kinds of actors.
const (
	ByOperator ActorKind = "operator"
	ByKey      ActorKind = "key"
	ByToken    ActorKind = "token"   // an exchange token, such as the token of 1C
	ByCommand  ActorKind = "command" // the command line
	// ByStranger is a client that has not signed in.
	ByStranger ActorKind = "stranger"
	// ByRetention is the program itself, when a retention ends.
	ByRetention ActorKind = "retention"
)

// Actor is the author of a change. Name is the e-mail address of an operator or the name of a key or token.
type Actor struct {
	Kind     ActorKind
	ID, Name string
}

// authorship says who makes the changes of a transaction, and when.
type authorship struct {
	actor Actor
	at    time.Time
}

// By returns the transaction with the author of its changes. Use-cases record them in the audit log, with the time at.
// The changes of a transaction without an author are not recorded: changes by visitors of the shop, and pushes, which
// have a run as their record. A zero actor is no author.
func (tx Tx) By(actor Actor, at time.Time) Tx {
	if actor == (Actor{}) {
		return tx
	}
	tx.author = &authorship{actor, at}
	return tx
}

// Author returns the author of the changes, the time of their entries in the log, and whether they are recorded.
func (tx Tx) Author() (actor Actor, at time.Time, recorded bool) {
	if tx.author == nil {
		return Actor{}, time.Time{}, false
	}
	return tx.author.actor, tx.author.at, true
}
