package webhook

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

const deliveriesOfEventsSQL = `
WITH q(id) AS (ROWS)
SELECT ` + deliveryColumns + `, v.url
FROM q
CROSS JOIN LOOKUP (events t WHERE t.store_id = $1 AND t.id = q.id)
CROSS JOIN LOOKUP (deliveries d WHERE d.store_id = $1 AND d.sequence = t.sequence)
CROSS JOIN LOOKUP (receivers v WHERE v.store_id = $1 AND v.key = d.receiver_key)
ORDER BY d.key`

func selectDeliveriesOfEvents(
	ctx context.Context, tx store.Tx, events []event.ID,
) (list []EventDelivery, err error) {
	err = tx.QueryRows(ctx, deliveriesOfEventsSQL, database.BatchOf(database.UUID, events),
		func(rows database.Rows) error {
			var url string
			d, err := scanDelivery(withColumn{rows, &url})
			list = append(list, EventDelivery{d, url})
			return err
		})
	return list, err
}

// withColumn are rows with one more column after those that a scan function knows.
type withColumn struct {
	database.Rows
	dest any
}

func (r withColumn) Scan(dest ...any) error { return r.Rows.Scan(append(dest, r.dest)...) }

const listeningStoresSQL = `
WITH r(store_id) AS (ROWS)
SELECT r.store_id
FROM r
WHERE EXISTS (SELECT 1 FROM receivers c WHERE c.store_id = r.store_id AND c.enabled)`

func listeningStores(ctx context.Context, q database.Querier, stores []store.ID) (map[store.ID]bool, error) {
	listening := map[store.ID]bool{}
	return listening, q.QueryRows(ctx, listeningStoresSQL, database.BatchOf(database.UUID, stores),
		database.PutKeys(listening))
}
