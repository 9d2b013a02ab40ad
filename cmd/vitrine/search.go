package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// The limits of a search: the products that it prints, and the bytes of the columns, which it builds for itself.
const (
	maxPrintedHits = 1000
	commandColumns = 1 << 40
)

type searchCommand struct {
	config.Storage `embed:""`

	Query   string `arg:"" help:"What people type."`
	Store   string `help:"Id of the store; not needed if there is only one." placeholder:"ID"`
	Limit   int64  `help:"How many products to print, at most 1000." default:"10" env:"-"`
	Explain bool   `help:"Say for each product why it stands where it stands: how each word of the query matches, in which field, and what that costs. The products with the least cost come first." env:"-"`
}

// Run searches as GET /v2/products does with q, for a reader without price lists. A server may be running on the same
// database. The command reads the whole catalogue.
func (c *searchCommand) Run(ctx context.Context, o output) error {
	if strings.TrimSpace(c.Query) == "" {
		return fault.New(fault.Invalid, "query_required", "The query is empty.")
	}
	if c.Limit < 1 || c.Limit > maxPrintedHits {
		return fault.New(fault.Invalid, "invalid_limit", "--limit must be between 1 and %d.", maxPrintedHits)
	}

	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		shop, err := chooseStore(ctx, core, c.Store)
		if err != nil {
			return err
		}

		products := catalog.New(catalog.Deps{Now: core.Now}).Products
		service := search.New(search.Deps{DB: core.DB, Products: products, Log: slog.New(slog.DiscardHandler),
			Memory: commandColumns})
		var found search.Result
		var list []catalog.Product
		err = core.DB.Snapshot(ctx, func(q database.Querier) error {
			tx := store.In(q, shop.ID)
			current, err := service.Versions(ctx, tx)
			if err != nil {
				return err
			}
			found, err = service.Explain(ctx, tx,
				search.Query{Text: c.Query, Sort: search.ByRelevance, Limit: c.Limit}, current)
			if err != nil {
				return err
			}
			list, err = products.ByKeys(ctx, tx, found.Keys)
			return err
		})
		if err != nil {
			return err
		}

		fmt.Fprintln(o.out, describeSearch(&found))
		if !c.Explain {
			return printFound(o, shop, list)
		}
		return printExplained(o, shop, list, found.Text.Hits)
	})
}

// describeSearch says in a line how a query was understood.
func describeSearch(found *search.Result) string {
	if found.Total == 0 {
		return "Nothing was found."
	}

	text := found.Text
	line := fmt.Sprintf("%s found, matched: %s", formatCount(found.Total), text.Matched)
	if text.Corrected != "" {
		line += fmt.Sprintf(", understood as %q", text.Corrected)
	}
	if len(text.Dropped) > 0 {
		line += fmt.Sprintf(", without %q", strings.Join(text.Dropped, " "))
	}
	return line + fmt.Sprintf(", looked up to the stage %s.", text.Stage)
}

func printFound(o output, shop store.Store, list []catalog.Product) error {
	if len(list) == 0 {
		return nil
	}
	rows := [][]string{{"#", "ID", "PRICE", "NAME"}}
	for i, p := range list {
		rows = append(rows, []string{strconv.Itoa(i + 1), p.ID.String(), priceText(p, shop), p.Name})
	}
	return writeTable(o.out, rows)
}

// priceText returns the lowest price of a product.
func priceText(p catalog.Product, shop store.Store) string {
	if p.PriceFrom == nil {
		return "-"
	}
	return money.NewPrice(*p.PriceFrom).Text() + " " + shop.Currency
}

// printExplained prints each product with a line for each word of the query.
func printExplained(o output, shop store.Store, list []catalog.Product, hits []search.Hit) error {
	for i, p := range list {
		h := hits[i]
		fmt.Fprintf(o.out, "\n%d. %s, %s, %s\n   %s\n", i+1, p.Name, priceText(p, shop), p.ID, describeHit(h))
		rows := [][]string{{"   WORD", "MATCH", "BY", "IN", "COST"}}
		for _, w := range h.Words {
			rows = append(rows, []string{"   " + w.Typed, describeMatch(w), cmp.Or(strings.Join(w.By, ", "), "-"),
				cmp.Or(string(w.Where), "-"), strconv.Itoa(w.Cost)})
		}
		if err := writeTable(o.out, rows); err != nil {
			return err
		}
	}
	return nil
}

// describeHit returns the parts of a rank in the order of their importance.
func describeHit(h search.Hit) string {
	var parts []string
	if h.IsPinned {
		parts = append(parts, "pinned")
	}
	if h.IsCode {
		parts = append(parts, "the query is a code of it")
	}

	parts = append(parts, fmt.Sprintf("cost %d", h.Cost))
	if h.IsNamed() {
		parts = append(parts, fmt.Sprintf("distance %d", h.Distance))
	} else {
		parts = append(parts, "no word in the name")
	}

	available := "available"
	if !h.IsAvailable {
		available = "out of stock or without a price"
	}
	return strings.Join(append(parts, fmt.Sprintf("other forms %d", h.Forms), available,
		fmt.Sprintf("ordered %d", h.Ordered)), "; ")
}

// describeMatch says how a word matches, and what it was taken for.
func describeMatch(w search.WordHit) string {
	switch {
	case w.How == "" && w.Optional:
		return "no, says little"
	case w.How == "":
		return "no"
	case w.Read != "":
		return string(w.How) + " of " + w.Read
	default:
		return string(w.How)
	}
}
