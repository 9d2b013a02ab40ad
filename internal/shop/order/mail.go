package order

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// Mail is a mail about a submitted order, to the customer or to somebody who works in the shop. Package mailing writes
// and sends it; an order has the record of it as part of its history.
type Mail struct {
	ID id.Of[Mail]
	// Kind is a mailing.Kind. To is the address of the recipient. A mail that is recorded with an empty one went to the
	// address of the order.
	Kind, To string
	At       time.Time
	// Failed says that the mail was given up: the mail server has refused it.
	Failed bool
}

// RecordMail records a mail about an order. A later record of the same mail replaces the earlier one.
func RecordMail(ctx context.Context, tx store.Tx, orderID ID, m Mail) (err error) {
	defer fault.AddContext(&err, "record a mail about order %s", orderID)
	return upsertMail(ctx, tx, orderID, m)
}

// ForgetMail removes the record of a mail, which is tried again.
func ForgetMail(ctx context.Context, tx store.Tx, orderID ID, mailID id.Of[Mail]) (err error) {
	defer fault.AddContext(&err, "forget a mail about order %s", orderID)
	return deleteMail(ctx, tx, orderID, mailID)
}

// Mails returns the last mails about an order, up to limit, the oldest first.
func Mails(ctx context.Context, tx store.Tx, orderKey int64, limit int) (list []Mail, err error) {
	defer fault.AddContext(&err, "read the mails about an order of store %s", tx.StoreID())
	return selectMails(ctx, tx, orderKey, limit)
}
