package account

import (
	"time"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// Account is a person who signs in to the administration. Each store that the person administers has an Operator of
// theirs, so one password opens all of them.
type Account struct {
	ID    access.AccountID
	Email string
	// Language is the tag of the language of the pages, or empty if the browser decides.
	Language string
	// CodesEnabled says that a sign-in needs a code in a second step.
	CodesEnabled bool
	UpdatedAt    time.Time
}

// maxLanguageBytes limits the tag of a language.
const maxLanguageBytes = 16

// AccountStore is a store that a person administers.
type AccountStore struct {
	ID   store.ID
	Name string
	Role access.Role
}
