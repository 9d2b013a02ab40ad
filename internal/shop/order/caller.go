package order

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"

	"vitrine/internal/shop/access"
)

// Caller is who asks for an order. An order that a caller may not reach is fault.NotFound, as one that does not exist.
type Caller struct {
	// All says that every order of the store may be reached.
	All bool
	// Customer is the key of the customer who is signed in, and CustomerID the id; both are zero for a guest.
	Customer   int64
	CustomerID access.CustomerID
	// Token is the order token that came with the request; empty without one.
	Token string
}

// mayAccess reports whether the caller may see the order, and edit it while it is a draft.
func (c Caller) mayAccess(o *Order) bool {
	hash := hashOrderToken(c.Token)
	return c.All || (c.Customer != 0 && o.CustomerKey != nil && *o.CustomerKey == c.Customer) || subtle.ConstantTimeCompare(hash, o.token) == 1
}

// claim makes an order that belongs to nobody the caller's, if that is a customer.
func (c Caller) claim(o *Order) {
	if o.CustomerKey == nil && c.Customer != 0 {
		o.CustomerKey, o.CustomerID = &c.Customer, &c.CustomerID
	}
}

// newOrderToken makes the token by which a guest reaches an order: 260 random bits, so a plain SHA-256 of it cannot be turned back.
func newOrderToken() string { return "ot_" + rand.Text() + rand.Text() }

func hashOrderToken(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}
