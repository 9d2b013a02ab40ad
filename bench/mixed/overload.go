package mixed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/bench/harness"
	"vitrine/bench/order"
)

const (
	// overloadProducts is the number of products of the store that is listed.
	overloadProducts = 20_000
	// overloadRounds is how often the capacity and then the overload are measured, overloadTime how long the load is
	// twice the capacity, and capacityTime how long the capacity is measured.
	overloadRounds             = 3
	overloadTime, capacityTime = 6 * time.Second, 3 * time.Second
	// capacityClients send requests one after the other to measure the capacity.
	capacityClients = 16
	// overloadClients limits the requests that are not answered yet; further requests are not sent. A real client would
	// have given up.
	overloadClients = 8000
	// overloadWindow is the time over which the goodput is averaged.
	overloadWindow = 3 * time.Second
	// probeEvery is the interval of short requests of another store, and readyEvery that of readiness checks.
	probeEvery, readyEvery = 20 * time.Millisecond, 250 * time.Millisecond
)

// Overload measures the requests of one store that succeed while it sends twice as many as the server can answer,
// compared with the capacity. The requests are lists with a price filter and facets, each with
// another price, and new carts. Meanwhile another store reads its settings, and a load balancer asks for readiness.
func Overload(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	// The limits of one address are off: in a shop that is overloaded, the requests come from many.
	p, stores, err := e.StartGate(ctx, 2, "--public-writes-per-minute", "0", "--public-writes-per-store", "0",
		"--cart-lines-per-hour", "0", "--max-guest-drafts", "0", "--connections-per-address", "0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	o := newOverload(order.NewOrderServer(stores[0]))
	o.other = stores[1]
	if err := o.FillStock(ctx); err != nil {
		return nil, err
	}
	if _,
		err := o.PushExpecting(ctx, order.SoldProducts, overloadProducts, harness.FirstPrice,
		harness.CreatedCount); err != nil {
		return nil, err
	}
	if _, err := o.WaitForColumns(ctx, o.Client); err != nil {
		return nil, err
	}

	for _, load := range []struct {
		name    string
		request func() string
	}{{"lists with a price filter and facets", o.list}, {"new carts", o.newCart}} {
		found, err := o.measureInTurn(ctx, load.name, load.request)
		if err != nil {
			return nil, err
		}
		for i := range found {
			found[i].Engine = e.Engine
		}
		figures = append(figures, found...)
	}

	return figures, nil
}

// measureInTurn measures the capacity and the goodput at twice the capacity in turn: on a shared machine the capacity
// changes. Client and server share the processors, and what the client takes for the requests that are refused is not
// the server's loss. So the goodput is compared with what the server answers while the client sends as many requests to
// a bare server that refuses all of them.
func (o *overload) measureInTurn(ctx context.Context, name string, request func() string) ([]harness.Figure, error) {
	var total overloadResult
	var alone, beside, worst []float64
	var probesBeside []time.Duration
	for range overloadRounds {
		capacity, _, err := o.measureCapacity(ctx, 0, request)
		if err != nil {
			return nil, err
		}
		left, probes, err := o.measureCapacity(ctx, capacity, request)
		if err != nil {
			return nil, err
		}

		r, err := o.measure(ctx, 2*capacity, request)
		if err != nil {
			return nil, err
		}

		alone = append(alone, capacity)
		beside = append(beside, left)
		worst = append(worst, r.worstWindow())
		probesBeside = append(probesBeside, probes...)
		total.add(r)
	}

	harness.PrintNote("%s: %d succeeded, %d were refused, %d failed otherwise, %d not sent; "+
		"readiness failed %d of %d times; "+
		"capacity %.0f to %.0f/s, beside a bare server that refuses as many %.0f to %.0f/s", name, total.succeeded,
		total.refused, total.failed, total.notSent, total.notReady, total.readyChecks, slices.Min(alone),
		slices.Max(alone), slices.Min(beside), slices.Max(beside))
	ours := float64(total.succeeded) / (overloadRounds * overloadTime.Seconds())
	raw := 0.0
	for _, perSecond := range beside {
		raw += perSecond / overloadRounds
	}

	p99 := harness.Percentile(total.probes, 99)
	rawP99 := harness.Percentile(probesBeside, 99)
	return []harness.Figure{{
		Name: name + " at twice the capacity (worst 3 s)", Ours: fmt.Sprintf("%.0f (%.0f) /s", ours, slices.Min(worst)),
		Raw: fmt.Sprintf("%.0f /s", raw), Ratio: ours / raw, Aim: "≥ 0.8, ready",
		Met: ours >= 0.8*raw && total.notReady == 0,
	}, {
		Name: "another store's settings meanwhile, p99 (p50), against at the capacity",
		Ours: fmt.Sprintf("%s (%s)", harness.FormatMillis(p99),
			harness.FormatMillis(harness.Percentile(total.probes, 50))),
		Raw: fmt.Sprintf("%s (%s)", harness.FormatMillis(rawP99),
			harness.FormatMillis(harness.Percentile(probesBeside, 50))),
		Ratio: p99.Seconds() / rawP99.Seconds(), Aim: "≤ 2 or < 250 ms",
		Met: (p99 <= 2*rawP99 || p99 < 250*time.Millisecond) && total.probesFailed == 0,
	}}, nil
}

// overload is a store that sends too many requests, beside another one.
type overload struct {
	*order.OrderServer
	other *harness.Server
	plain *plainClient
	// visitor sends the requests of the other store.
	visitor *plainClient
}

func newOverload(s *order.OrderServer) *overload {
	return &overload{OrderServer: s, plain: newPlainClient(s.URL), visitor: newPlainClient(s.URL).from("127.0.0.2")}
}

// list returns the request of a list that nobody has requested before.
func (o *overload) list() string {
	return o.request(o.Server, http.MethodGet, fmt.Sprintf(
		"/v2/products?with=facets&per_page=24&price%%5Bfrom%%5D=1.%02d&price%%5Bto%%5D=%d.%02d", rand.IntN(100),
		100_000+rand.IntN(1_000_000), rand.IntN(100)), "")
}

// newCart returns the request of a new cart.
func (o *overload) newCart() string {
	lines := make([]string, order.SoldLines)
	for i := range lines {
		third := len(o.Variants) / order.SoldLines // no line has the same variant as another
		lines[i] = fmt.Sprintf(`{"variant_id":%q,"quantity":1}`, o.Variants[i*third+rand.IntN(third)])
	}
	return o.request(o.Server, http.MethodPost, "/v2/orders", `{"items":[`+strings.Join(lines, ",")+`]}`)
}

// request returns a request of the store s.
func (o *overload) request(s *harness.Server, method, path, body string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, s.Keys.PublishableKey,
		len(body),
		body)
}

