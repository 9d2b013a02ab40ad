package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	listedOptions = 50
	listedValues  = 20
	listRequests  = 4000
	listClients   = 4
)

// benchListOptions compares GET /v2/variant-options?with=values of 50 options × 20 values with a bare handler that
// writes the same bytes.
func benchListOptions(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	s, err := e.startServer(ctx)
	if err != nil {
		return nil, err
	}

	c := newClient()
	for i := range listedOptions {
		if _, err := s.do(c, "POST", "/v2/variant-options", optionBody("Option "+
			strconv.Itoa(i), listedValues)); err != nil {
			return nil, err
		}
	}

	const path = "/v2/variant-options?with=values"
	body, err := s.do(c, "GET", path, nil)
	if err != nil {
		return nil, err
	}

	bare, stopBare, err := serveBytes(body)
	if err != nil {
		return nil, err
	}

	ours := func() (time.Duration, error) {
		return timeRequests(c, func() string { return s.url + path }, s.keys.PublishableKey, len(body), listRequests)
	}
	raw := func() (time.Duration, error) {
		return timeRequests(c, func() string { return bare + path }, s.keys.PublishableKey, len(body), listRequests)
	}
	if _, err := ours(); err != nil {
		return nil, err
	}

	o, r, err := measureAlternately(7, ours, raw)
	if err != nil {
		return nil, err
	}

	stopBare()
	if err := s.stop(); err != nil {
		return nil, err
	}

	f := figure{
		name: fmt.Sprintf("list 50 options × 20 values (%d KB)", len(body)>>10), engine: e.engine,
		ours: formatRate(listRequests, o) + " req/s", raw: formatRate(listRequests, r) + " req/s",
		ratio: r.Seconds() / o.Seconds(),
	}
	if e.engine == "sqlite" {
		f.aim = "≥ 0.3"
		f.met = f.ratio >= 0.3
	}

	return []figure{f}, nil
}

func serveBytes(body []byte) (string, func(), error) {
	return serveHandler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
}

// serveHandler starts a bare server on a free port. It returns its URL and a function that stops it.
func serveHandler(handler http.HandlerFunc) (string, func(), error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: handler}
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	}()
	return "http://" + l.Addr().String(), func() { _ = server.Close() }, nil
}

// timeRequests sends requests from a few concurrent clients and returns the total duration. url is called for each
// request.
func timeRequests(c *http.Client, url func() string, key string, length, requests int) (time.Duration, error) {
	return timeConcurrent(requests, func() func() error {
		buffer := make([]byte, 64<<10)
		return func() error { return getPage(c, url(), key, length, buffer) }
	})
}

// timeConcurrent sends requests from a few concurrent clients and returns the total duration. newClient returns the
// function that sends one request of a client.
func timeConcurrent(requests int, newClient func() func() error) (time.Duration, error) {
	errs := make(chan error, listClients)
	var group sync.WaitGroup
	start := time.Now()
	for range listClients {
		group.Go(func() {
			send := newClient()
			for range requests / listClients {
				if err := send(); err != nil {
					errs <- err
					return
				}
			}
		})
	}

	group.Wait()
	took := time.Since(start)
	close(errs)

	return took, <-errs
}

func getPage(c *http.Client, url, key string, length int, buffer []byte) error {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}

	r.Header.Set("Authorization", "Bearer "+key)
	res, err := c.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()

	n := 0
	for {
		m, err := res.Body.Read(buffer)
		n += m
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}

	// The body contains relative dates, so its length varies a little.
	if res.StatusCode != http.StatusOK || n < length*9/10 {
		return fmt.Errorf("answered %d with %d bytes: %.500s", res.StatusCode, n, buffer[:min(n, len(buffer))])
	}

	return nil
}
