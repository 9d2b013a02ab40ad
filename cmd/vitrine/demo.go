package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"vitrine/internal/app"
	"vitrine/internal/demo"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// defaultPictures is the default of --pictures. Images take longer than all other data.
const defaultPictures = 1000

// demoOrders is the number of orders that --orders adds.
const demoOrders = 240

// demoLineInterval is the time between two progress lines of vitrine demo if the output is not a terminal.
const demoLineInterval = 10 * time.Second

type demoCommand struct {
	config.Storage `embed:""`
	config.Files   `embed:""`

	Products int    `help:"Number of demo products in the store." default:"1000" placeholder:"N"`
	Language string `help:"Language of the catalogue: en or ru. Each has products of its own; a store can have both." enum:"en,ru" default:"en"`
	Seed     uint64 `help:"Seed of the catalogue; the same seed gives the same products." default:"1" placeholder:"S"`
	Store    string `help:"Id of the store; not needed if there is only one. If there is none, the first one is created." placeholder:"ID"`
	Orders   bool   `help:"Also add customers, orders in all states and inquiries, spread over the last three months. A store with more than 20 orders gets none."`
	Pictures *int   `help:"Number of products with images; at most 1000 by default." placeholder:"M"`
}

func (c *demoCommand) pictures() int {
	if c.Pictures != nil {
		return min(*c.Pictures, c.Products)
	}
	return min(defaultPictures, c.Products)
}

// Run fills a store. A server may be running on the same database. Data of an earlier run is not created again.
func (c *demoCommand) Run(ctx context.Context, o output) error {
	if c.Products < 1 {
		return fault.New(fault.Invalid, "invalid_products", "--products must be 1 or more; %d is not.", c.Products)
	}
	if c.pictures() < 0 {
		return fault.New(fault.Invalid, "invalid_pictures", "--pictures must be 0 or more; %d is not.", *c.Pictures)
	}
	return withNewCore(ctx, c.Storage, o, func(core *app.Core) error {
		files, blobs, err := core.OpenImages(ctx, c.Storage, c.Files, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		return errors.Join(c.fill(ctx, core, files, o), blobs.Close())
	})
}

func (c *demoCommand) fill(ctx context.Context, core *app.Core, files *imagefile.Files, o output) error {
	key, s, err := c.store(ctx, core, o)
	if err != nil {
		return err
	}

	barOptions := []progressbar.Option{progressbar.OptionShowCount(), progressbar.OptionShowIts()}
	products := newProgressDisplay(o.err, demoLineInterval, barOptions...)
	pictures := newProgressDisplay(o.err, demoLineInterval, barOptions...)
	start := time.Now()
	var took time.Duration // time to create the products

	report, err := demo.Fill(ctx, core.DB, catalog.New(catalog.Deps{Now: core.Now}), s.ID, demo.Options{
		Products: c.Products, Language: demo.Language(c.Language), Seed: c.Seed, Pictures: c.pictures(),
		Files: files, Stores: core.Stores,
		Progress: func(done int) {
			took = time.Since(start)
			products.update(countStatus(done, c.Products, "products"))
		},
		PictureProgress: func(done int) {
			products.finish()
			pictures.update(countStatus(done, c.pictures(), "products with images"))
		},
	})

	products.finish()
	pictures.finish()

	if err != nil {
		return c.interrupted(ctx, o, report, err)
	}

	group := access.GroupID(report.Wholesale)
	siteKey, err := wholesaleKey(ctx, core, s.ID, group)
	if err != nil {
		return err
	}

	ordersText, err := c.fillOrders(ctx, core, s, o)
	if err != nil {
		return err
	}

	fmt.Fprint(o.out, c.summary(s, report, took))
	fmt.Fprint(o.out, ordersText)
	fmt.Fprint(o.out, c.otherSettings(s))
	first := c.firstRun(s.ID)
	if key == "" {
		key = first.PublishableKey
	}
	fmt.Fprint(o.out, demoNextSteps(first.APIURL, key, report.Sample))
	fmt.Fprint(o.out, wholesaleSteps(first, siteKey, group))
	return nil
}

// fillOrders adds orders, customers and inquiries if --orders is given, and returns a text about them.
func (c *demoCommand) fillOrders(ctx context.Context, core *app.Core, s store.Store, o output) (string, error) {
	if !c.Orders {
		return "", nil
	}

	progress := newProgressDisplay(o.err, demoLineInterval, progressbar.OptionShowCount(), progressbar.OptionShowIts())
	r, err := demo.FillOrders(ctx, core.DB, catalog.New(catalog.Deps{Now: core.Now}), s.ID, demo.OrderOptions{
		Products: c.Products, Language: demo.Language(c.Language), Seed: c.Seed, Orders: demoOrders, Now: core.Now(),
		Stores:   core.Stores,
		Progress: func(done int) { progress.update(countStatus(done, demoOrders, "orders")) },
	})
	progress.finish()
	if err != nil {
		return "", err
	}

	if r.Existed {
		return "  skipped  the orders, since the store has some already\n", nil
	}
	return fmt.Sprintf("  placed   %d orders of the last three months, %d customers, %d inquiries\n", r.Orders,
		r.Customers, r.Inquiries), nil
}

// firstRun returns the addresses of the server and, if the store is the one that the first run created, its keys.
func (c *demoCommand) firstRun(id store.ID) app.FirstRun {
	first, err := app.LoadFirstRun(c.Data)
	switch {
	case err != nil:
		return app.FirstRun{APIURL: defaultAPIURL, AdminURL: defaultAdminURL}
	case first.StoreID != id:
		return app.FirstRun{APIURL: first.APIURL, AdminURL: first.AdminURL}
	default:
		return first
	}
}

// wholesaleKey creates a publishable key with the prices of a customer group. If the store has such a key, it returns
// "".
func wholesaleKey(
	ctx context.Context, core *app.Core, storeID store.ID, group access.GroupID,
) (token string, err error) {
	err = core.DB.Write(ctx, func(q database.Querier) error {
		tx := byCommand(core, q, storeID)
		keys, err := core.Access.Keys(ctx, tx)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if key.GroupID != nil && *key.GroupID == group && key.Active(core.Now()) {
				return nil
			}
		}

		newKey := access.NewKey{Kind: access.PublishableKey, Name: "Wholesale site (demo)", GroupID: &group}
		_, token, err = core.Access.CreateKey(ctx, tx, newKey)
		return err
	})
	return token, err
}

