package onec

import (
	"context"
	"errors"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const documentOfOrderSQL = `
SELECT document_id
FROM commerceml_orders
WHERE store_id = $1
  AND order_id = $2`

// Two requests at once may store one id for two orders: the newer order has it then.
const orderOfDocumentSQL = `
SELECT order_id
FROM commerceml_orders
WHERE store_id = $1
  AND document_id = $2
ORDER BY order_id DESC
LIMIT 1`

const deleteOrderDocumentSQL = `
DELETE FROM commerceml_orders
WHERE store_id = $1
  AND document_id = $2`

const upsertOrderDocumentSQL = `
INSERT INTO commerceml_orders (store_id, order_id, document_id)
VALUES ($1, $2, $3)
ON CONFLICT (store_id, order_id) DO UPDATE
SET document_id = excluded.document_id`

// documentOfOrder returns the id under which 1C has sent an order; empty if there is none.
func documentOfOrder(ctx context.Context, tx store.Tx, orderID order.ID) (documentID string, err error) {
	err = database.QueryRow(ctx, tx, documentOfOrderSQL, []any{orderID}, &documentID)
	if errors.Is(err, database.ErrNoRows) {
		return "", nil
	}
	return documentID, err
}

// orderOfDocument returns the order that 1C has sent under an id, or database.ErrNoRows.
func orderOfDocument(ctx context.Context, tx store.Tx, documentID string) (orderID order.ID, err error) {
	err = database.QueryRow(ctx, tx, orderOfDocumentSQL, []any{documentID}, &orderID)
	return orderID, err
}

// setOrderDocument stores the id under which 1C has sent an order. Another order loses it: the document's number says
// which order it is.
func setOrderDocument(ctx context.Context, tx store.Tx, orderID order.ID, documentID string) error {
	if err := database.Exec(ctx, tx, deleteOrderDocumentSQL, documentID); err != nil {
		return err
	}
	return database.Exec(ctx, tx, upsertOrderDocumentSQL, orderID, documentID)
}
