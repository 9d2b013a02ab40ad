// Package mixed measures several kinds of requests at once: the traffic of a storefront, reads and writes during a push
// or a deletion, overload, and clients that are refused.
package mixed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/config"
	"vitrine/internal/shop/account"
)

const (
	// mixedClients send requests one after the other, each over one connection.
	mixedClients = 8
	// mixedMemory is the --memory of the server.
	mixedMemory = "2GiB"
	// coldTime is the most that the first phase lasts, which begins when the process is ready.
	coldTime = 3 * time.Second
	// MinPhase is the shortest phase, in which all kinds of requests occur.
	MinPhase = time.Second
	// warmRounds is how often the server and the bare handler take turns.
	warmRounds = 5
)

// The seeds of the phases. No phase repeats the requests of another, but all have the same distribution.
const (
	coldSeed = iota
	warmUpSeed
	warmSeed
	bareSeed
	duringPushSeed
)

// Traffic measures the traffic of a storefront: 40 % lists of a category, 25 % lists with filters, 25 % single
// products and 10 % searches, with facets in all lists. Categories, products, filters and words follow Zipf
// distributions, and the same URLs occur again. The program is a process of its own with a copy of the store. Its
// traffic is measured in three phases: right after a restart, which loads the columns from their file, while the
// operating system still caches the database; after a warm-up, in turn with a bare handler whose responses have the
// same average length; and while another client pushes prices, remainders and new products. Any response other than
// 200 is an error.
func Traffic(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSize(func(n int) (figures []harness.Figure, err error) {
		storage, keys, drop, err := copyStore(ctx, e, n)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, drop()) }()

		at := *e
		at.URL = storage.DatabaseURL()
		front, err := prepareStorefront(ctx, &at, storage, keys, n)
		if err != nil {
			return nil, err
		}

		p, _, err := at.StartProcess(ctx, storage.Data, "--memory", mixedMemory)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, p.Stop()) }()

		s := &harness.Server{URL: p.API, Admin: p.Admin, Keys: keys}
		m := &mixedTraffic{server: s, process: p, front: front, phase: e.Mixed.Phase, products: n}
		if err := m.measure(ctx); err != nil {
			return nil, err
		}

		m.addToPlots(e.Mixed, e.Engine)
		return m.figures(e.Engine), nil
	})
}

// copyStore returns a storage with the store of a size, which the push may change. drop removes it.
func copyStore(
	ctx context.Context, e *harness.Environment, n int,
) (storage config.Storage, keys account.ProvisionedStore, drop func() error, err error) {
	filled, keys, err := e.Stores.EnsureFilled(ctx, e.Engine, n)
	if err != nil {
		return storage, keys, nil, err
	}
	data, err := os.MkdirTemp(e.Dir, "mixed-")
	if err != nil {
		return storage, keys, nil, err
	}

	drop = func() error {
		// The PostgreSQL database is used by itself and not as a copy.
		return errors.Join(os.RemoveAll(data), e.Stores.DropCopy(context.WithoutCancel(ctx), n))
	}
	storage = config.Storage{Data: data, Database: filled.Database}
	err = copyFile(filled.KeyFile(), storage.KeyFile())
	if err == nil {
		// A copy of the database starts on the images of the original.
		var images string
		if images, err = filepath.Abs(filepath.Join(filled.Data, "blobs")); err == nil {
			err = os.Symlink(images, filepath.Join(data, "blobs"))
		}
	}

	if err == nil && filled.Database == "" {
		// Opening and closing the database leaves no write-ahead log: the file has all rows.
		if err = harness.MigrateStore(ctx, filled); err == nil {
			err = copyFile(filled.DatabaseURL(), storage.DatabaseURL())
		}
	}

	if err != nil {
		return storage, keys, nil, errors.Join(err, drop())
	}

	return storage, keys, drop, nil
}

func copyFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// prepareStorefront starts the process, reads what visitors can choose, and stops the process, which leaves the file of
// the columns.
func prepareStorefront(
	ctx context.Context, e *harness.Environment, storage config.Storage, keys account.ProvisionedStore, n int,
) (front *choices, err error) {
	p, _, err := e.StartProcess(ctx, storage.Data, "--memory", mixedMemory)
	if err != nil {
		return nil, err
	}
	s := &harness.Server{URL: p.API, Admin: p.Admin, Keys: keys}
	c := harness.NewClient()
	if _, err = s.WaitForColumns(ctx, c); err == nil {
		filled := filepath.Join(e.Stores.ProductsDir(n), "vitrine.db")
		front, err = readStorefront(s, c, n, filled)
	}
	c.CloseIdleConnections()
	return front, errors.Join(err, p.Stop())
}

// mixedTraffic is the measurement of one store.
type mixedTraffic struct {
	server   *harness.Server
	process  *harness.Process
	front    *choices
	phase    time.Duration
	products int // in the store

	cold, warm, duringPush, bare phaseResult
	pushed                       pushVolume
	pushedNote                   string
	memory, peak                 float64 // of the process at the end, in MiB
}

// phaseResult has the response times of a phase by kind of request.
type phaseResult struct {
	took  time.Duration
	times [requestKinds][]time.Duration
	bytes int64 // of all bodies
}

func (r *phaseResult) all() (all []time.Duration) {
	for _, times := range r.times {
		all = append(all, times...)
	}
	return all
}

func (r *phaseResult) rate() float64 { return float64(len(r.all())) / r.took.Seconds() }

func (r *phaseResult) add(more *phaseResult) {
	r.took, r.bytes = r.took+more.took, r.bytes+more.bytes
	for kind, times := range more.times {
		r.times[kind] = append(r.times[kind], times...)
	}
}

// measure runs the phases. It must be called when the process has just become ready.
func (m *mixedTraffic) measure(ctx context.Context) error {
	source := func(seed uint64) *trafficSource {
		return newTrafficSource(m.front, m.server.Keys.PublishableKey, seed)
	}
	var warmUp phaseResult
	if err := sendTraffic(ctx, m.server.URL, source(coldSeed), min(coldTime, m.phase), &m.cold); err != nil {
		return fmt.Errorf("just started: %w", err)
	}
	if err := sendTraffic(ctx, m.server.URL, source(warmUpSeed), m.phase, &warmUp); err != nil {
		return fmt.Errorf("warm-up: %w", err)
	}

	if err := m.measureWarm(ctx, source(warmSeed), source(bareSeed), int(warmUp.bytes)/len(warmUp.all())); err != nil {
		return fmt.Errorf("warm: %w", err)
	}
	if err := m.measureDuringPush(ctx, source(duringPushSeed)); err != nil {
		return fmt.Errorf("during a push: %w", err)
	}

	var err error
	if m.memory, err = m.process.MemoryMiB("VmRSS"); err != nil {
		return err
	}

	m.peak, err = m.process.MemoryMiB("VmHWM")
	return err
}

// measureWarm sends requests to the server and to a bare handler in turn. The handler writes bodies of a given length.
func (m *mixedTraffic) measureWarm(ctx context.Context, ours, raw *trafficSource, length int) error {
	bare, stopBare, err := harness.ServeBytes([]byte(strings.Repeat("x", length)))
	if err != nil {
		return err
	}
	defer stopBare()
	for range warmRounds {
		if err := sendTraffic(ctx, m.server.URL, ours, m.phase/warmRounds, &m.warm); err != nil {
			return err
		}
		if err := sendTraffic(ctx, bare, raw, m.phase/warmRounds, &m.bare); err != nil {
			return err
		}
	}
	return nil
}

func (m *mixedTraffic) measureDuringPush(ctx context.Context, source *trafficSource) error {
	push := newCatalogPush(m.server, m.products)
	ended := make(chan error, 1)
	go func() {
		var err error
		m.pushed, err = push.run(ctx, time.Now().Add(m.phase))
		ended <- err
	}()
	err := sendTraffic(ctx, m.server.URL, source, m.phase, &m.duringPush)
	if err := errors.Join(err, <-ended); err != nil {
		return err
	}
	m.pushedNote = fmt.Sprintf("%s prices, %s remainders and %s new products",
		harness.FormatThousands(push.accepted["prices"]), harness.FormatThousands(push.accepted["remainders"]),
		harness.FormatThousands(push.accepted["products"]))
	return nil
}

