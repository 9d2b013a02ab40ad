// Package order measures the submission of orders.
package order

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/config"
)

const (
	submitClients = 16
	submitRounds  = 21
	// submitsPerTurn is the number of orders per turn.
	submitsPerTurn = 240
)

// Submit compares POST /v2/orders/{id}/submit from 16 clients, as a guest's storefront sends it, with a bare
// transaction that writes the same rows, from as many goroutines with the same connection pool, in turn. It measures
// with an Idempotency-Key, where the transaction also writes the stored response, and without. The drafts are created
// before the measurement.
func Submit(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	g, err := StartOrderServer(ctx, e, config.Serve{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Stop()) }()

	limit, err := g.newBareSubmitter(ctx)
	if err != nil {
		return nil, err
	}

	for _, keyed := range []bool{true, false} {
		ours := func() (time.Duration, error) {
			return g.SubmitDrafts(ctx, Submission{Idempotent: keyed}, submitClients, submitsPerTurn)
		}
		raw := func() (time.Duration, error) { return limit.submitDrafts(ctx, keyed, submitClients, submitsPerTurn) }
		if err := limit.checkSameWrites(ctx, ours, raw); err != nil { // also warms up both sides
			return nil, err
		}

		o, r, err := harness.MeasureAlternately(submitRounds, ours, raw)
		if err != nil {
			return nil, err
		}

		name := "submit orders of 3 lines, 16 clients"
		if !keyed {
			name += ", no Idempotency-Key"
		}

		ratio := r.Seconds() / o.Seconds()
		figures = append(figures, harness.Figure{
			Name: name, Engine: e.Engine, Ours: harness.FormatRate(submitsPerTurn, o) + " submits/s",
			Raw:   harness.FormatRate(submitsPerTurn, r) + " transactions/s",
			Ratio: ratio, Aim: "≥ 0.5", Met: ratio >= 0.5,
		})
	}

	return figures, nil
}

// Submission tells how orders are submitted.
type Submission struct {
	Idempotent bool          // with an Idempotency-Key
	token      func() string // returns a captcha token; nil if there is no captcha
}

// SubmitDrafts creates drafts, submits them, and returns the duration of the submission.
func (g *OrderServer) SubmitDrafts(ctx context.Context, options Submission, clients, n int) (time.Duration, error) {
	drafts, err := g.createDrafts(ctx, n)
	if err != nil {
		return 0, err
	}

	requests := make([]StorefrontRequest, n)
	for i, d := range drafts {
		captcha := ""
		if options.token != nil {
			captcha = fmt.Sprintf(`,"recaptcha":{"token":%q}`, options.token())
		}

		requests[i] = StorefrontRequest{
			Path: "/v2/orders/" + d.ID + "/submit", OrderToken: d.Token,
			Body: fmt.Sprintf(`{"contact":{"name":"Anna Example","phone":"+49301234567",`+
				`"email":"anna@visitor.example"},"delivery":{"address":"1 Long Road"}%s}`, captcha),
		}
		if options.Idempotent {
			requests[i].idempotencyKey = "submit-" + d.ID
		}
	}

	return harness.RunConcurrently(clients, n, func(i int) error {
		_, err := g.Post(ctx, requests[i])
		return err
	})
}
