package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine/internal/client/onec"
)

// onecPollDelay is the time between two import requests for the same file.
const onecPollDelay = 500 * time.Millisecond

type onecCommand struct {
	URL      string `aliases:"to" help:"Address of the site's exchange, as it is entered in 1C; /v2/sync-gate/commerceml is added to an address without a path." default:"http://localhost:8080" env:"VITRINE_URL,VITRINE_TO" placeholder:"URL"`
	Login    string `help:"Login, as it is entered in 1C." default:"1c"`
	Password string `help:"Password, as it is entered in 1C: the exchange token. Better set as VITRINE_EXCHANGE_TOKEN." required:"" env:"VITRINE_EXCHANGE_TOKEN,VITRINE_TOKEN" placeholder:"xt_…"`

	Catalog     string `help:"Send the files of this directory: XML documents, and images in its folders." placeholder:"DIR"`
	Goods       int    `help:"Send a generated catalogue with this number of goods; 100 by default, unless --catalog or --orders is given." placeholder:"N"`
	Offers      int    `help:"Number of offers of each generated good, 1 to 20." default:"3" placeholder:"N"`
	Pictures    int    `help:"Number of generated goods with an image." default:"0" placeholder:"N"`
	Round       int    `help:"Number of the generated catalogue: another one has other prices, stock and some other names." default:"0" placeholder:"N"`
	Style       string `help:"How 1C writes: ut11 as УТ 11 does (totals and only warehouses that have some, currencies, barcodes, units, VAT; orders under ids of 1C), ut10 as old configurations do (no quantity of what is sold out), explicit with every warehouse and the site's ids." default:"ut11" enum:"ut11,ut10,explicit"`
	Portion     int    `help:"Send a generated catalogue in portions of this number of goods, each in an exchange of its own, as УТ 11 does; 0 sends all at once." default:"1000" placeholder:"N"`
	Currency    string `help:"Currency of the generated prices, as 1C names it, such as руб. or RUB; by default руб in the style ut11, else they name none." placeholder:"NAME"`
	Keep        string `help:"Write the generated files to this directory and keep them." placeholder:"DIR"`
	Schema      string `help:"Version of the CommerceML schema. From 3 on, prices and stock are files of their own." default:"2.09" placeholder:"VERSION"`
	Windows1251 bool   `name:"windows-1251" help:"Generate files in windows-1251."`
	Changes     bool   `help:"The files are only what has changed: do not have the site deactivate other goods."`
	NoZip       bool   `name:"no-zip" help:"Send plain files also if the site takes archives."`
	BasicAlways bool   `help:"Send login and password with each request, as some versions of 1C do."`

	Orders    bool   `help:"Fetch the orders that the site has for 1C, after the catalogue if one is sent."`
	NoSuccess bool   `name:"no-success" help:"Do not confirm the fetched orders, as if 1C had failed to store them."`
	State     string `help:"Send the fetched orders back with this state: posted, paid, shipped or cancelled in the style ut11; in others a name such as confirmed or Выполнен." placeholder:"STATE"`
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
	case c.Portion < 0:
		return errors.New("--portion is a number of goods, or 0")
	case (c.State != "" || c.NoSuccess) && !c.Orders:
		return errors.New("--state and --no-success go with --orders")
	}
	if onec.Style(c.Style) == onec.UT11 && c.State != "" {
		_, err := onec.PostedState(onec.Order{}, c.State)
		return err
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
	files := onec.Catalog{Directory: c.Catalog, Version: c.Schema, Complete: !c.Changes, NoZip: c.NoZip,
		PollDelay: onecPollDelay}
	if c.Catalog != "" {
		return site.Exchange(ctx, files)
	}

	goods := cmp.Or(c.Goods, defaultGoods)
	portion := cmp.Or(c.Portion, goods)
	for first := 0; first < goods; first += portion {
		files.MoreFollows = first+portion < goods
		if err := c.sendPortion(ctx, site, files, first, min(portion, goods-first)); err != nil {
			return err
		}
	}

	return nil
}

// sendPortion generates a part of the catalogue and sends it.
func (c *onecCommand) sendPortion(
	ctx context.Context, site onec.Site, files onec.Catalog, first, goods int,
) (err error) {
	dir, remove, err := c.generate(first, goods)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()

	files.Directory = dir
	return site.Exchange(ctx, files)
}

// defaultGoods is the number of goods of a generated catalogue.
const defaultGoods = 100

// generate writes the files of some goods to a new temporary directory, or to the directory of --keep, where each
// further portion has a directory of its own. remove removes a temporary directory.
func (c *onecCommand) generate(first, goods int) (dir string, remove func() error, err error) {
	remove = func() error { return nil }
	if dir = c.Keep; dir != "" {
		if first > 0 {
			dir = filepath.Join(dir, fmt.Sprintf("from-%d", first))
		}
		err = os.MkdirAll(dir, 0o755)
	} else if dir, err = os.MkdirTemp("", "vitrine-1c-"); err == nil {
		remove = func() error { return os.RemoveAll(dir) }
	}

	if err != nil {
		return "", nil, err
	}

	g := onec.Generated{Style: onec.Style(c.Style), First: first, Goods: goods, Offers: c.Offers, Version: c.Schema,
		Windows1251: c.Windows1251, Round: c.Round, Currency: c.Currency, Pictures: c.Pictures}
	if err := onec.Generate(dir, g); err != nil {
		return "", nil, errors.Join(err, remove())
	}

	return dir, remove, nil
}

func (c *onecCommand) exchangeOrders(ctx context.Context, site onec.Site, o output) error {
	var states []onec.State
	err := site.Orders(ctx, !c.NoSuccess, func(order onec.Order) error {
		state := onec.State{OrderID: order.ID, Number: order.Number, Name: c.State}
		if onec.Style(c.Style) == onec.UT11 && c.State != "" {
			var err error
			if state, err = onec.PostedState(order, c.State); err != nil {
				return err
			}
		}

		states = append(states, state)
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
