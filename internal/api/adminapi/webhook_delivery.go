package adminapi

import (
	"context"
	"net/http"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/webhook"
)

const deliveriesPath = "/api/store/webhook-deliveries"

// deliveries answers with what was sent, or is to be, the newest first.
func (api *API) deliveries(w http.ResponseWriter, r *httpapi.Request) error {
	c, err := r.Cursor()
	if err != nil {
		return err
	}
	filter, err := deliveryFilter(r)
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		list, next, err := api.webhooks.Deliveries(ctx, q, r.Principal.Store.ID, filter, c.At, c.PerPage)
		if err != nil {
			return err
		}
		dates := r.Dates()
		out.Data()
		out.B = append(out.B, '[')
		for i := range list {
			out.Item(i)
			out.B = append(appendDelivery(out.B, dates, &list[i]), '}')
		}
		out.B = append(out.B, ']')
		out.MetaCursor(c, next)
		out.End()
		return nil
	})
}

func (api *API) delivery(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID, err := httpapi.PathID[webhook.Delivery](r, "id", "delivery")
	if err != nil {
		return err
	}
	return r.Read(w, true, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		found, attempts, err := api.webhooks.Delivery(ctx, q, r.Principal.Store.ID, deliveryID)
		if err != nil {
			return err
		}
		dates := r.Dates()
		out.ETag = httpapi.ETag(found.UpdatedAt.UnixMicro())
		out.Data()
		out.B = appendDelivery(out.B, dates, &found)
		out.B = append(out.B, `,"attempts":[`...)
		for i := range attempts {
			out.Item(i)
			out.B = appendAttempt(out.B, dates, &attempts[i])
		}
		out.B = append(out.B, ']', '}')
		out.End()
		return nil
	})
}

func (api *API) redeliver(w http.ResponseWriter, r *httpapi.Request) error {
	deliveryID, err := httpapi.PathID[webhook.Delivery](r, "id", "delivery")
	if err != nil {
		return err
	}
	return r.Write(w, r.NoBody(), false, func(ctx context.Context, q database.Querier, out *httpapi.Answer) error {
		again, err := api.webhooks.Redeliver(ctx, q, r.Principal.Store.ID, deliveryID)
		if err != nil {
			return err
		}
		answerAccepted(r, out, again)
		return nil
	})
}

// answerAccepted answers with a delivery that is about to be sent.
func answerAccepted(r *httpapi.Request, out *httpapi.Answer, d webhook.Delivery) {
	out.Status = http.StatusAccepted
	out.Data()
	out.B = append(appendDelivery(out.B, r.Dates(), &d), '}')
	out.End()
}

// appendDelivery writes a delivery up to where its attempts would stand.
func appendDelivery(b []byte, dates *locale.Dates, d *webhook.Delivery) []byte {
	b = append(b, `{"id":"`...)
	b = d.ID.Append(b)
	b = append(b, `","event_id":"`...)
	b = d.EventID.Append(b)
	b = append(b, `","type":`...)
	b = wire.AppendString(b, d.Type)
	b = append(b, `,"receiver_id":"`...)
	b = d.ReceiverID.Append(b)
	b = append(b, `","status":"`+d.Status+`","attempts_count":`...)
	b = strconv.AppendInt(b, d.Attempts, 10)
	b = append(b, `,"last_status_code":`...)
	b = appendOptionalNumber(b, d.LastStatusCode)
	b = append(b, `,"next_attempt_at":`...)
	b = appendTime(b, dates, d.NextAttemptAt)
	b = append(b, `,"created_at":`...)
	b = dates.AppendJSON(b, d.CreatedAt)
	b = append(b, `,"updated_at":`...)
	return dates.AppendJSON(b, d.UpdatedAt)
}

func appendAttempt(b []byte, dates *locale.Dates, a *webhook.Attempt) []byte {
	b = append(b, `{"number":`...)
	b = strconv.AppendInt(b, a.Number, 10)
	b = append(b, `,"started_at":`...)
	b = dates.AppendJSON(b, a.StartedAt)
	b = append(b, `,"duration_ms":`...)
	b = strconv.AppendInt(b, a.Duration.Milliseconds(), 10)
	b = append(b, `,"status_code":`...)
	b = appendOptionalNumber(b, a.StatusCode)
	b = append(b, `,"phase":`...)
	b = appendOptionalText(b, a.Phase)
	b = append(b, `,"response_excerpt":`...)
	b = wire.AppendString(b, a.Excerpt)
	return append(b, '}')
}

func appendOptionalNumber(b []byte, n *int64) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, *n, 10)
}
