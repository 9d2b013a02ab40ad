package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// attacker is one client with an address of its own. It counts what it gets for its requests.
type attacker struct {
	*target
	dialer net.Dialer
	client *http.Client

	mu   sync.Mutex
	sent int
	seen map[string]int // by status; "closed" without a response, "unanswered" when the client left
}

// newClientAt returns a client whose connections come from a loopback address. All of 127.0.0.0/8 is this machine.
func newClientAt(address string) (*http.Client, net.Dialer) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: 5 * time.Second}
	return &http.Client{
		Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 64, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}, dialer
}

func newAttacker(t *target, address string) *attacker {
	a := &attacker{target: t, seen: map[string]int{}}
	a.client, a.dialer = newClientAt(address)
	return a
}

// count counts a request and its outcome.
func (a *attacker) count(outcome string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent++
	a.seen[outcome]++
}

// outcomes returns the outcomes with their numbers, such as "201 × 3, 429 × 40".
func (a *attacker) outcomes() string {
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(a.seen)) {
		parts = append(parts, fmt.Sprintf("%s × %d", outcome, a.seen[outcome]))
	}
	return strings.Join(parts, ", ")
}

// readResponse reads a response and closes it.
func readResponse(res *http.Response, err error) (status int, body []byte, _ error) {
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, err
}

// header is a name and a value.
type header [2]string

// send sends a request with a bearer credential to the API, counts its outcome and returns it.
func (a *attacker) send(
	ctx context.Context, method, path, key string, body []byte, headers ...header,
) (status int, response []byte) {
	return a.sendTo(ctx, a.api, method, path, body, append([]header{{"Authorization", "Bearer " + key}}, headers...)...)
}

// sendTo is like send for one of the listeners, without a credential.
func (a *attacker) sendTo(
	ctx context.Context, address, method, path string, body []byte, headers ...header,
) (status int, response []byte) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, bytes.NewReader(body))
	if err != nil {
		a.count("invalid request")
		return 0, nil
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		r.Header.Set(h[0], h[1])
	}
	status, response, err = readResponse(a.client.Do(r))
	a.countResponse(ctx, status, err)
	return status, response
}

// countResponse counts the outcome of a request: its status, or how it ended without one.
func (a *attacker) countResponse(ctx context.Context, status int, err error) {
	switch {
	case status != 0:
		a.count(fmt.Sprint(status))
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		a.count("unanswered")
	default:
		a.count("closed")
	}
}

// flood calls send from several goroutines at once, as often as given or until ctx ends.
func flood(ctx context.Context, clients, times int, send func(i int)) {
	next := make(chan int)
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for i := range next {
				send(i)
			}
		})
	}
	for i := 0; i < times && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	group.Wait()
}

// stall opens connections, writes the text on each, then rest repeatedly every interval, and waits for the responses
// until ctx ends.
func (a *attacker) stall(
	ctx context.Context, address string, connections int, text []byte, rest string, interval time.Duration,
) {
	var group sync.WaitGroup
	for range connections {
		group.Go(func() {
			conn, err := a.dialer.DialContext(ctx, "tcp", address)
			if err != nil {
				a.countResponse(ctx, 0, err)
				return
			}
			defer func() { _ = conn.Close() }()

			end, _ := ctx.Deadline()
			_ = conn.SetDeadline(end)
			go func() {
				_, err := conn.Write(text)
				for err == nil && rest != "" && ctx.Err() == nil {
					time.Sleep(interval)
					_, err = io.WriteString(conn, rest)
				}
			}()

			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				a.countResponse(ctx, 0, err)
				return
			}

			_ = res.Body.Close()
			a.countResponse(ctx, res.StatusCode, nil)
		})
	}

	group.Wait()
}

// requestHead returns the head of a POST request with more headers, each ended by CRLF.
func requestHead(path, key, headers string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key +
		"\r\nContent-Type: application/json\r\n" + headers + "\r\n"
}