// sendTraffic sends requests from all clients for a time and adds their response times to r.
func sendTraffic(ctx context.Context, url string, source *trafficSource, d time.Duration, r *phaseResult) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	clients := newPlainClient(url)
	start := time.Now()
	until := start.Add(d)
	results := make([]phaseResult, mixedClients)
	errs := make([]error, mixedClients)
	var group sync.WaitGroup

	for i := range mixedClients {
		group.Go(func() {
			if errs[i] = clients.visit(ctx, source, until, &results[i]); errs[i] != nil {
				cancel() // the other clients end, too
			}
		})
	}

	group.Wait()
	took := time.Since(start)

	for i := range results {
		r.add(&results[i])
	}

	r.took += took
	return errors.Join(errs...)
}

// visit sends requests one after the other over one connection.
func (c *plainClient) visit(ctx context.Context, source *trafficSource, until time.Time, r *phaseResult) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()

	for time.Now().Before(until) && ctx.Err() == nil {
		kind, request := source.next()
		start := time.Now()
		length, err := conn.get(request)
		if err != nil {
			line, _, _ := strings.Cut(request, "\r\n")
			return fmt.Errorf("%s: %w after %s", line, err, harness.FormatDuration(time.Since(start)))
		}

		r.times[kind] = append(r.times[kind], time.Since(start))
		r.bytes += length
	}

	return nil
}

// mixedPhase is a phase with its name and its curve in the plots.
type mixedPhase struct {
	name   string
	curve  int
	result *phaseResult
}

func (m *mixedTraffic) phases() []mixedPhase {
	return []mixedPhase{
		{"just started", harness.ColdCurve, &m.cold}, {"warm", harness.WarmCurve, &m.warm},
		{"during a push", harness.DuringPushCurve, &m.duringPush},
	}
}

func (m *mixedTraffic) addToPlots(set *harness.MixedSettings, engine string) {
	set.Rates.AddPoint(harness.BareHandlerCurve, "", m.products, m.bare.rate())
	set.Latencies.AddPoint(harness.BareHandlerCurve, "", m.products,
		harness.Millis(harness.Percentile(m.bare.all(), 99)))
	for _, p := range m.phases() {
		set.Rates.AddPoint(p.curve, engine, m.products, p.result.rate())
		set.Latencies.AddPoint(p.curve, engine, m.products, harness.Millis(harness.Percentile(p.result.all(), 99)))
	}
}

func (m *mixedTraffic) figures(engine string) (figures []harness.Figure) {
	size := harness.FormatThousands(m.products)
	describe := func(r *phaseResult) string {
		return fmt.Sprintf("%.0f req/s, p50 %s, p99 %s", r.rate(), harness.FormatDuration(harness.Median(r.all())),
			harness.FormatDuration(harness.Percentile(r.all(), 99)))
	}
	for _, p := range m.phases() {
		var kinds []string
		for kind, times := range p.result.times {
			if len(times) > 0 {
				kinds = append(kinds,
					fmt.Sprintf("%s %s (%s)", requestKind(kind), harness.FormatDuration(harness.Median(times)),
						harness.FormatDuration(harness.Percentile(times, 99))))
			}
		}

		harness.PrintNote("%s, %s, p50 (p99): %s", size, p.name, strings.Join(kinds, ", "))
		figures = append(figures, harness.Figure{
			Name: fmt.Sprintf("mixed traffic of %s, %s", size, p.name), Engine: engine, Ours: describe(p.result),
			Raw: describe(&m.bare), Ratio: p.result.rate() / m.bare.rate(),
		})
	}

	harness.PrintNote("%s: %s were pushed; bodies have %d bytes on average", size, m.pushedNote,
		int(m.warm.bytes)/len(m.warm.all()))
	return append(figures,
		harness.Figure{
			Name: fmt.Sprintf("push beside mixed traffic of %s", size), Engine: engine,
			Ours: fmt.Sprintf("%.0f products/s", m.pushed.rate()), Raw: "–",
		},
		harness.Figure{
			Name: fmt.Sprintf("memory after mixed traffic of %s (peak)", size), Engine: engine,
			Ours: fmt.Sprintf("%.0f (%.0f) MiB", m.memory, m.peak), Raw: "–",
		})
}
