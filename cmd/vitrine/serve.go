package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

type serveCommand struct {
	config.Serve `embed:""`
}

func (c *serveCommand) Run(ctx context.Context, o output) error {
	makeFilesPrivate()
	log := newLogger(o.err, c.Serve)
	manager := findServiceManager(log)
	manager.notify(ctx, "STATUS=Opening the database")

	// The watchdog also watches the shutdown, so the messages end only with the process.
	alive, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()

	go manager.keepAlive(alive)
	a, err := app.New(ctx, c.Serve, version, log)
	if err != nil {
		return err
	}

	var firstStore *account.ProvisionedStore
	if !c.NoFirstStore {
		if firstStore, err = a.FirstStore(ctx, store.Edit{}); err != nil {
			return errors.Join(err, a.Close())
		}
	}

	err = a.Run(ctx, func(api, admin net.Addr) {
		// The file exists before the program says that it is ready.
		saveErr := saveFirstRun(c.Data, firstStore, listenerURL(api), listenerURL(admin))
		if saveErr != nil {
			log.WarnContext(ctx, "could not save the first run's keys for vitrine env", "error", saveErr)
		}

		// Print everything with one write: a process that waits for the first line then gets the rest, too.
		var text strings.Builder
		fmt.Fprintf(&text,
			"Vitrine %s is ready.\n  API            %s   (documentation at %s/docs)\n  Administration %s\n", version,
			listenerURL(api), listenerURL(api), listenerURL(admin))
		if c.NoBackground {
			fmt.Fprintln(&text,
				"  Background work is off: no webhooks, mail, SMS, retention or removal of image files.")
		}

		if c.Dev {
			fmt.Fprintf(&text, "  Demo page      %s/demo\n", listenerURL(api))
		}

		if firstStore != nil {
			if isTerminal(o.out) {
				printWelcome(&text, *firstStore, savedKeys(c.Data, saveErr), listenerURL(api), listenerURL(admin))
			} else {
				printFirstRunFile(&text, c.Data, saveErr)
			}

			if c.Dev {
				fmt.Fprintf(&text,
					"Open it as a shopper would; vitrine demo fills it with products:\n  %s/demo#key=%s\n\n",
					listenerURL(api), firstStore.PublishableKey)
			}
		}

		fmt.Fprint(o.out, text.String())
		manager.ready(ctx, "Serving the API at "+listenerURL(api)+" and the administration at "+listenerURL(admin))
	})
	if err == nil {
		fmt.Fprintln(o.out, "\nVitrine stopped.") // the terminal shows ^C without a line break
	}

	return err
}

// saveFirstRun writes the file that vitrine env reads. If this is not the first run, it updates the addresses in it.
func saveFirstRun(dataDir string, firstStore *account.ProvisionedStore, apiURL, adminURL string) error {
	if firstStore == nil {
		return app.UpdateFirstRun(dataDir, apiURL, adminURL)
	}
	return app.FirstRun{ProvisionedStore: *firstStore, APIURL: apiURL, AdminURL: adminURL}.Save(dataDir)
}

// printFirstRunFile says where the keys of the first store are. It replaces printWelcome if the output is not a
// terminal: it probably goes to a log, which others may read.
func printFirstRunFile(w io.Writer, dataDir string, saveErr error) {
	fmt.Fprint(w, "\nThis is the first run, so a store was created. ")
	if saveErr != nil {
		fmt.Fprint(w, "Its keys could not be saved, and are not shown because the output is not a terminal.\n"+
			"vitrine store list shows the store's id. Create keys with vitrine key create, an operator with\n"+
			"vitrine admin create.\n\n")
		return
	}
	fmt.Fprintf(w, `The output is not a terminal, so its keys and the password of its
owner are not shown. They are in a file that only you can read; delete it when you have saved them:
  %s
Set them as variables in a shell:
  eval "$(vitrine env --data %s)"

`, app.FirstRunFile(dataDir), dataDir)
}

// makeFilesPrivate lets only the owner access files that the process creates from now on.
func makeFilesPrivate() { _ = unix.Umask(0o077) }

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// savedKeys returns a sentence that says where the keys of the first store are after this run.
func savedKeys(dataDir string, saveErr error) string {
	if saveErr != nil {
		return "Its keys are shown only now: save them."
	}
	return fmt.Sprintf("Its keys are also in %s; vitrine env prints them.", app.FirstRunFile(dataDir))
}

// printWelcome prints the keys of the first store, and commands with these keys that the user can run unchanged.
func printWelcome(w io.Writer, p account.ProvisionedStore, saved, api, admin string) {
	fmt.Fprintf(w, `
This is the first run, so a store was created.
%s
  store id         %s
  secret key       %s
  publishable key  %s
  exchange token   %s
  operator         %s
  password         %s   (sign in at %s/login)

Create a variant option with its values:
  curl -s '%s/v2/variant-options?with=values' \
    -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' \
    -d '{"name": "Size", "values": [{"name": "S"}, {"name": "M"}, {"name": 42}]}'

Read it as a storefront would:
  curl -s '%s/v2/variant-options?with=values' -H 'Authorization: Bearer %s'

Push a product as an accounting system would:
  curl -s '%s/v2/sync-gate/products' \
    -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' \
    -d '{"payload": [{"id": 1, "name": "Mug", "single_variant": true, "variant_sku": "MUG", "variant_price": 7.5}]}'

`, saved, p.StoreID, p.SecretKey, p.PublishableKey, p.ExchangeToken, p.AdminEmail, p.AdminPassword, admin, api,
		p.SecretKey, api, p.PublishableKey, api, p.ExchangeToken)
}

// listenerURL returns the URL of a listener. If it listens on all interfaces or on loopback, the host is localhost.
func listenerURL(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return a.String()
	}
	host := tcp.IP.String()
	if tcp.IP == nil || tcp.IP.IsUnspecified() || tcp.IP.IsLoopback() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(tcp.Port))
}

func newLogger(w io.Writer, c config.Serve) *slog.Logger {
	var level slog.Level
	// The flag is an enum of the four level names, so parsing succeeds.
	_ = level.UnmarshalText([]byte(c.LogLevel))
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "text" || c.LogFormat == "" && c.Dev {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
