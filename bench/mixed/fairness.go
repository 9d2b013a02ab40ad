package mixed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"vitrine/bench/harness"
	"vitrine/bench/order"
)

const (
	// fairnessProducts is the number of products of the store whose writes are measured.
	fairnessProducts = 1000
	// fairnessRounds is how often each write is measured alone and beside a push, in turn.
	fairnessRounds = 3
	// fairnessPause is the pause between two writes.
	fairnessPause = 5 * time.Millisecond
	// maxSlowdown is the aim for the median of a write beside a push, against the same write alone.
	maxSlowdown = 5
)

// Fairness measures writes of one store alone, and while another store pushes products without end, in turn. The
// writes are sent one after the other: feedback, a cart, and a push of one price. It also compares the rate of the push
// with that of the same push while nobody else writes.
func Fairness(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	p, stores, err := e.StartGate(ctx, 2, "--public-writes-per-minute", "0", "--public-writes-per-store", "0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	pushing := &endlessPush{server: stores[0]}
	other := order.NewOrderServer(stores[1])
	if _, err := other.PushExpecting(ctx, 0, fairnessProducts, harness.FirstPrice, harness.CreatedCount); err != nil {
		return nil, err
	}
	if err := other.ReadVariants(ctx, fairnessProducts); err != nil {
		return nil, err
	}

	price := harness.FirstPrice
	for _, w := range []struct {
		name  string
		write func() error
	}{
		{"small write", func() error {
			_, err := other.Do(other.Client, http.MethodPost, "/v2/feedback",
				[]byte(`{"name": "A", "phone": "+49301234567", "message": "b"}`))
			return err
		}},
		{"cart", func() error {
			_, err := other.Post(ctx, order.StorefrontRequest{Path: "/v2/orders",
				Body: fmt.Sprintf(`{"items":[{"variant_id":%q,"quantity":1}]}`, other.Variants[0])})
			return err
		}},
		{"push of one price", func() error {
			price++
			_, _, err := other.Push(ctx, "prices",
				strings.NewReader(fmt.Sprintf(`{"product_id":1,"variant_id":1,"price":%d.90}`, price)))
			return err
		}},
	} {
		f, err := pushing.measureWrites(ctx, w.write)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		f.Name = w.name + " beside the push of another store"
		f.Engine = e.Engine
		figures = append(figures, f)
	}

	alone, beside := pushing.alone.rate(), pushing.beside.rate()
	figures = append(figures, harness.Figure{
		Name: "the push itself, beside these writes", Engine: e.Engine, Ours: fmt.Sprintf("%.0f products/s", beside),
		Raw: fmt.Sprintf("%.0f products/s alone", alone), Ratio: beside / alone,
	})
	return figures, nil
}

// endlessPush pushes new products until it is told to stop.
type endlessPush struct {
	server        *harness.Server
	created       int
	alone, beside pushVolume
}

// pushVolume is a number of pushed products and the time that they took.
type pushVolume struct {
	products int
	took     time.Duration
}

func (v pushVolume) rate() float64 { return float64(v.products) / v.took.Seconds() }

// start starts a push. The function that it returns ends the push and adds it to the volume.
func (p *endlessPush) start(ctx context.Context, volume *pushVolume) (stop func() error) {
	var stopped atomic.Bool
	ended := make(chan error, 1)
	go func() {
		done, took, err := p.server.Push(ctx, "products", &harness.ProductStream{Next: func() (int, int, bool) {
			p.created++
			return p.created - 1, harness.FirstPrice, !stopped.Load()
		}})
		volume.products += done.Received
		volume.took += took
		ended <- err
	}()
	return func() error {
		stopped.Store(true)
		return <-ended
	}
}

// measureWrites measures a write alone and beside the push, and the push without the write, in turn.
func (p *endlessPush) measureWrites(ctx context.Context, write func() error) (harness.Figure, error) {
	var quiet, busy []time.Duration
	repeat := func(took *[]time.Duration) error {
		more, err := repeatWrites(ctx, time.After(readTime), fairnessPause, write)
		*took = append(*took, more...)
		return err
	}
	for range fairnessRounds {
		if err := repeat(&quiet); err != nil {
			return harness.Figure{}, err
		}
		stop := p.start(ctx, &p.beside)
		err := repeat(&busy)
		if err := errors.Join(err, stop()); err != nil {
			return harness.Figure{}, err
		}
	}

	stop := p.start(ctx, &p.alone)
	time.Sleep(readTime)
	if err := stop(); err != nil {
		return harness.Figure{}, err
	}

	ratio := float64(harness.Median(busy)) / float64(harness.Median(quiet))
	return harness.Figure{
		Ours: describeTimes(busy), Raw: describeTimes(quiet) + " alone", Ratio: ratio,
		Aim: fmt.Sprintf("≤ %d", maxSlowdown), Met: ratio <= maxSlowdown,
	}, nil
}

func describeTimes(all []time.Duration) string {
	return fmt.Sprintf("p50 %s, p99 %s, most %s", harness.FormatDuration(harness.Median(all)),
		harness.FormatDuration(harness.Percentile(all, 99)),
		harness.FormatDuration(slices.Max(all)))
}
