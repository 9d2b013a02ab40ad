package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/transfer"
)

// transferLineInterval is the time between two progress lines if the output is not a terminal.
const transferLineInterval = 5 * time.Second

// standardStream stands for standard input or output instead of a file.
const standardStream = "-"

// transferFlags are what both commands take.
type transferFlags struct {
	config.Storage `embed:""`
	config.Files   `embed:""`

	PassphraseFile string `help:"A file with the passphrase (12 characters or more) with which the archive's secrets are encrypted: the secrets of webhooks, captcha, mail server and feeds. Needed only if the other installation has another secret key." placeholder:"FILE" type:"existingfile" env:"-"`
	JSON           bool   `help:"Print one JSON object and nothing else."`
	Quiet          bool   `help:"Show no progress." short:"q" env:"-"`
}

// passphrase returns the content of the file without surrounding space, or "".
func (f *transferFlags) passphrase() (string, error) {
	if f.PassphraseFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(f.PassphraseFile)
	if err != nil {
		return "", err
	}
	passphrase := strings.TrimSpace(string(text))
	if passphrase == "" {
		return "", fmt.Errorf("%s has no passphrase", f.PassphraseFile)
	}
	return passphrase, nil
}

// run calls fn with a service that shows its progress.
func (f *transferFlags) run(
	ctx context.Context, core *app.Core, o output, fn func(*transfer.Service) error,
) (err error) {
	display := newProgressDisplay(o.err, transferLineInterval)
	service, closeImages, err := core.OpenTransfer(ctx, f.Storage, f.Files, version, func(p transfer.Progress) {
		if f.Quiet {
			return
		}
		display.update(func(time.Time) progressStatus {
			line := formatCount(p.Images) + " images, " + formatCount(p.Rows) + " rows"
			return progressStatus{done: p.Images + p.Rows, total: -1, label: line, line: line}
		})
	})
	if err != nil {
		return err
	}

	err = fn(service)
	display.finish()
	return errors.Join(err, closeImages())
}

type storeExportCommand struct {
	transferFlags

	Store string `arg:"" optional:"" help:"Id of the store; not needed if there is only one."`
	To    string `help:"A new file, or - for standard output." placeholder:"FILE" required:"" env:"-"`
}

// Run exports a store. A server may be running on the same database.
func (c *storeExportCommand) Run(ctx context.Context, o output) error {
	passphrase, err := c.passphrase()
	if err != nil {
		return err
	}
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		shop, err := c.chooseStore(ctx, core)
		if err != nil {
			return err
		}

		var sum transfer.Summary
		err = c.run(ctx, core, o, func(s *transfer.Service) error {
			return c.write(o, func(w io.Writer) (err error) {
				sum, err = s.Export(ctx, shop.ID, w, passphrase)
				return err
			})
		})
		if err != nil {
			return err
		}

		report := o.out
		if c.To == standardStream {
			report = o.err
		}
		if c.JSON {
			return printJSON(report, sum)
		}

		fmt.Fprintf(report, "%s holds the store %s: %s rows and %s images (%s bytes).\n", c.To, sum.Name,
			formatCount(sum.Rows), formatCount(sum.Images.Files), formatCount(sum.Images.Bytes))
		printMissingImages(report, sum)
		fmt.Fprintln(report, "It has the personal data of customers: keep it as you keep a backup.\n"+
			"The store stays here as it is. Once it is imported elsewhere, stop this server for good, or remove the "+
			"store here with\nvitrine store remove: otherwise both send the same webhooks and mails.")
		return nil
	})
}

// chooseStore returns the named store, or the only one.
func (c *storeExportCommand) chooseStore(ctx context.Context, core *app.Core) (store.Store, error) {
	if c.Store == "" {
		stores, err := core.Stores.List(ctx)
		if err != nil {
			return store.Store{}, err
		}
		if len(stores) != 1 {
			return store.Store{}, fmt.Errorf("there are %d stores: give the id of one, such as vitrine store export "+
				"ID --to FILE; vitrine store list shows them", len(stores))
		}
		return stores[0], nil
	}

	return findStore(ctx, core, c.Store)
}

