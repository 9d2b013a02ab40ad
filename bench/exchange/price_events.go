package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"vitrine/bench/harness"
)

// priceEventRounds is how often prices are pushed to either store. The stores take turns.
const priceEventRounds = 3

// PriceEvents measures pushes of prices to a store whose changes are told to a receiver, against pushes of as many
// prices to a store without one. It counts the events.
func PriceEvents(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	var figures []harness.Figure
	for _, n := range e.Pushes.Sizes {
		more, err := pushPricesWithEvents(ctx, e, n)
		if err != nil {
			return nil, fmt.Errorf("%s products: %w", harness.FormatThousands(n), err)
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

func pushPricesWithEvents(ctx context.Context, e *harness.Environment, n int) (_ []harness.Figure, err error) {
	fresh, drop, err := e.FreshEnvironment(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()

	p, stores, err := fresh.StartGate(ctx, 2, "--allow-http", "--allow-net=127.0.0.0/8")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	for _, s := range stores {
		if _, err := s.PushExpecting(ctx, 0, n, harness.FirstPrice, harness.CreatedCount); err != nil {
			return nil, err
		}
	}

	var events atomic.Int64
	address, closeReceiver, err := harness.ServeHandler(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		events.Add(1)
		w.WriteHeader(http.StatusNoContent)
	})
	if err != nil {
		return nil, err
	}
	defer closeReceiver()

	if err := listenToChanges(ctx, stores[1], address); err != nil {
		return nil, err
	}

	var took [2]time.Duration
	for round := range priceEventRounds {
		for i, s := range stores {
			_, once, err := s.Push(ctx, "prices", priceLines(n, harness.LaterPrice+round, ""))
			if err != nil {
				return nil, err
			}
			took[i] += once
		}
	}

	time.Sleep(2 * time.Second) // the last event
	prices := n * harness.PushedVariants
	ratio := took[0].Seconds() / took[1].Seconds()
	name := fmt.Sprintf("push %s prices with catalog.changed", harness.FormatThousands(prices))
	perPush := float64(events.Load()) / priceEventRounds
	return []harness.Figure{
		{Name: name, Engine: e.Engine, Ours: harness.FormatRate(prices*priceEventRounds, took[1]) + " prices/s",
			Raw:   harness.FormatRate(prices*priceEventRounds, took[0]) + " prices/s without",
			Ratio: ratio, Aim: "≥ 0.95", Met: ratio >= 0.95},
		{Name: name + ", events", Engine: e.Engine, Ours: fmt.Sprintf("%.1f", perPush),
			Raw: fmt.Sprintf("%.1f s", took[1].Seconds()/priceEventRounds), Aim: "1 to 100",
			Met: perPush >= 1 && perPush <= 100},
	}, nil
}

// listenToChanges registers a receiver of catalog.changed.
func listenToChanges(ctx context.Context, s *harness.Server, address string) error {
	body := strings.NewReader(`{"url":"` + address + `","webhook_types":["catalog.changed"]}`)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Admin+"/api/store/webhook-receivers", body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.Keys.SecretKey)
	r.Header.Set("Content-Type", "application/json")

	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()

	if response.StatusCode != http.StatusCreated {
		text, err := io.ReadAll(response.Body)
		return errors.Join(err, fmt.Errorf("register a receiver: %s %s", response.Status, text))
	}
	return nil
}
