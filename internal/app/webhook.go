package app

import (
	"context"
	"fmt"
	"net/url"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// newWebhooks creates the service that sends events to receivers. It mails owners through Notify, which must exist.
func (a *App) newWebhooks() *webhook.Service {
	attempts := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "vitrine_webhook_attempt_seconds",
		Help: "Duration of requests to receivers by the phase that failed " +
			"(dns, connect, tls, timeout, status, blocked), or ok.",
		Buckets: []float64{.005, .02, .1, .5, 1, 2.5, 5, 15}}, []string{"end"})
	a.Registry.MustRegister(attempts)
	return webhook.New(webhook.Deps{
		DB: a.DB, Vault: a.Vault, Queue: a.Queue, Guard: a.Outbound, Now: a.Now, Log: a.log,
		Retention: a.cfg.EventRetention, Alert: a.alertOwners, Cache: a.budget.EventCache,
		Observe: func(at webhook.Attempt) {
			end := "ok"
			if at.Phase != nil {
				end = *at.Phase
			}

			attempts.WithLabelValues(end).Observe(at.Duration.Seconds())
		},
	})
}

// alertOwners mails the owners of a store that a receiver was disabled.
func (a *App) alertOwners(ctx context.Context, tx store.Tx, r webhook.Receiver) error {
	operators, err := a.Accounts.Operators.List(ctx, tx)
	if err != nil {
		return fmt.Errorf("find the owners of store %s: %w", tx.StoreID(), err)
	}
	for _, o := range operators {
		if o.Role != access.Owner {
			continue
		}
		if err := a.Notify.Send(ctx, tx, disabledReceiverMessage(o.Email, r)); err != nil {
			return err
		}
	}
	return nil
}

// disabledReceiverMessage returns the message about a disabled receiver: what happened, why, and what to do. It shows
// only the host of the URL, because the rest may contain a secret.
func disabledReceiverMessage(to string, r webhook.Receiver) notify.Message {
	why := "all requests to it have failed for five days"
	if r.DisabledReason != nil && *r.DisabledReason == webhook.DisabledGone {
		why = "it answered 410 Gone, which means that it wants no more events"
	}
	host := ""
	if u, err := url.Parse(r.URL); err == nil {
		host = u.Host
	}
	return notify.Message{
		To: to, From: "Vitrine", Subject: "A webhook receiver was disabled",
		Text: fmt.Sprintf("The receiver at %s was disabled: %s.\n\nNothing is lost. Events for it are held from "+
			"now on. Once it answers again, enable it in the administration under Webhooks and recover the missed "+
			"events.\n\nReceiver: %s\n", host, why, r.ID),
	}
}