// findStore returns the store with an id.
func findStore(ctx context.Context, core *app.Core, argument string) (store.Store, error) {
	storeID, err := id.Parse[store.Store](argument)
	if err != nil {
		return store.Store{}, fmt.Errorf("%q is not the id of a store; vitrine store list shows them", argument)
	}
	return core.Stores.Find(ctx, storeID)
}

// write calls fn with the target. A file appears under its name once it is complete.
func (c *storeExportCommand) write(o output, fn func(io.Writer) error) (err error) {
	if c.To == standardStream {
		if isTerminal(o.out) {
			return errors.New("an archive is no text: send it to a file or a pipe, not to the terminal")
		}
		buffered := bufio.NewWriterSize(o.out, 1<<20)
		if err := fn(buffered); err != nil {
			return err
		}
		return buffered.Flush()
	}

	if _, err := os.Lstat(c.To); err == nil {
		return fmt.Errorf("%s exists already: name a new file", c.To)
	}
	file, err := os.CreateTemp(filepath.Dir(c.To), filepath.Base(c.To)+".*.part") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()

	buffered := bufio.NewWriterSize(file, 1<<20)
	err = fn(buffered)
	if err == nil {
		err = errors.Join(buffered.Flush(), file.Sync())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), c.To)
}

func printMissingImages(w io.Writer, sum transfer.Summary) {
	if sum.Images.Missing > 0 {
		fmt.Fprintf(w, "%s images have no file in the image storage; vitrine check lists them.\n",
			formatCount(sum.Images.Missing))
	}
}

type storeImportCommand struct {
	transferFlags

	From string `arg:"" help:"What vitrine store export wrote, or - for standard input."`
}

// Run imports a store. It creates the database if there is none. A server may be running on it.
func (c *storeImportCommand) Run(ctx context.Context, o output) error {
	passphrase, err := c.passphrase()
	if err != nil {
		return err
	}

	source := io.Reader(os.Stdin)
	if c.From != standardStream {
		file, err := os.Open(c.From)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		source = file
	}

	return withNewCore(ctx, c.Storage, o, func(core *app.Core) error {
		var sum transfer.Summary
		err := c.run(ctx, core, o, func(s *transfer.Service) (err error) {
			sum, err = s.Import(ctx, bufio.NewReaderSize(source, 1<<20), passphrase)
			return err
		})
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(o.out, sum)
		}

		fmt.Fprintf(o.out, "Imported the store %s with %s rows and %s images (%s bytes). Its keys, addresses and "+
			"passwords are the same.\n", sum.Name, formatCount(sum.Rows), formatCount(sum.Images.Files),
			formatCount(sum.Images.Bytes))
		if len(sum.Lost) > 0 {
			fmt.Fprintln(o.out, "This installation has another secret key, so its secrets were left out:")
		}
		printLost(o.out, sum.Lost)
		fmt.Fprintln(o.out, "Its webhooks, mails and background work go on here: do not let the former server go "+
			"on, too.")
		return nil
	})
}

type storeRemoveCommand struct {
	config.Storage `embed:""`
	config.Files   `embed:""`

	Store string `arg:"" help:"Id of the store."`
	Yes   bool   `help:"Remove the store. Without it, the command changes nothing." env:"-"`
}

// Run removes a store. A server may be running. A removal that is killed goes on when the command is repeated.
func (c *storeRemoveCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		shop, err := findStore(ctx, core, c.Store)
		if err != nil {
			return err
		}
		if !c.Yes {
			return fmt.Errorf("this removes the store %s with its catalogue, images, customers and orders for ever; "+
				"vitrine store export makes an archive of it. Run it with --yes", shop.Name)
		}

		service, closeImages, err := core.OpenTransfer(ctx, c.Storage, c.Files, version, nil)
		if err != nil {
			return err
		}
		rows, err := service.Remove(ctx, shop.ID)
		if err = errors.Join(err, closeImages()); err != nil {
			return err
		}
		fmt.Fprintf(o.out, "Removed the store %s with %s rows and its images.\n", shop.Name, formatCount(rows))
		return nil
	})
}
