package webhook_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// Attempts are counted by hour and receiver, and forgotten with the receiver.
func TestAttemptsPerHour(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		good := r.newReceiver(nil)
		bad := r.newReceiver(respondStatus(500))
		r.emit(event.OrderSubmitted, 3)
		r.waitForDeliveries(good.ID, "delivered 1", "delivered 1", "delivered 1")
		r.waitForDeliveries(bad.ID, "pending 1", "pending 1", "pending 1")

		count := func(receiverKey int64) (sum webhook.AttemptCounts) {
			r.Helper()
			r.Read(func(tx store.Tx) error {
				sum = webhook.AttemptCounts{}
				hours, err := r.AttemptsPerHour(r.Context(), tx, receiverKey, r.Clock.Now().Add(-time.Hour))
				for _, h := range hours {
					sum.Add(h.AttemptCounts)
				}
				return err
			})

			return sum
		}
		if got := count(0); got != (webhook.AttemptCounts{Delivered: 3, Failed: 3}) {
			r.Errorf("the counts are %+v", got)
		}

		if got := count(r.loadReceiver(bad.ID).Key); got != (webhook.AttemptCounts{Failed: 3}) {
			r.Errorf("the counts of the failing receiver are %+v", got)
		}

		r.Write(func(tx store.Tx) error { return r.DeleteReceiver(r.Context(), tx, bad.ID, nil) })
		if got := count(0); got != (webhook.AttemptCounts{Delivered: 3}) {
			r.Errorf("the counts without the deleted receiver are %+v", got)
		}

		r.Clock.Advance(40 * 24 * time.Hour)
		if err := r.Prune(r.Context()); err != nil {
			r.Fatal(err)
		}
		if n := r.Count("attempt_hours"); n != 0 {
			r.Errorf("%d old counts are left", n)
		}
	})
}

// The check of a pasted request says whether its signature is right, and why not.
func TestCheckSignature(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		k := r.newReceiver(nil)
		other := r.newReceiver(nil, event.FeedbackSubmitted)
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(k.ID, "delivered 1")
		sent := k.requests()[0]
		headers := headerLines(sent.header)
		without := func(name string) string {
			return strings.ReplaceAll(headers, name, "x-"+name)
		}

		foreign := "whsec_" + strings.Repeat("A", 44)
		for name, c := range map[string]struct {
			receiver      webhook.ReceiverID
			secret        string
			headers, body string
			want          webhook.Finding
		}{
			"right":               {k.ID, "", headers, sent.body, webhook.SignatureValid},
			"right, given secret": {k.ID, k.secrets[0], headers, sent.body, webhook.SignatureValid},
			"another secret":      {k.ID, foreign, headers, sent.body, webhook.SignatureMismatch},
			"no secret at all":    {k.ID, "whsec_!", headers, sent.body, webhook.SecretMalformed},
			"a line end too many": {k.ID, "", headers, sent.body + "\r\n", webhook.BodyChanged},
			"another body":        {k.ID, "", headers, "{}", webhook.SignatureMismatch},
			"another receiver":    {other.ID, "", headers, sent.body, webhook.WrongReceiver},
			"no id":               {k.ID, "", without("webhook-id"), sent.body, webhook.HeaderMissing},
			"no signature":        {k.ID, "", without("webhook-signature"), sent.body, webhook.HeaderMissing},
			"time that is no number": {k.ID, "", strings.ReplaceAll(headers, "webhook-timestamp: ",
				"webhook-timestamp: x"), sent.body, webhook.TimestampMalformed},
			"version 2": {k.ID, "", strings.ReplaceAll(headers, "v1,", "v2,"), sent.body, webhook.SignatureMalformed},
		} {
			r.Read(func(tx store.Tx) error {
				check, err := r.CheckSignature(r.Context(), tx, c.receiver, c.secret,
					webhook.SignedRequest{Headers: c.headers, Body: c.body})
				if check.Finding != c.want {
					r.Errorf("%s: the finding is %q, want %q", name, check.Finding, c.want)
				}
				return err
			})
		}

		r.Clock.Advance(10 * time.Minute)
		r.Read(func(tx store.Tx) error {
			check, err := r.CheckSignature(r.Context(), tx, k.ID, "",
				webhook.SignedRequest{Headers: headers, Body: sent.body})
			if check.Finding != webhook.SignatureOld || !check.OK() {
				r.Errorf("after ten minutes the finding is %q", check.Finding)
			}
			return err
		})
	})
}

// headerLines returns the headers of a request as lines.
func headerLines(h http.Header) string {
	var b strings.Builder
	for name, values := range h {
		b.WriteString(strings.ToLower(name) + ": " + strings.Join(values, " ") + "\n")
	}
	return b.String()
}