// measureCapacity returns how many requests a second succeed when clients send one after the other. Meanwhile excess
// requests a second, if it is not 0, go to a bare server that refuses them, and the other store reads its settings.
func (o *overload) measureCapacity(
	ctx context.Context, excess float64, request func() string,
) (perSecond float64, probes []time.Duration, err error) {
	var group sync.WaitGroup
	if excess > 0 {
		group.Go(func() { probes, _ = o.probe(ctx, capacityTime) })
		bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "The server is overloaded.", http.StatusServiceUnavailable)
		}))
		defer bare.Close()

		client := newPlainClient(bare.URL)
		defer client.close()

		group.Go(func() {
			sendAtRate(excess, capacityTime, func() { _, _ = client.send(ctx, request()) })
		})
	}

	var n atomic.Int64
	errs := make([]error, capacityClients)
	start := time.Now()
	for c := range capacityClients {
		group.Go(func() {
			for time.Since(start) < capacityTime {
				status, err := o.plain.send(ctx, request())
				if err == nil && status >= 300 {
					err = fmt.Errorf("the server answered %d below its capacity", status)
				}
				if errs[c] = err; err != nil {
					return
				}
				n.Add(1)
			}
		})
	}

	group.Wait()
	return float64(n.Load()) / capacityTime.Seconds(), probes, errors.Join(errs...)
}

