package harness

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// ListClients is the number of clients that read lists at once.
const ListClients = 4

func ServeBytes(body []byte) (string, func(), error) {
	return ServeHandler(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
}

// ServeHandler starts a bare server on a free port. It returns its URL and a function that stops it.
func ServeHandler(handler http.HandlerFunc) (string, func(), error) {
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

// TimeRequests sends requests from a few concurrent clients and returns the total duration. url is called for each
// request.
func TimeRequests(c *http.Client, url func() string, key string, length, requests int) (time.Duration, error) {
	return TimeConcurrent(requests, func() func() error {
		buffer := make([]byte, 64<<10)
		return func() error { return getPage(c, url(), key, length, buffer) }
	})
}

// TimeConcurrent sends requests from a few concurrent clients and returns the total duration. NewClient returns the
// function that sends one request of a client.
func TimeConcurrent(requests int, newClient func() func() error) (time.Duration, error) {
	errs := make(chan error, ListClients)
	var group sync.WaitGroup
	start := time.Now()
	for range ListClients {
		group.Go(func() {
			send := newClient()
			for range requests / ListClients {
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

// RunConcurrently calls fn for each number below n from several goroutines and returns the duration.
func RunConcurrently(clients, n int, fn func(i int) error) (time.Duration, error) {
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, clients)
	start := time.Now()
	for c := range clients {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[c] == nil; i = int(next.Add(1)) - 1 {
				errs[c] = fn(i)
			}
		})
	}
	group.Wait()
	return time.Since(start), errors.Join(errs...)
}
