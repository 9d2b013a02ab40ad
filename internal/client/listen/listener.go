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
	registerTime   = 10 * time.Second
	unregisterTime = 5 * time.Second
	readTime       = 15 * time.Second
	endTime        = 2 * time.Second
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
	Form   Form
	Colour bool

	// Say is told, in a sentence, what happens, and Warn what arrives and is refused. They are called by one goroutine at a time.
	Say, Warn func(string)
	Now       func() time.Time
}

// Listen listens until the context ends, which is no error, or Out cannot be written. It returns when the receiver is unregistered;
// where that cannot be done, the error says how to do it by hand. An event is answered after it was printed, so none is lost.
func Listen(ctx context.Context, job Job) error {
	var telling sync.Mutex
	job.Say, job.Warn = inTurn(&telling, job.Say), inTurn(&telling, job.Warn)
	at, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(job.Port)))
	if err != nil {
		return fault.New(fault.Unavailable, "cannot_listen", "Port %d of this machine cannot be listened on; another one may be free.", job.Port).Because(err)
	}
	// Who connects before Serve waits, so an event that overtakes the answer with the secret is verified all the same.
	made, err := job.register(ctx, "http://"+at.Addr().String()+"/")
	if err != nil {
		return errors.Join(err, at.Close())
	}
	events := newReceiver(job, made.key)
	server := &http.Server{Handler: events, ReadTimeout: readTime, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(at) }()
	job.greet(made)

	select {
	case <-ctx.Done():
	case err = <-events.broken:
	case err = <-served:
	}
	// What is sent until the receiver is gone still arrives.
	err = errors.Join(err, job.unregister(ctx, made))
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if server.Shutdown(ending) != nil {
		_ = server.Close() // somebody holds a connection open without sending anything
	}
	return err
}

// inTurn lets one speak at a time.
func inTurn(mu *sync.Mutex, tell func(string)) func(string) {
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		tell(text)
	}
}

// greet says where events arrive, and how to send one.
func (j *Job) greet(made registered) {
	if !j.Admin.local() {
		j.Say(fmt.Sprintf("The server at %s must reach %s, which is an address of this machine alone: run it here, or make a tunnel.", j.Admin, made.url))
	}
	j.Say(fmt.Sprintf("Listening at %s for %s, as the receiver %s; every event is answered %d.", made.url, strings.Join(j.Types, ", "), made.id, j.Status))
	j.Say("To send a test event:\n  " + curl(http.MethodPost, j.Admin.receivers(made.id, "test")))
}
