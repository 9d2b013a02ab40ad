package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

const deliveriesPath = "/api/store/webhook-deliveries"

// deliveries lists the deliveries of the store that match the query, newest first.
func (api *API) deliveries(w http.ResponseWriter, r *httpapi.Request) error {
	c, err := r.Cursor()
	if err != nil {
		return err
	}
	filter, err := deliveryFilter(r)
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		list, next, err := api.webhooks.Deliveries(ctx, tx, filter, c.At, c.PerPage)
		if err != nil {
			return err
		}
		dates := r.Dates()
		out.BeginData()
		out.B = append(out.B, '[')
		for i := range list {
			out.BeginItem(i)
			out.B = wire.AppendJSON(out.B, renderDelivery(&list[i], dates))
		}
		out.B = append(out.B, ']')
		out.AppendCursorMeta(c, next)
		out.EndEnvelope()
		return nil
	})
}

func (api *API) delivery(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID, err := httpapi.PathID[webhook.Delivery](r, "id", "delivery")
	if err != nil {
		return err
	}
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		delivery, attempts, err := api.webhooks.Delivery(ctx, tx, deliveryID)
		if err != nil {
			return err
		}
		dates := r.Dates()
		out.ETag = httpapi.ETag(delivery.UpdatedAt.UnixMicro())
		out.WriteData(withAttempts(renderDelivery(&delivery, dates), renderAttempts(attempts, dates)))
		return nil
	})
}

func (api *API) redeliver(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID, err := httpapi.PathID[webhook.Delivery](r, "id", "delivery")
	if err != nil {
		return err
	}
	return r.Write(w, r.NoBody(), false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		delivery, err := api.webhooks.Redeliver(ctx, tx, deliveryID)
		if err != nil {
			return err
		}
		writeAccepted(r, out, delivery)
		return nil
	})
}

// writeAccepted writes a 202 response with a delivery that the queue will send.
func writeAccepted(r *httpapi.Request, out *httpapi.Response, d webhook.Delivery) {
	out.Status = http.StatusAccepted
	out.WriteData(renderDelivery(&d, r.Dates()))
}

func renderDelivery(d *webhook.Delivery, dates *locale.Dates) Delivery {
	return Delivery{
		ID: openapi.ID(d.ID), EventID: openapi.ID(d.EventID), Type: d.Type, ReceiverID: openapi.ID(d.ReceiverID),
		Status: string(d.Status), AttemptsCount: d.Attempts,
		LastStatusCode: openapi.OrNull(d.LastStatusCode), NextAttemptAt: openapi.DateOrNull(d.NextAttemptAt, dates),
		CreatedAt: openapi.NewDate(d.CreatedAt, dates), UpdatedAt: openapi.NewDate(d.UpdatedAt, dates),
	}
}

func withAttempts(d Delivery, attempts []Attempt) DeliveryWithAttempts {
	return DeliveryWithAttempts{
		ID: d.ID, EventID: d.EventID, Type: d.Type, ReceiverID: d.ReceiverID, Status: d.Status,
		AttemptsCount:  d.AttemptsCount,
		LastStatusCode: d.LastStatusCode, NextAttemptAt: d.NextAttemptAt, CreatedAt: d.CreatedAt,
		UpdatedAt: d.UpdatedAt, Attempts: attempts,
	}
}

func renderAttempts(list []webhook.Attempt, dates *locale.Dates) []Attempt {
	attempts := make([]Attempt, len(list))
	for i, a := range list {
		attempts[i] = Attempt{
			Number: a.Number, StartedAt: openapi.NewDate(a.StartedAt, dates), DurationMS: a.Duration.Milliseconds(),
			StatusCode: openapi.OrNull(a.StatusCode),
			Phase:      openapi.OrNull(a.Phase), ResponseExcerpt: a.Excerpt,
		}
	}
	return attempts
}
