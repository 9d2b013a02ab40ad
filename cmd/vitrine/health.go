package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

type healthCommand struct {
	URL       string        `arg:"" optional:"" help:"What to ask; by default /readyz at --admin-addr. /healthz is about the process alone."`
	AdminAddr string        `help:"Where the administration of the server listens." default:"127.0.0.1:8081" placeholder:"ADDR"`
	Timeout   time.Duration `help:"How long to wait for the response." default:"4s" env:"-"`
}

// Run asks a server on this machine whether it is ready. It succeeds if the response is 200, and prints the response.
func (c *healthCommand) Run(ctx context.Context, o output) error {
	url := c.URL
	if url == "" {
		url = "http://" + dialAddress(c.AdminAddr) + "/readyz"
	}

	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()

	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}

	// A proxy of the environment has no business between two processes of one machine.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("the server does not respond: %w", err)
	}
	defer response.Body.Close()

	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	if err != nil {
		return fmt.Errorf("the server does not respond: %w", err)
	}

	text := strings.TrimSpace(string(body))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returns %s: %s", url, response.Status, text)
	}

	_, err = fmt.Fprintln(o.out, text)
	return err
}

// dialAddress returns the address at which this machine reaches a listener: one on all interfaces is on loopback, too.
func dialAddress(listener string) string {
	host, port, err := net.SplitHostPort(listener)
	if err != nil {
		return listener
	}
	address, err := netip.ParseAddr(host)
	switch {
	case host == "" || err == nil && address.Unmap() == netip.IPv4Unspecified():
		host = "127.0.0.1"
	case err == nil && address == netip.IPv6Unspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}
