package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"vitrine/internal/client/onec"
)

// onecPollDelay is the time between two import requests for the same file.
const onecPollDelay = 500 * time.Millisecond

type onecCommand struct {
	URL      string `help:"Address of the site's exchange, as it is entered in 1C; /v2/sync-gate/commerceml is added to an address without a path." default:"http://localhost:8080" env:"VITRINE_URL,VITRINE_TO" placeholder:"URL"`
	Login    string `help:"Login, as it is entered in 1C." default:"1c"`
	Password string `help:"Password, as it is entered in 1C: the exchange token. Better set as VITRINE_EXCHANGE_TOKEN." required:"" env:"VITRINE_EXCHANGE_TOKEN,VITRINE_TOKEN" placeholder:"xt_…"`

	Catalog     string `help:"Send the files of this directory: XML documents, and images in its folders." placeholder:"DIR"`
	Goods       int    `help:"Send a generated catalogue with this number of goods; 100 by default, unless --catalog or --orders is given." placeholder:"N"`
	Offers      int    `help:"Number of offers of each generated good, 1 to 20." default:"3" placeholder:"N"`
	Pictures    int    `help:"Number of generated goods with an image." default:"0" placeholder:"N"`
	Round       int    `help:"Number of the generated catalogue: another one has other prices, stock and some other names." default:"0" placeholder:"N"`
	Currency    string `help:"Currency of the generated prices, as 1C names it, such as руб. or RUB; by default they name none." placeholder:"NAME"`
	Keep        string `help:"Write the generated files to this directory and keep them." placeholder:"DIR"`
	Schema      string `help:"Version of the CommerceML schema. From 3 on, prices and stock are files of their own." default:"2.09" placeholder:"VERSION"`
	Windows1251 bool   `name:"windows-1251" help:"Generate files in windows-1251."`
	Changes     bool   `help:"The files are only what has changed: do not have the site deactivate other goods."`
	NoZip       bool   `name:"no-zip" help:"Send plain files also if the site takes archives."`
	BasicAlways bool   `help:"Send login and password with each request, as some versions of 1C do."`

	Orders    bool   `help:"Fetch the orders that the site has for 1C, after the catalogue if one is sent."`
	NoSuccess bool   `name:"no-success" help:"Do not confirm the fetched orders, as if 1C had failed to store them."`
	State     string `help:"Send the fetched orders back with this state, such as confirmed or Выполнен." placeholder:"STATE"`
	Quiet     bool   `help:"Print only errors and the fetched orders."`
}

// Help returns the text that --help prints in addition to the flags.
func (*onecCommand) Help() string {
	return `Exchanges with a site as 1C does, and prints the dialogue: to try out the settings of a store without 1C, and to see what a site does with files of yours.

docs/1c.md describes how to connect a real 1C.`
}

func (c *onecCommand) Validate() error {
	switch {
	case c.Catalog != "" && c.Goods > 0:
		return errors.New("give either --catalog or --goods")
	case c.Keep != "" && c.Catalog != "":
		return errors.New("--keep is for generated files")
	case (c.State != "" || c.NoSuccess) && !c.Orders:
		return errors.New("--state and --no-success go with --orders")
	}
	return nil
}

func (c *onecCommand) Run(ctx context.Context, o output) error {
	site := onec.Site{URL: c.exchangeURL(), Login: c.Login, Password: c.Password, Client: newAPIClient(),
		BasicAlways: c.BasicAlways}
	if !c.Quiet {
		site.Dialogue = func(t onec.Turn) { printTurn(o.err, t) }
	}
	if c.Catalog != "" || c.Goods > 0 || !c.Orders {
		if err := c.sendCatalog(ctx, site); err != nil {
			return err
		}
	}
	if !c.Orders {
		return nil
	}
	return c.exchangeOrders(ctx, site, o)
}

// exchangeURL returns the URL with the path of Vitrine's exchange, unless it has a path.
func (c *onecCommand) exchangeURL() string {
	u, err := url.Parse(c.URL)
	if err != nil || strings.Trim(u.Path, "/") != "" {
		return c.URL
	}
	return u.JoinPath("v2", "sync-gate", "commerceml").String()
}

func (c *onecCommand) sendCatalog(ctx context.Context, site onec.Site) (err error) {
	dir := c.Catalog
	if dir == "" {
		var remove func() error
		if dir, remove, err = c.generate(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
	}
	return site.Exchange(ctx, onec.Catalog{
		Directory: dir, Version: c.Schema, Complete: !c.Changes, NoZip: c.NoZip, PollDelay: onecPollDelay})
}

// generate writes the files to a new temporary directory, or to the directory of --keep. remove removes a temporary
// directory.
func (c *onecCommand) generate() (dir string, remove func() error, err error) {
	remove = func() error { return nil }
	if dir = c.Keep; dir != "" {
		err = os.MkdirAll(dir, 0o755)
	} else if dir, err = os.MkdirTemp("", "vitrine-1c-"); err == nil {
		remove = func() error { return os.RemoveAll(dir) }
	}

	if err != nil {
		return "", nil, err
	}

	g := onec.Generated{Goods: c.Goods, Offers: c.Offers, Version: c.Schema, Windows1251: c.Windows1251, Round: c.Round,
		Currency: c.Currency, Pictures: c.Pictures}
	if g.Goods == 0 {
		g.Goods = 100
	}

	if err := onec.Generate(dir, g); err != nil {
		return "", nil, errors.Join(err, remove())
	}

	return dir, remove, nil
}

func (c *onecCommand) exchangeOrders(ctx context.Context, site onec.Site, o output) error {
	var states []onec.State
	err := site.Orders(ctx, !c.NoSuccess, func(order onec.Order) error {
		states = append(states, onec.State{OrderID: order.ID, Number: order.Number, Name: c.State})
		_, err := fmt.Fprintf(o.out, "Order %s of %s: %s %s, %d lines, %s\n", order.Number, order.Date, order.Total,
			order.Currency, len(order.Lines), order.Customer)
		return err
	})
	if err != nil {
		return err
	}

	if len(states) == 0 {
		_, err = fmt.Fprintln(o.out, "The site has no new orders.")
		return err
	}

	if c.State == "" {
		return nil
	}

	return site.SendStates(ctx, states)
}

// printTurn prints a request and its response. It hides the value of the session's cookie, which is a secret.
func printTurn(w io.Writer, t onec.Turn) {
	fmt.Fprintf(w, "→ %s", t.Request)
	if t.Sent > 0 {
		fmt.Fprintf(w, " (%s bytes)", formatCount(t.Sent))
	}
	fmt.Fprintln(w)
	lines := t.Response
	if strings.Contains(t.Request, "mode=checkauth") && len(lines) > 2 {
		lines = append(append([]string{}, lines[:2]...), append([]string{"…"}, lines[3:]...)...)
	}
	if lines == nil {
		lines = []string{fmt.Sprintf("XML, %s bytes", formatCount(t.Received))}
	}
	fmt.Fprintf(w, "← %s  %s\n", strings.Join(lines, " | "), t.Duration.Round(time.Millisecond))
}
