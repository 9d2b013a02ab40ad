// Package listen receives the webhooks of a store on a developer's machine. It registers a receiver with a loopback
// address, verifies and prints the events, and unregisters the receiver when it ends. It depends on the server only
// through the HTTP admin API. It reads no settings.
package listen

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

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// Timeouts for registering and deleting the receiver, for reading an event, and for open requests at shutdown.
const (
	registerTimeout   = 10 * time.Second
	unregisterTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	shutdownTimeout   = 2 * time.Second
)

// Job describes which events to receive and how to print them.
type Job struct {
	Client *http.Client
	Admin  Admin
	// Types are event types, prefixes such as order.*, or * for all types.
	Types []string
	// Port is the port on 127.0.0.1; 0 chooses a free one.
	Port int
	// Status is the response status for an event that was verified and printed.
	Status int

	// Out gets the events in the given Format, with colours if Colour is set.
	Out    io.Writer
	Format Format
	Colour bool

	// Info is called with messages for the user, Warn with one for each rejected request. The calls are serialized.
	Info, Warn func(string)
	Now        func() time.Time
}

// Listen receives events until ctx ends or writing to Out fails. The end of ctx is not an error. Listen returns after
// the receiver is unregistered. If that fails, the error contains the command to do it by hand. Listen responds to an
// event after printing it, so a successful response means that the event was printed.
func Listen(ctx context.Context, job Job) error {
	var mu sync.Mutex
	job.Info, job.Warn = request.Serialized(&mu, job.Info), request.Serialized(&mu, job.Warn)
	ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(job.Port)))
	if err != nil {
		return fault.New(fault.Unavailable, "cannot_listen", "Cannot listen on port %d; try another port.", job.Port).
			Because(err)
	}

	// The kernel accepts connections before Serve is called. So an event that arrives before the registration response,
	// which has the secret, waits in the listen backlog and can still be verified.
	reg, err := job.register(ctx, "http://"+ln.Addr().String()+"/")
	if err != nil {
		return errors.Join(err, ln.Close())
	}

	handler := &eventHandler{
		key: reg.signingKey, status: job.Status, now: job.Now, warn: job.Warn, printErr: make(chan error, 1),
		printer: eventPrinter{job.Out, job.Format, job.Colour}, seen: seenEvents{counts: map[string]int{}},
	}
	server := &http.Server{Handler: handler, ReadTimeout: readTimeout, ErrorLog: log.New(io.Discard, "", 0)}
	serveErr := make(chan error, 1)
	go func() { serveErr <- server.Serve(ln) }()
	job.announce(reg)

	select {
	case <-ctx.Done():
	case err = <-handler.printErr:
	case err = <-serveErr:
	}

	// The server still runs: it receives the events that are sent before the receiver is deleted.
	err = errors.Join(err, job.unregister(ctx, reg))
	shutdownCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()

	if server.Shutdown(shutdownCtx) != nil {
		_ = server.Close() // closes connections on which a client has sent no request yet
	}

	return err
}

func (j *Job) announce(reg registration) {
	if !request.IsLocal(j.Admin.base.Hostname()) {
		j.Info(fmt.Sprintf("The server at %s must be able to reach %s, which is a loopback address of this machine: "+
			"run the server here or set up a tunnel.", j.Admin, reg.url))
	}
	j.Info(fmt.Sprintf("Listening at %s for %s, as the receiver %s; every event is answered %d.", reg.url,
		strings.Join(j.Types, ", "), reg.id, j.Status))
	j.Info("To send a test event:\n  " + curlCommand(http.MethodPost, j.Admin.receiversURL(reg.id, "test")))
}