// wholesaleSteps returns a text that says how to see the wholesale prices. key is "" if an earlier run has printed it.
func wholesaleSteps(at app.FirstRun, key string, group access.GroupID) string {
	text := fmt.Sprintf(`See what wholesale customers see, and which price list each price comes from:
  %s/storefront?group=%s

`, at.AdminURL, group)
	if key == "" {
		return text
	}
	return text + fmt.Sprintf(`Open the demo storefront with wholesale prices (vitrine serve --dev must be running):
  %s/demo#key=%s

`, at.APIURL, key)
}

// store returns the store to fill. If it creates the first store, it saves all keys, prints them on a terminal, and
// returns the publishable key.
func (c *demoCommand) store(ctx context.Context, core *app.Core, o output) (key string, s store.Store, err error) {
	if c.Store == "" {
		var created *account.ProvisionedStore
		if created, err = core.FirstStore(ctx, demo.Language(c.Language).StoreSettings()); err != nil {
			return "", store.Store{}, err
		}
		if created != nil {
			key = created.PublishableKey
			saveErr := saveFirstRun(c.Data, created, defaultAPIURL, defaultAdminURL)
			if saveErr != nil {
				fmt.Fprintln(o.err, "could not save the first run's keys for vitrine env:", saveErr)
			}

			if !isTerminal(o.out) {
				printFirstRunFile(o.out, c.Data, saveErr)
			} else if err := printStore(o, *created, savedKeys(c.Data, saveErr)); err != nil {
				return "", store.Store{}, err
			}
		}
	}

	s, err = chooseStore(ctx, core, c.Store)
	return key, s, err
}

func (c *demoCommand) interrupted(ctx context.Context, o output, r demo.Report, err error) error {
	progress := fmt.Sprintf("%d of %d products exist. Run the same command to continue.", r.Created+r.Existing,
		c.Products)
	if ctx.Err() != nil {
		return fault.New(fault.Unavailable, "interrupted", "Interrupted: %s", progress)
	}
	fmt.Fprintln(o.err, progress)
	return err
}

func (c *demoCommand) summary(s store.Store, r demo.Report, took time.Duration) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (store %s) has the first %d products of the demo.\n", s.Name, s.ID, r.Created+r.Existing)
	if r.Created > 0 {
		fmt.Fprintf(&text, "  made     %d products with %d variants in %s, %.0f products/s\n", r.Created, r.Variants,
			took.Round(time.Millisecond), float64(r.Created)/took.Seconds())
	}
	if r.Pictures > 0 {
		fmt.Fprintf(&text, "  drew     %d pictures\n", r.Pictures)
	}
	if r.Existing > 0 {
		fmt.Fprintf(&text, "  skipped  %d products that already existed\n", r.Existing)
	}
	return text.String()
}

// otherSettings returns a text that says which settings of the store do not go with the catalogue, or "". The demo
// does not change the settings of a store that exists.
func (c *demoCommand) otherSettings(s store.Store) string {
	wanted := demo.Language(c.Language).StoreSettings()
	other := func(wanted *string, is string) bool { return wanted != nil && *wanted != is }
	if !other(wanted.Locale, s.Locale) && !other(wanted.Currency, s.Currency) {
		return ""
	}

	return fmt.Sprintf("  note     the products are in Russian, with prices in roubles; the store has the\n"+
		"           language %s and the currency %s, which the demo does not change. See Settings.\n",
		s.Locale, s.Currency)
}

// demoNextSteps returns a text with commands to try.
func demoNextSteps(apiURL, key string, s demo.Sample) string {
	filters := []string{"category=" + s.Category.String()}
	if !s.Colour.IsZero() {
		colours := make([]string, 0, len(s.Colours))
		for _, v := range s.Colours {
			colours = append(colours, v.String())
		}
		filters = append(filters, fmt.Sprintf("feature=%s:%s", s.Colour, strings.Join(colours, ",")))
	}

	if !s.Weight.IsZero() {
		filters = append(filters, fmt.Sprintf("feature=%s:..1.5", s.Weight))
	}

	filters = append(filters, fmt.Sprintf("price=..%d", s.PriceTo), "in_stock=true", "sort=price", "per_page=5",
		"with=facets")
	hint := ""
	if key == "" {
		key = "$KEY"
		hint = "Set KEY to a key of this store: vitrine env shows those of the first store, and\n" +
			"vitrine key create --kind publishable creates one.\n"
	}

	return fmt.Sprintf(`
%sRead a category as a storefront would, filtered, with counts (vitrine serve must be running):
  curl -s "%s/v2/products?%s" -H "Authorization: Bearer %s"

Find products by name:
  curl -s "%s/v2/products?q=%s&per_page=5&with=variants,features,images" -H "Authorization: Bearer %s"

`, hint, apiURL, strings.Join(filters, "&"), key, apiURL, url.QueryEscape(s.Word), key)
}
