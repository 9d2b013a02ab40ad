// Package listener receives a store's webhooks on the machine of whoever develops against them: it registers an address on loopback,
// verifies and prints what arrives there, and unregisters the address when it ends. It speaks HTTP to the administration and knows
// nothing else of the server; it reads no settings.
package listener

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
)

// How long the administration, senders of events, and events that are under way at the end are waited for.
const (
	registerTimeout   = 10 * time.Second
	unregisterTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	shutdownTimeout   = 2 * time.Second
)

// Job is what to listen for, and what to do with it.
type Job struct {
	Client *http.Client
	Admin  Admin
	// Types are ids of types, prefixes such as order.*, or * alone for all.
	Types []string
	// Port is where to listen on 127.0.0.1; 0 takes one that is free.
	Port int
	// Status is what an event is answered with once it is verified and printed.
	Status int

	// Out gets the events, in this Form, with colours or without.
	Out    io.Writer
	Format Format
	Colour bool

	// Info is told, in a sentence, what happens, and Warn what arrives and is refused. They are called by one goroutine at a time.
	Info, Warn func(string)
	Now        func() time.Time
}

// Listen listens until the context ends, which is no error, or Out cannot be written. It returns when the receiver is unregistered;
// where that cannot be done, the error says how to do it by hand. An event is answered after it was printed, so none is lost.
func Listen(ctx context.Context, job Job) error {
	var mu sync.Mutex
	job.Info, job.Warn = serialized(&mu, job.Info), serialized(&mu, job.Warn)
	ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(job.Port)))
	if err != nil {
		return fault.New(fault.Unavailable, "cannot_listen", "Port %d of this machine cannot be listened on; another one may be free.", job.Port).Because(err)
	}
	// Who connects before Serve waits, so an event that overtakes the answer with the secret is verified all the same.
	reg, err := job.register(ctx, "http://"+ln.Addr().String()+"/")
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	handler := newEventHandler(job, reg.signingKey)
	server := &http.Server{Handler: handler, ReadTimeout: readTimeout, ErrorLog: log.New(io.Discard, "", 0)}
	serveErr := make(chan error, 1)
	go func() { serveErr <- server.Serve(ln) }()
	job.announce(reg)

	select {
	case <-ctx.Done():
	case err = <-handler.printErr:
	case err = <-serveErr:
	}
	// What is sent until the receiver is gone still arrives.
	err = errors.Join(err, job.unregister(ctx, reg))
	shutdownCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if server.Shutdown(shutdownCtx) != nil {
		_ = server.Close() // somebody holds a connection open without sending anything
	}
	return err
}

// serialized lets one speak at a time.
func serialized(mu *sync.Mutex, fn func(string)) func(string) {
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fn(text)
	}
}

// announce says where events arrive, and how to send one.
func (j *Job) announce(reg registration) {
	if !j.Admin.isLocal() {
		j.Info(fmt.Sprintf("The server at %s must reach %s, which is an address of this machine alone: run it here, or make a tunnel.", j.Admin, reg.url))
	}
	j.Info(fmt.Sprintf("Listening at %s for %s, as the receiver %s; every event is answered %d.", reg.url, strings.Join(j.Types, ", "), reg.id, j.Status))
	j.Info("To send a test event:\n  " + curlCommand(http.MethodPost, j.Admin.receiversURL(reg.id, "test")))
}
