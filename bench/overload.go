package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// overloadProducts is the number of products of the store that is listed.
	overloadProducts = 20_000
	// overloadTime is how long the load is twice the capacity, and capacityTime how long the capacity is measured.
	overloadTime, capacityTime = 15 * time.Second, 5 * time.Second
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

// benchOverload measures the requests of one store that succeed while it sends twice as many as the server can answer,
// compared with the most that it answers otherwise. The requests are lists with a price filter and facets, each with
// another price, and new carts. Meanwhile another store reads its settings, and a load balancer asks for readiness.
func benchOverload(ctx context.Context, e *benchEnvironment) (figures []figure, err error) {
	// The limits of one address are off: in a shop that is overloaded, the requests come from many.
	p, stores, err := e.startGate(ctx, 2, "--public-writes-per-minute", "0", "--public-writes-per-store", "0",
		"--cart-lines-per-hour", "0", "--max-guest-drafts", "0", "--connections-per-address", "0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	o := newOverload(newOrderServer(stores[0]))
	o.other = stores[1]
	if err := o.fillStock(ctx); err != nil {
		return nil, err
	}
	if _, err := o.pushExpecting(ctx, soldProducts, overloadProducts, firstPrice, createdCount); err != nil {
		return nil, err
	}
	if _, err := o.waitForColumns(ctx, o.client); err != nil {
		return nil, err
	}
	for _, load := range []struct {
		name string
		send func(ctx context.Context) (status int, err error)
	}{{"lists with a price filter and facets", o.list}, {"new carts", o.createCart}} {
		if _, err := o.measureCapacity(ctx, load.send); err != nil { // warm up
			return nil, err
		}
		before, err := o.measureCapacity(ctx, load.send)
		if err != nil {
			return nil, err
		}
		rate := 2 * slices.Max(before)
		r, err := o.measure(ctx, rate, load.send)
		if err != nil {
			return nil, err
		}
		after, err := o.measureCapacity(ctx, load.send)
		if err != nil {
			return nil, err
		}
		// On a shared machine the capacity changes during the measurement.
		all := slices.Sorted(slices.Values(append(before, after...)))
		capacity, mean, worst := all[len(all)/2], float64(r.succeeded)/overloadTime.Seconds(), r.worstWindow()
		printNote("%s at %.0f/s: %d succeeded, %d were refused, %d failed otherwise, %d not sent; readiness failed %d "+
			"of %d times; capacity %.0f to %.0f/s", load.name, rate, r.succeeded, r.refused, r.failed, r.notSent,
			r.notReady, r.readyChecks, all[0], all[len(all)-1])
		figures = append(figures, figure{
			name: load.name + " at twice the capacity (worst 3 s)", engine: e.engine,
			ours: fmt.Sprintf("%.0f (%.0f) /s", mean, worst), raw: fmt.Sprintf("%.0f /s capacity", capacity),
			ratio: mean / capacity, aim: "≥ 0.8, ready", met: mean >= 0.8*capacity && r.notReady == 0,
		}, figure{
			name: "another store's settings meanwhile, p99 (p50)", engine: e.engine,
			ours: fmt.Sprintf("%s (%s)", formatMillis(percentile(r.probes, 99)), formatMillis(percentile(r.probes, 50))),
			raw:  "–", aim: "< 250 ms", met: percentile(r.probes, 99) < 250*time.Millisecond && r.probesFailed == 0,
		})
	}
	return figures, nil
}

// overload is a store that sends too many requests, beside another one.
type overload struct {
	*orderServer
	other *benchServer
	plain *plainClient
}

func newOverload(s *orderServer) *overload {
	return &overload{orderServer: s, plain: newPlainClient(s.url)}
}

// list requests a list that nobody has requested before.
func (o *overload) list(ctx context.Context) (int, error) {
	return o.send(ctx, o.benchServer, http.MethodGet, fmt.Sprintf(
		"/v2/products?with=facets&per_page=24&price%%5Bfrom%%5D=1.%02d&price%%5Bto%%5D=%d.%02d", rand.IntN(100),
		100_000+rand.IntN(1_000_000), rand.IntN(100)), "")
}

func (o *overload) createCart(ctx context.Context) (int, error) {
	lines := make([]string, soldLines)
	for i := range lines {
		third := len(o.variants) / soldLines // no line has the same variant as another
		lines[i] = fmt.Sprintf(`{"variant_id":%q,"quantity":1}`, o.variants[i*third+rand.IntN(third)])
	}
	return o.send(ctx, o.benchServer, http.MethodPost, "/v2/orders", `{"items":[`+strings.Join(lines, ",")+`]}`)
}

// send sends a request and reads the response.
func (o *overload) send(ctx context.Context, s *benchServer, method, path, body string) (status int, err error) {
	return o.plain.send(ctx, fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, s.keys.PublishableKey, len(body),
		body))
}

// measureCapacity returns how many requests a second succeed when clients send one after the other, measured three
// times.
func (o *overload) measureCapacity(
	ctx context.Context, send func(ctx context.Context) (int, error),
) (perSecond []float64, err error) {
	for range 3 {
		var n atomic.Int64
		var group sync.WaitGroup
		errs := make([]error, capacityClients)
		start := time.Now()
		for c := range capacityClients {
			group.Go(func() {
				for time.Since(start) < capacityTime/3 {
					status, err := send(ctx)
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
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		perSecond = append(perSecond, float64(n.Load())/time.Since(start).Seconds())
	}
	return perSecond, nil
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

// measure sends requests at a rate, whether or not the server answers them.
func (o *overload) measure(
	ctx context.Context, perSecond float64, send func(ctx context.Context) (int, error),
) (*overloadResult, error) {
	r := &overloadResult{}
	var mu sync.Mutex
	var group sync.WaitGroup
	start := time.Now()
	group.Go(func() { o.probe(ctx, start, &mu, r) })
	group.Go(func() { o.checkReadiness(ctx, start, &mu, r) })
	var unanswered atomic.Int64
	for i := 0; ; i++ {
		due := start.Add(time.Duration(float64(i) / perSecond * float64(time.Second)))
		if due.Sub(start) > overloadTime {
			break
		}
		time.Sleep(time.Until(due))
		if unanswered.Load() >= overloadClients {
			r.notSent++
			continue
		}
		unanswered.Add(1)
		group.Go(func() {
			defer unanswered.Add(-1)
			limited, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			status, err := send(limited)
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
	}
	group.Wait()
	return r, ctx.Err()
}

// probe reads the settings of the other store at fixed times.
func (o *overload) probe(ctx context.Context, start time.Time, mu *sync.Mutex, r *overloadResult) {
	var group sync.WaitGroup
	for due := start; due.Sub(start) < overloadTime; due = due.Add(probeEvery) {
		time.Sleep(time.Until(due))
		group.Go(func() {
			status, err := o.send(ctx, o.other, http.MethodGet, "/v2/store", "")
			mu.Lock()
			defer mu.Unlock()
			r.probes = append(r.probes, time.Since(due))
			if err != nil || status != http.StatusOK {
				r.probesFailed++
			}
		})
	}
	group.Wait()
}

// checkReadiness asks for readiness as a load balancer does.
func (o *overload) checkReadiness(ctx context.Context, start time.Time, mu *sync.Mutex, r *overloadResult) {
	client := &http.Client{Timeout: 2 * time.Second}
	for due := start; due.Sub(start) < overloadTime && ctx.Err() == nil; due = due.Add(readyEvery) {
		time.Sleep(time.Until(due))
		res, err := client.Get(o.admin + "/readyz")
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
