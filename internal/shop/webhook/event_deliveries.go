package webhook

import (
	"context"

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
