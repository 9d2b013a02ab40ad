package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

const deliveriesPath = "/api/store/webhook-deliveries"

// deliveries lists the deliveries of the store that match the query, newest first.
func (api *API) deliveries(w http.ResponseWriter, r *httpapi.Request) error {
	c := r.Query.Cursor()
	filter := deliveryFilter(r)
	dates := r.Dates()
	return httpapi.RespondCursorList(w, r, c, false,
		func(ctx context.Context, tx store.Tx, after, limit int64) ([]webhook.Delivery, int64, error) {
			return api.webhooks.Deliveries(ctx, tx, filter, after, limit)
		}, httpapi.AsJSON(func(d *webhook.Delivery) Delivery { return renderDelivery(d, dates) }))
}

func (api *API) delivery(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID := deliveryInPath(r)
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		delivery, attempts, err := api.webhooks.Delivery(ctx, tx, deliveryID)
		if err != nil {
			return err
		}
		dates := r.Dates()
		out.WriteResource(delivery.UpdatedAt.UnixMicro(),
			DeliveryWithAttempts{Delivery: renderDelivery(&delivery, dates), Attempts: renderAttempts(attempts, dates)})
		return nil
	})
}

func (api *API) redeliver(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID := deliveryInPath(r)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		delivery, err := api.webhooks.Redeliver(ctx, tx, deliveryID)
		if err == nil && !mayReadPayload(r.Principal, delivery.Type) {
			err = errMaySend(delivery.Type)
		}
		return writeAcceptedDelivery(r, out, delivery, err)
	})
}

func deliveryInPath(r *httpapi.Request) webhook.DeliveryID {
	return httpapi.PathID[webhook.Delivery](r, "id", "delivery")
}

// writeAcceptedDelivery writes a 202 response with a delivery that will be sent later. The argument failure is the
// error of the use case: if it is not nil, writeAcceptedDelivery returns it and writes nothing.
func writeAcceptedDelivery(r *httpapi.Request, out *httpapi.Response, d webhook.Delivery, failure error) error {
	if failure == nil {
		out.Status = http.StatusAccepted
		out.WriteData(renderDelivery(&d, r.Dates()))
	}
	return failure
}

func renderDelivery(d *webhook.Delivery, dates *locale.Dates) Delivery {
	return Delivery{
		ID: schema.ID(d.ID), EventID: schema.ID(d.EventID), Type: d.Type, ReceiverID: schema.ID(d.ReceiverID),
		Status: string(d.Status), AttemptsCount: d.Attempts,
		LastStatusCode: schema.OrNull(d.LastStatusCode), NextAttemptAt: schema.DateOrNull(d.NextAttemptAt, dates),
		CreatedAt: schema.NewDate(d.CreatedAt, dates), UpdatedAt: schema.NewDate(d.UpdatedAt, dates),
	}
}

func renderAttempts(list []webhook.Attempt, dates *locale.Dates) []Attempt {
	attempts := make([]Attempt, len(list))
	for i, a := range list {
		attempts[i] = Attempt{
			Number: a.Number, StartedAt: schema.NewDate(a.StartedAt, dates), DurationMS: a.Duration.Milliseconds(),
			StatusCode: schema.OrNull(a.StatusCode),
			Phase:      schema.OrNull(a.Phase), ResponseExcerpt: a.Excerpt,
		}
	}
	return attempts
}
