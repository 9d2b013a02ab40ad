package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// sendTimeout limits the time to create or to send deliveries.
const sendTimeout = 5 * time.Minute

// eventSender is the part of the program that delivers events, with one store. The benchmark starts and stops its
// workers, so each turn has new ones.
type eventSender struct {
	*app.App
	engine  string
	dataDir string
	store   store.Store
	padding string
}

func newSender(ctx context.Context, e *harness.Environment) (*eventSender, error) {
	data, err := os.MkdirTemp(e.Dir, "data-")
	if err != nil {
		return nil, err
	}

	cfg := config.Serve{
		Storage: config.Storage{Data: data, Database: e.URL}, APIAddr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0",
		Dev: true,
	}
	a, err := app.New(ctx, cfg, "bench", slog.New(slog.NewJSONHandler(io.Discard, nil)))
	if err != nil {
		return nil, err
	}

	keys, err := a.CreateStore(ctx, store.Edit{}, account.NewOwner{})
	if err != nil {
		return nil, err
	}

	one, err := a.Stores.Find(ctx, keys.StoreID)
	return &eventSender{App: a, engine: e.Engine, dataDir: data, store: one,
		padding: strings.Repeat("x", drainedBytes)}, err
}

func (p *eventSender) close() error { return p.App.Close() }

// newWorkers returns a new webhook service and its queue.
func (p *eventSender) newWorkers() (*webhook.Service, *queue.Queue) {
	jobs := queue.New(queue.Deps{DB: p.DB, Now: time.Now})
	s := webhook.New(webhook.Deps{DB: p.DB, Vault: p.Vault, Queue: jobs, Guard: p.Outbound, Now: time.Now})
	jobs.Register(s.Kind())
	return s, jobs
}

// benchReceiver is a receiver on loopback that counts its events.
type benchReceiver struct {
	id       webhook.ReceiverID
	server   *http.Server
	received atomic.Int64
	cancel   context.CancelFunc
}

// behaviour tells how a receiver handles a request.
type behaviour int

const (
	accepts behaviour = iota
	hangs
	refuses
	fails
)

func (p *eventSender) newReceiver(ctx context.Context) (*benchReceiver, error) {
	return p.newReceiverThat(ctx, accepts)
}

func (p *eventSender) newReceiverThat(ctx context.Context, behaves behaviour) (*benchReceiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}

	k := &benchReceiver{}
	ctx, k.cancel = context.WithCancel(ctx)

	k.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)

		switch behaves {
		case hangs:
			select {
			case <-ctx.Done():
			case <-r.Context().Done():
			}
		case fails:
			w.WriteHeader(http.StatusInternalServerError)
		default:
			k.received.Add(1)
			w.WriteHeader(http.StatusNoContent)
		}
	})}
	if behaves == refuses {
		err = l.Close()
	} else {
		go func() { _ = k.server.Serve(l) }()
	}

	address := "http://" + l.Addr().String() + "/"
	types := []string{"*"}
	return k, errors.Join(err, p.DB.Write(ctx, func(q database.Querier) error {
		made, _, err := p.Webhooks.CreateReceiver(
			ctx, store.In(q, p.store.ID), webhook.ReceiverEdit{URL: &address, Types: &types})
		k.id = made.ID
		return err
	}))
}

func (k *benchReceiver) close() {
	k.cancel()
	_ = k.server.Close()
}

// deleteReceivers deletes receivers with their deliveries.
func (p *eventSender) deleteReceivers(ctx context.Context, receivers ...*benchReceiver) error {
	return p.DB.Write(ctx, func(q database.Querier) error {
		for _, k := range receivers {
			if err := p.Webhooks.DeleteReceiver(ctx, store.In(q, p.store.ID), k.id, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// createBacklog commits events and creates their deliveries, but does not send them.
func (p *eventSender) createBacklog(ctx context.Context, n int) error {
	webhooks, _ := p.newWorkers()
	events := event.New(event.Deps{Now: time.Now, Wake: webhooks.Wake})
	for done := 0; done < n; {
		part := min(500, n-done)

		err := p.DB.Write(ctx, func(q database.Querier) error {
			for i := range part {
				payload := fmt.Appendf(nil, `{"n":%d,"fill":%q}`, done+i, p.padding)
				if err := events.Emit(ctx, store.In(q, p.store.ID), event.OrderSubmitted, payload); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}

		done += part
	}

	work, stop := context.WithCancel(ctx)
	var workers sync.WaitGroup
	workers.Go(func() { _ = webhooks.Run(work) })
	defer workers.Wait()
	defer stop()

	return p.waitForZero(ctx, "deliveries are made",
		`SELECT COUNT(*) FROM event_sequences s WHERE s.last > COALESCE((SELECT f.sequence FROM event_fanouts f `+
			`WHERE f.store_id = s.store_id), 0)`)
}

// waitForZero waits until a query that counts rows returns 0.
func (p *eventSender) waitForZero(ctx context.Context, what, sql string, args ...any) error {
	return harness.WaitUntil(ctx, what, sendTimeout, 5*time.Millisecond, func() (bool, error) {
		var n int64
		err := p.DB.Read(ctx, func(q database.Querier) error { return database.QueryRow(ctx, q, sql, args, &n) })
		return n == 0, err
	})
}

func (p *eventSender) drain(ctx context.Context, to *benchReceiver, n int) (time.Duration, error) {
	return p.drainAll(ctx, []*benchReceiver{to}, n)
}

// drainAll starts the queue and waits until each receiver has received n events and the results are written. It returns
// the duration.
func (p *eventSender) drainAll(ctx context.Context, to []*benchReceiver, n int) (time.Duration, error) {
	work, stop := context.WithCancel(ctx)
	var workers sync.WaitGroup
	start := time.Now()
	events, jobs := p.newWorkers()
	defer events.CloseIdleConnections()

	workers.Go(func() { _ = jobs.Run(work) })
	defer workers.Wait()
	defer stop()

	for _, k := range to {
		err := harness.WaitUntil(ctx, "a receiver has all events", sendTimeout, time.Millisecond, func() (bool, error) {
			return k.received.Load() >= int64(n), nil
		})
		if err != nil {
			return 0, fmt.Errorf("%w; it has received %d of %d", err, k.received.Load(), n)
		}
	}

	var keys []any
	var placeholders []string
	for _, k := range to {
		keys = append(keys, k.id)
		placeholders = append(placeholders, fmt.Sprintf("$%d", len(keys)))
	}

	err := p.waitForZero(ctx, "results are written",
		`SELECT COUNT(*) FROM deliveries WHERE status = 'pending' AND receiver_key IN (SELECT key FROM receivers `+
			`WHERE id IN (`+strings.Join(placeholders, ",")+`))`, keys...)
	return time.Since(start), err
}

// rawPosts posts the same bytes from as many goroutines as the program uses for one receiver, and returns the duration.
func rawPosts(ctx context.Context, n int) (time.Duration, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}

	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusNoContent)
	})}
	go func() { _ = server.Serve(l) }()
	defer func() { _ = server.Close() }()

	c := harness.NewClient()
	body := []byte(strings.Repeat("x", drainedBytes+200))
	return harness.RunConcurrently(8, n, func(int) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.Addr().String()+"/",
			bytes.NewReader(body))
		if err != nil {
			return err
		}

		r.Header.Set("Content-Type", "application/json")
		res, err := c.Do(r)
		if err != nil {
			return err
		}

		return res.Body.Close()
	})
}
