package order

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/pricing"
)

// Caller identifies who makes a request for an order. If the caller may not access an order, the service returns
// fault.NotFound, as it does for an order that does not exist.
type Caller struct {
	// AllOrders gives access to every order of the store.
	AllOrders bool
	// CustomerKey and CustomerID are the row key and the id of the signed-in customer. Both are zero for a guest.
	CustomerKey int64
	CustomerID  access.CustomerID
	// KeyID is the key that the caller has or came by; nil for an operator. Prices are the caller's price lists.
	KeyID  *access.KeyID
	Prices pricing.Chain
	// Token is the order token of the request, or empty.
	Token string
	// enters says that the shop enters an order that somebody has told it.
	enters bool
}

// mayAccess reports whether the caller may read the order, and edit it while it is a draft.
func (c Caller) mayAccess(o *Order) bool {
	hash := hashOrderToken(c.Token)
	return c.AllOrders || (c.CustomerKey != 0 && o.CustomerKey != nil && *o.CustomerKey == c.CustomerKey) ||
		subtle.ConstantTimeCompare(hash, o.token) == 1
}

// claim assigns an order without a customer to the caller, if the caller is a customer.
func (c Caller) claim(o *Order) {
	if o.CustomerKey == nil && c.CustomerKey != 0 {
		o.CustomerKey, o.CustomerID = &c.CustomerKey, &c.CustomerID
	}
}

// newOrderToken returns a new order token, which gives a guest access to one order. It has 260 random bits, so its
// plain SHA-256 hash cannot be reversed by guessing.
func newOrderToken() string { return "ot_" + rand.Text() + rand.Text() }

func hashOrderToken(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}