// sendAtRate calls send in a goroutine at fixed times, whether or not earlier calls have returned. It returns when all
// of them have, with the number of calls that it left out because too many had not returned.
func sendAtRate(perSecond float64, duration time.Duration, send func()) (notSent int) {
	var group sync.WaitGroup
	defer group.Wait()

	var unanswered atomic.Int64
	start := time.Now()
	for i := 0; ; i++ {
		due := time.Duration(float64(i) / perSecond * float64(time.Second))
		if due > duration {
			return notSent
		}

		time.Sleep(time.Until(start.Add(due)))

		if unanswered.Load() >= overloadClients {
			notSent++
			continue
		}

		unanswered.Add(1)
		group.Go(func() {
			defer unanswered.Add(-1)
			send()
		})
	}
}

// overloadResult is what happened during an overload.
type overloadResult struct {
	succeeded, refused, failed, notSent int
	finished                            []time.Duration // when the successful requests ended, since the start
	probes                              []time.Duration // times of the other store's requests
	probesFailed, readyChecks, notReady int
}

// worstWindow returns the lowest rate of successful requests over overloadWindow. The first second is the ramp.
func (r *overloadResult) worstWindow() float64 {
	slices.Sort(r.finished)
	worst := -1.0
	for from := time.Second; from+overloadWindow <= overloadTime; from += overloadWindow / 6 {
		first, _ := slices.BinarySearch(r.finished, from)
		end, _ := slices.BinarySearch(r.finished, from+overloadWindow)
		if rate := float64(end-first) / overloadWindow.Seconds(); worst < 0 || rate < worst {
			worst = rate
		}
	}
	return worst
}

// add adds the counts of another overload.
func (r *overloadResult) add(other *overloadResult) {
	r.succeeded += other.succeeded
	r.refused += other.refused
	r.failed += other.failed
	r.notSent += other.notSent
	r.probes = append(r.probes, other.probes...)
	r.probesFailed += other.probesFailed
	r.readyChecks += other.readyChecks
	r.notReady += other.notReady
}

// measure sends requests at a rate, whether or not the server answers them.
func (o *overload) measure(ctx context.Context, perSecond float64, request func() string) (*overloadResult, error) {
	r := &overloadResult{}
	var mu sync.Mutex
	var group sync.WaitGroup
	start := time.Now()
	group.Go(func() { r.probes, r.probesFailed = o.probe(ctx, overloadTime) })
	group.Go(func() { o.checkReadiness(ctx, start, &mu, r) })

	r.notSent = sendAtRate(perSecond, overloadTime, func() {
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()

		status, err := o.plain.send(limited, request())
		mu.Lock()
		defer mu.Unlock()

		switch {
		case err == nil && status < 300:
			r.succeeded++
			r.finished = append(r.finished, time.Since(start))
		case status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests:
			r.refused++
		default:
			r.failed++
		}
	})

	group.Wait()
	return r, ctx.Err()
}

// probe reads the settings of the other store at fixed times, and returns how long each response took.
func (o *overload) probe(ctx context.Context, duration time.Duration) (times []time.Duration, failed int) {
	var mu sync.Mutex
	sendAtRate(float64(time.Second/probeEvery), duration, func() {
		start := time.Now()
		status, err := o.visitor.send(ctx, o.request(o.other, http.MethodGet, "/v2/store", ""))
		mu.Lock()
		defer mu.Unlock()
		times = append(times, time.Since(start))
		if err != nil || status != http.StatusOK {
			failed++
		}
	})
	return times, failed
}

// checkReadiness asks for readiness as a load balancer does.
func (o *overload) checkReadiness(ctx context.Context, start time.Time, mu *sync.Mutex, r *overloadResult) {
	client := &http.Client{Timeout: 2 * time.Second}
	for due := start; due.Sub(start) < overloadTime && ctx.Err() == nil; due = due.Add(readyEvery) {
		time.Sleep(time.Until(due))
		res, err := client.Get(o.Admin + "/readyz")
		mu.Lock()
		r.readyChecks++
		if err != nil || res.StatusCode != http.StatusOK {
			r.notReady++
		}
		mu.Unlock()
		if err == nil {
			_ = res.Body.Close()
		}
	}
}
