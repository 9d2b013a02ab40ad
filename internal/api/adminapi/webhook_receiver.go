package adminapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

const receiversPath = "/api/store/webhook-receivers"

func (api *API) receivers(w http.ResponseWriter, r *httpapi.Request) error {
	dates := r.Dates()
	return httpapi.RespondListOf(w, r, func(ctx context.Context, tx store.Tx, limit, offset int64) ([]webhook.Receiver, int64,
		error) {
		return api.webhooks.Receivers(ctx, tx, limit, offset)
	}, func(receiver *webhook.Receiver) Receiver { return renderReceiver(receiver, dates) })
}

func (api *API) receiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID, err := receiverInPath(r)
	if err != nil {
		return err
	}
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		receiver, err := api.webhooks.Receiver(ctx, tx, receiverID)
		if err != nil {
			return err
		}
		writeReceiver(r, out, receiver)
		return nil
	})
}

func (api *API) createReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	body, edit, err := httpapi.ReadJSON(r, httpapi.BodyLimit, readReceiver)
	if err != nil {
		return err
	}
	defer body.Close()
	w.Header().Set("Cache-Control", "no-store") // the response contains the secret
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		created, secret, err := api.webhooks.CreateReceiver(ctx, tx, edit)
		if err != nil {
			return err
		}
		out.Status = http.StatusCreated
		out.Location = receiversPath + "/" + created.ID.String()
		writeReceiverSecret(r, out, created, secret)
		return nil
	})
}

func (api *API) editReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID, err := receiverInPath(r)
	if err != nil {
		return err
	}
	body, edit, err := httpapi.ReadJSON(r, httpapi.BodyLimit, readReceiver)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		changed, err := api.webhooks.EditReceiver(ctx, tx, receiverID, edit, r.IfMatch())
		if err != nil {
			return err
		}
		writeReceiver(r, out, changed)
		return nil
	})
}

// deleteReceiver deletes a receiver with its deliveries. There may be many of them, so the transaction is not grouped
// with other writes.
func (api *API) deleteReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID, err := receiverInPath(r)
	if err != nil {
		return err
	}
	return r.Write(w, r.NoBody(), true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return api.webhooks.DeleteReceiver(ctx, tx, receiverID, r.IfMatch())
	})
}

func (api *API) rotateSecret(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID, err := receiverInPath(r)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store") // the response contains the secret
	return r.Write(w, r.NoBody(), false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		changed, secret, err := api.webhooks.RotateSecret(ctx, tx, receiverID)
		if err != nil {
			return err
		}
		writeReceiverSecret(r, out, changed, secret)
		return nil
	})
}

// testReceiver sends an example event. The response is the delivery, whose status shows the result later.
func (api *API) testReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID, err := receiverInPath(r)
	if err != nil {
		return err
	}
	body, eventType, err := readTest(r)
	if err != nil {
		return err
	}
	defer body.Close()
	return r.Write(w, body, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		delivery, err := api.webhooks.SendTest(ctx, tx, receiverID, eventType)
		if err != nil {
			return err
		}
		writeAccepted(r, out, delivery)
		return nil
	})
}

// recoverReceiver retries all deliveries of a receiver that are not delivered. The work has transactions of its own, so
// the idempotency record commits only with the response. A repeated recovery does no harm.
func (api *API) recoverReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID, err := receiverInPath(r)
	if err != nil {
		return err
	}
	body, since, err := httpapi.ReadJSON(r, httpapi.BodyLimit, readSince)
	if err != nil {
		return err
	}
	defer body.Close()
	if done, err := r.Replay(w, body); done || err != nil {
		return err
	}
	recovered, err := api.webhooks.Recover(r.Context(), r.Principal.Store.ID, receiverID, since)
	if err != nil {
		return err
	}
	return r.Write(w, body, false, func(_ context.Context, _ store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusAccepted
		out.WriteData(Recovered{Recovered: recovered})
		return nil
	})
}

func receiverInPath(r *httpapi.Request) (webhook.ReceiverID, error) {
	return httpapi.PathID[webhook.Receiver](r, "id", "receiver")
}

func writeReceiver(r *httpapi.Request, out *httpapi.Response, receiver webhook.Receiver) {
	out.ETag = httpapi.ETag(receiver.Version)
	out.WriteData(renderReceiver(&receiver, r.Dates()))
}

// writeReceiverSecret writes a receiver with its secret, which no later response contains.
func writeReceiverSecret(r *httpapi.Request, out *httpapi.Response, receiver webhook.Receiver, secret string) {
	out.ETag = httpapi.ETag(receiver.Version)
	out.WriteData(withSecret(renderReceiver(&receiver, r.Dates()), secret))
}

func renderReceiver(r *webhook.Receiver, dates *locale.Dates) Receiver {
	return Receiver{
		ID: openapi.ID(r.ID), URL: r.URL, WebhookTypes: r.Types, Enabled: r.Enabled,
		DisabledReason: openapi.OrNull(r.DisabledReason),
		CreatedAt:      openapi.NewDate(r.CreatedAt, dates), UpdatedAt: openapi.NewDate(r.UpdatedAt, dates),
	}
}

func withSecret(r Receiver, secret string) ReceiverWithSecret {
	return ReceiverWithSecret{
		ID: r.ID, URL: r.URL, WebhookTypes: r.WebhookTypes, Enabled: r.Enabled, DisabledReason: r.DisabledReason,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		Secret: secret,
	}
}
