package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"vitrine/internal/client/listen"
)

// listenCommand has flags without environment variables, because the default names have other meanings: VITRINE_TO is
// the address of the API, VITRINE_SECRET_KEY the encryption key, and Kubernetes sets VITRINE_PORT for some services.
type listenCommand struct {
	To     string   `help:"Address of the store's administration." default:"http://localhost:8081" env:"VITRINE_ADMIN_URL" placeholder:"URL"`
	Key    string   `help:"Secret key of the store. Better set as VITRINE_KEY." required:"" env:"VITRINE_KEY" placeholder:"sk_…"`
	Types  []string `help:"Event types, or prefixes such as order.*; all by default." default:"*" env:"-" placeholder:"TYPE,…"`
	Port   int      `help:"The port to listen on; 0 chooses a free one." default:"0" env:"-" placeholder:"N"`
	Status int      `help:"Response status for events, to test failures; 410 disables the receiver." default:"204" env:"-" placeholder:"N"`
	Quiet  bool     `help:"Print one line per event without its payload, and otherwise only warnings and errors." env:"-"`
	JSON   bool     `help:"Print each event unchanged as one line of JSON, and nothing else on standard output." env:"-"`
}

// Help returns the text that --help prints in addition to the flags.
func (*listenCommand) Help() string {
	return `Registers a receiver on 127.0.0.1 for a store whose server runs on this machine with --dev. Ctrl+C ends the command and unregisters the receiver. An event is answered after it was printed. A repeated event is marked with "again". A request that is not signed with the receiver's secret is answered 401.

A server without --dev needs --allow-http --allow-net 127.0.0.0/8 to send events to this machine.

examples/receiver shows how to receive events in your own program.`
}

func (c *listenCommand) Validate() error {
	switch {
	case c.Key == "":
		return nil // kong reports a missing flag
	case c.Port < 0 || c.Port > 65535:
		return errors.New("--port must be from 1 to 65535, or 0")
	case c.Status < 200 || c.Status > 599:
		return errors.New("--status must be from 200 to 599")
	}
	_, err := c.admin()
	return err
}

func (c *listenCommand) admin() (listen.Admin, error) {
	admin, err := listen.NewAdmin(c.To, c.Key)
	return admin, withFaultMessageOnly(err)
}

func (c *listenCommand) Run(ctx context.Context, o output) error {
	admin, err := c.admin()
	if err != nil {
		return err
	}

	// With SIGPIPE ignored, a write to a broken pipe returns an error, and Listen unregisters the receiver.
	signal.Ignore(syscall.SIGPIPE)
	return listen.Listen(ctx, listen.Job{
		Client: newAPIClient(), Admin: admin, Types: c.Types, Port: c.Port, Status: c.Status,
		Out: o.out, Format: c.format(), Colour: wantsColour(o.out), Now: time.Now,
		Info: func(text string) {
			if !c.Quiet {
				fmt.Fprintln(o.err, text)
			}
		},
		Warn: func(text string) { fmt.Fprintln(o.err, text) },
	})
}

func (c *listenCommand) format() listen.Format {
	switch {
	case c.JSON:
		return listen.JSONLines
	case c.Quiet:
		return listen.Summary
	}
	return listen.Pretty
}

// wantsColour reports whether w is a terminal and NO_COLOR is not set (no-color.org).
func wantsColour(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && isTerminal(w)
}
