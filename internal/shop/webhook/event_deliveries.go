package webhook

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// EventDelivery is a delivery with the URL of its receiver.
type EventDelivery struct {
	Delivery
	ReceiverURL string
}

// DeliveriesOfEvents returns the deliveries of events in the order in which they were created. The deliveries of an
// event are created shortly after its commit, and deleted with it after the retention time.
func (s *Service) DeliveriesOfEvents(
	ctx context.Context, tx store.Tx, events []event.ID,
) (_ []EventDelivery, err error) {
	defer fault.AddContext(&err, "list deliveries of events of store %s", tx.StoreID())
	return selectDeliveriesOfEvents(ctx, tx, events)
}

// ReceiversOf returns the enabled receivers of a store that get events of a type.
func (s *Service) ReceiversOf(ctx context.Context, tx store.Tx, eventType string) (list []Receiver, err error) {
	defer fault.AddContext(&err, "list receivers of %s in store %s", eventType, tx.StoreID())
	all, _, err := selectReceiverPage(ctx, tx, MaxReceivers, 0)
	for i := range all {
		if all[i].Enabled && all[i].Wants(eventType) {
			list = append(list, all[i])
		}
	}
	return list, err
}

// Listening returns those of the stores that have an enabled receiver, of whatever types.
func (s *Service) Listening(ctx context.Context, stores map[store.ID]bool) (_ map[store.ID]bool, err error) {
	defer fault.AddContext(&err, "find stores with receivers")
	return database.Read(ctx, s.DB, func(q database.Querier) (map[store.ID]bool, error) {
		return listeningStores(ctx, q, slices.Collect(maps.Keys(stores)))
	})
}
