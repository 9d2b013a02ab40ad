package adminapi

import (
	"context"
	"net/http"
	"slices"

	"vitrine/internal/api/confirm"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

const receiversPath = "/api/store/webhook-receivers"

func (api *API) receivers(w http.ResponseWriter, r *httpapi.Request) error {
	dates := r.Dates()
	return httpapi.RespondList(w, r, api.webhooks.Receivers,
		httpapi.AsJSON(func(receiver *webhook.Receiver) Receiver { return renderReceiver(receiver, dates) }))
}

func (api *API) receiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID := receiverInPath(r)
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		receiver, err := api.webhooks.Receiver(ctx, tx, receiverID)
		return writeReceiver(r, out, receiver, err)
	})
}

func (api *API) createReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	var password string
	edit := httpapi.ReadJSON(r, func(in *wire.Reader) webhook.ReceiverEdit { return readReceiver(in, &password) })
	api.confirmPassword(r, password)
	w.Header().Set("Cache-Control", "no-store") // the response contains the secret
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		created, secret, err := api.webhooks.CreateReceiver(ctx, tx, edit)
		if err == nil {
			err = maySend(r.Principal, created)
		}
		out.Created(receiversPath + "/" + created.ID.String())
		return writeReceiverSecret(r, out, created, secret, err)
	})
}

func (api *API) editReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID := receiverInPath(r)
	var password string
	edit := httpapi.ReadJSON(r, func(in *wire.Reader) webhook.ReceiverEdit { return readReceiver(in, &password) })
	passwordRequired := api.confirmIfSent(r, password)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		before, err := api.webhooks.Receiver(ctx, tx, receiverID)
		if err != nil {
			return err
		}
		changed, err := api.webhooks.EditReceiver(ctx, tx, receiverID, edit, r.IfMatch())
		if err != nil {
			return err
		}

		if confirm.Receiver(before, changed) {
			if err := passwordRequired(); err != nil {
				return err
			}
		}

		if err := api.mayEdit(ctx, tx, r.Principal, before, changed); err != nil {
			return err
		}

		return writeReceiver(r, out, changed, nil)
	})
}

// mayEdit returns a Denied fault if the caller lacks the scope of what the receiver gets, before or after the edit. An
// edit that only turns it off sends nothing. A new address also needs the scopes of the undelivered events: somebody
// may have removed their types, and may add them again.
func (api *API) mayEdit(
	ctx context.Context, tx store.Tx, p access.Principal, before, changed webhook.Receiver,
) error {
	moved := changed.URL != before.URL
	if !changed.Enabled && !moved && slices.Equal(changed.Types, before.Types) {
		return nil
	}
	if err := maySend(p, before, changed); err != nil || !moved || mayReadAll(p) {
		return err
	}

	undelivered, err := api.webhooks.UndeliveredTypes(ctx, tx, changed)
	if err != nil {
		return err
	}

	for _, eventType := range undelivered {
		if !mayReadPayload(p, eventType) {
			return errMaySend(eventType)
		}
	}

	return nil
}

// maySend returns a Denied fault if the caller lacks the scope of what an event of a receiver contains. Otherwise a key
// could have sent to itself what it may not read.
func maySend(p access.Principal, receivers ...webhook.Receiver) error {
	for _, eventType := range event.TypeIDs() {
		for _, receiver := range receivers {
			if receiver.Wants(eventType) && !mayReadPayload(p, eventType) {
				return errMaySend(eventType)
			}
		}
	}
	return nil
}

func errMaySend(eventType string) error {
	return fault.New(fault.Denied, "scope_exceeded",
		"This key cannot have events of the type %s sent, because it may not read what they contain; "+
			"it lacks the scope %s.", eventType, payloadScopes()[eventType])
}

// deleteReceiver deletes a receiver with its deliveries. A receiver may have many deliveries, so the transaction is
// committed alone, not in a group commit with other requests.
func (api *API) deleteReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID := receiverInPath(r)
	return r.Write(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusNoContent
		return api.webhooks.DeleteReceiver(ctx, tx, receiverID, r.IfMatch())
	})
}

func (api *API) rotateSecret(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID := receiverInPath(r)
	api.confirmPassword(r, readOptionalPassword(r))
	w.Header().Set("Cache-Control", "no-store") // the response contains the secret
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		changed, secret, err := api.webhooks.RotateSecret(ctx, tx, receiverID)
		return writeReceiverSecret(r, out, changed, secret, err)
	})
}

// testReceiver sends an example event. It responds with the delivery, which the client can read later to see the
// result.
func (api *API) testReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID := receiverInPath(r)
	eventType := event.Test
	r.DecodeOptionalJSON(func(in *wire.Reader) {
		in.Object(func(name string) {
			if name == "type" && !in.Null() {
				eventType, _ = in.String()
			}
		})
	})
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		delivery, err := api.webhooks.SendTest(ctx, tx, receiverID, eventType)
		return writeAcceptedDelivery(r, out, delivery, err)
	})
}

// recoverReceiver sends all undelivered events of a receiver again. Recover commits transactions of its own, before the
// response is stored under the Idempotency-Key. If the server stops in between, a repeated request recovers again.
func (api *API) recoverReceiver(w http.ResponseWriter, r *httpapi.Request) error {
	receiverID := receiverInPath(r)
	since := httpapi.ReadJSON(r, readRecovery)

	if done, err := r.Replay(w); done || err != nil {
		return err
	}

	recovered, err := api.webhooks.Recover(r.Context(), r.Principal.Store.ID, webhook.Recovery{
		ReceiverID: receiverID, Since: since, By: r.Actor(),
		May: func(receiver webhook.Receiver) error { return maySend(r.Principal, receiver) },
	})
	if err != nil {
		return err
	}

	return r.Write(w, false, func(_ context.Context, _ store.Tx, out *httpapi.Response) error {
		out.Status = http.StatusAccepted
		out.WriteData(Recovered{Recovered: recovered})
		return nil
	})
}

func receiverInPath(r *httpapi.Request) webhook.ReceiverID {
	return httpapi.PathID[webhook.Receiver](r, "id", "receiver")
}

// writeReceiver writes a receiver. The argument failure is the error of the use case: if it is not nil, writeReceiver
// returns it and writes nothing.
func writeReceiver(r *httpapi.Request, out *httpapi.Response, receiver webhook.Receiver, failure error) error {
	if failure == nil {
		out.WriteResource(receiver.Version, renderReceiver(&receiver, r.Dates()))
	}
	return failure
}

// writeReceiverSecret does the same as writeReceiver, but adds the secret, which no later response contains.
func writeReceiverSecret(
	r *httpapi.Request, out *httpapi.Response, receiver webhook.Receiver, secret string, failure error,
) error {
	if failure == nil {
		out.WriteResource(receiver.Version,
			ReceiverWithSecret{Receiver: renderReceiver(&receiver, r.Dates()), Secret: secret})
	}
	return failure
}

func renderReceiver(r *webhook.Receiver, dates *locale.Dates) Receiver {
	return Receiver{
		ID: schema.ID(r.ID), URL: r.URL, WebhookTypes: r.Types, Enabled: r.Enabled,
		DisabledReason: schema.OrNull(r.DisabledReason),
		CreatedAt:      schema.NewDate(r.CreatedAt, dates), UpdatedAt: schema.NewDate(r.UpdatedAt, dates),
	}
}
