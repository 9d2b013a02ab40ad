package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"slices"
	"sync"
	"time"

	"vitrine/internal/shop/account"
)

const (
	// ordinaryEvery is the interval of an ordinary client's requests, and readyEvery that of readiness checks.
	ordinaryEvery, readyEvery = 50 * time.Millisecond, 250 * time.Millisecond
	// ordinaryPatience is when an ordinary client gives up.
	ordinaryPatience = 5 * time.Second
)

// observation is what an ordinary client and a load balancer saw during an attack.
type observation struct {
	mu       sync.Mutex
	times    []time.Duration
	failures []string
	notReady []string
}

// String returns the median, the 99th percentile and the failures for the table.
func (o *observation) String() string {
	return fmt.Sprintf("%d / %d ms | %d of %d", o.percentile(50).Milliseconds(), o.percentile(99).Milliseconds(),
		len(o.failures), len(o.times))
}

// percentile returns a percentile of the times of the client.
func (o *observation) percentile(p int) time.Duration {
	if len(o.times) == 0 {
		return 0
	}
	slices.Sort(o.times)
	return o.times[min(len(o.times)-1, len(o.times)*p/100)]
}

// ordinaryRequest is a request of an ordinary client and the status that it expects.
type ordinaryRequest struct {
	method, path, key, contentType string
	body                           []byte
	want                           int
}

// ordinaryRequests returns what a shopper of a store does. With images, the store's server also uploads small ones.
func ordinaryRequests(s account.ProvisionedStore, sold string, images bool) []ordinaryRequest {
	pk := s.PublishableKey
	post := func(path, body string) ordinaryRequest {
		return ordinaryRequest{http.MethodPost, path, pk, "application/json", []byte(body), 201}
	}
	store := ordinaryRequest{method: http.MethodGet, path: "/v2/store", key: pk, want: 200}
	list := ordinaryRequest{method: http.MethodGet, path: "/v2/products", key: pk, want: 200}
	cart := fmt.Sprintf(`{"items":[{"variant_id":%q,"quantity":1}]}`, sold)
	all := []ordinaryRequest{
		store, list, post("/v2/orders", cart),
		store, list, post("/v2/feedback", `{"name":"Anna","email":"anna@example.com","message":"Hello"}`),
	}

	if images {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 4, 4))); err != nil {
			panic(err) // a buffer accepts everything
		}
		all = append(all,
			ordinaryRequest{http.MethodPost, "/v2/images", s.SecretKey, "image/png", b.Bytes(), 201})
	}

	return all
}

// observe sends the requests of an ordinary client one after the other at fixed times, and checks readiness, until ctx
// ends. A request that is still waiting for its response then is completed.
func (t *target) observe(ctx context.Context, client *http.Client, requests []ordinaryRequest) *observation {
	o := &observation{}
	var group sync.WaitGroup
	background := context.WithoutCancel(ctx)

	group.Go(func() {
		for ctx.Err() == nil && t.alive() {
			if err := t.ready(background); err != nil {
				o.mu.Lock()
				o.notReady = append(o.notReady, err.Error())
				o.mu.Unlock()
			}
			time.Sleep(readyEvery)
		}
	})

	due := time.Now()
	for i := 0; ctx.Err() == nil && t.alive(); i++ {
		time.Sleep(time.Until(due))
		started := due
		due = due.Add(ordinaryEvery)

		group.Go(func() {
			err := t.sendOrdinary(background, client, requests[i%len(requests)])
			o.mu.Lock()
			defer o.mu.Unlock()
			o.times = append(o.times, time.Since(started))
			if err != nil {
				o.failures = append(o.failures, err.Error())
			}
		})
	}

	group.Wait()
	return o
}

// sendOrdinary sends a request and returns an error unless it gets the expected status.
func (t *target) sendOrdinary(ctx context.Context, client *http.Client, o ordinaryRequest) error {
	ctx, cancel := context.WithTimeout(ctx, ordinaryPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, o.method, "http://"+t.api+o.path, bytes.NewReader(o.body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+o.key)
	if o.contentType != "" {
		r.Header.Set("Content-Type", o.contentType)
	}
	status, body, err := readResponse(client.Do(r))
	if err == nil && status != o.want {
		err = fmt.Errorf("%s %s got %d: %.200s", o.method, o.path, status, body)
	}
	return err
}
