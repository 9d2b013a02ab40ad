// Bench measures the program against the raw limit of the machine. Figures are ratios to a bare equivalent, which is
// measured in the same run and in turn with the program: on a shared machine absolute times are meaningless.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"vitrine/bench/admin"
	"vitrine/bench/attribute"
	"vitrine/bench/exchange"
	"vitrine/bench/harness"
	"vitrine/bench/mixed"
	"vitrine/bench/order"
	"vitrine/bench/process"
	"vitrine/bench/relevance"
	"vitrine/bench/storefront"
	"vitrine/bench/webhook"
	"vitrine/internal/testkit/databasetest"
)

// benchmark is one benchmark. run measures on one engine.
type benchmark struct {
	name string
	run  func(ctx context.Context, e *harness.Environment) ([]harness.Figure, error)
}

func benchmarks() []benchmark {
	return []benchmark{
		{"create", attribute.CreateOption},
		{"list", attribute.ListOptions},
		{"start", process.Start},
		{"rest", process.Rest},
		{"commit", attribute.GroupCommit},
		{"million", attribute.Growth},
		{"facets", storefront.Facets},
		{"pages", storefront.Pages},
		{"addresses", storefront.Addresses},
		{"feed", storefront.Feeds},
		{"prices", storefront.Prices},
		{"adminproducts", admin.Products},
		{"adminsheet", admin.Sheet},
		{"columns", storefront.BuildColumns},
		{"restart", process.Restart},
		{"follow", storefront.ReadAfterWrite},
		{"words", storefront.Words},
		{"search", storefront.Search},
		{"relevance", relevance.Relevance},
		{"mixed", mixed.Traffic},
		{"push", exchange.Push},
		{"listprices", exchange.ListPrices},
		{"priceevents", exchange.PriceEvents},
		{"slugs", exchange.Slugs},
		{"pushmemory", exchange.PushMemory},
		{"pushreads", mixed.ReadsDuringPush},
		{"commerceml", exchange.CommerceML},
		{"pricetypes", exchange.PriceTypes},
		{"export", exchange.Export},
		{"atomic", mixed.AtomicPush},
		{"fairness", mixed.Fairness},
		{"deletions", mixed.Deletions},
		{"submit", order.Submit},
		{"adminorders", admin.Orders},
		{"captcha", order.Captcha},
		{"overload", mixed.Overload},
		{"guards", mixed.Guards},
		{"deliver", webhook.DrainBacklog},
		{"deliversteady", webhook.SteadyEvents},
		{"delivernodes", webhook.EventsAcrossNodes},
		{"deliverdead", webhook.DeadReceivers},
		{"admindeliveries", admin.Deliveries},
	}
}

// benchmarkNames returns the names of all benchmarks.
func benchmarkNames() string {
	var names []string
	for _, b := range benchmarks() {
		names = append(names, b.name)
	}
	return strings.Join(names, ", ")
}

// settings are the command-line flags.
type settings struct {
	only       string
	engines    []string
	sizes      []int // numbers of products in the filled stores
	pushSizes  []int // numbers of products to push
	keepDir    string
	facetsPlot string
	pushPlot   string
	mixed      harness.MixedSettings
	priceLists int
}

func main() {
	var set settings
	flag.StringVar(&set.only, "only", "", "comma-separated names of the benchmarks to run: "+benchmarkNames())
	engines := flag.String("engines", "sqlite,postgres", "the databases to measure")
	products := flag.String("products", "",
		"comma-separated numbers of products to list and to push; by default 10000,100000,1000000, and 1000 to push")
	flag.StringVar(&set.keepDir, "keep", "", "directory that keeps the filled stores for the next run")
	flag.StringVar(&set.facetsPlot, "plot", "", "draw the results of facets to this SVG file")
	flag.StringVar(&set.pushPlot, "plot-push", "", "draw the results of push to this SVG file")
	flag.StringVar(&set.mixed.Plot, "plot-mixed", "", "draw the requests per second of mixed to this SVG file")
	flag.StringVar(&set.mixed.LatencyPlot, "plot-mixed-p99", "", "draw the response times of mixed to this SVG file")
	flag.DurationVar(&set.mixed.Phase, "phase", 10*time.Second, "how long each phase of mixed lasts")
	flag.IntVar(&set.priceLists, "price-lists", 20, "number of price lists that prices creates")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the run to this file")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}

		if err := pprof.StartCPUProfile(f); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		defer pprof.StopCPUProfile()
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	set.engines = strings.Split(*engines, ",")
	err := set.parseSizes(*products)
	if err == nil && set.mixed.Phase < mixed.MinPhase {
		err = fmt.Errorf("-phase must be at least %s", mixed.MinPhase)
	}

	if err == nil && set.priceLists < storefront.MinPriceLists {
		err = fmt.Errorf("-price-lists must be at least %d", storefront.MinPriceLists)
	}

	if err == nil {
		err = run(ctx, set)
	}

	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parseSizes parses the flag -products.
func (set *settings) parseSizes(text string) (err error) {
	listed, pushed := text, text
	if text == "" {
		listed = "10000,100000,1000000"
		pushed = "1000,10000,100000,1000000"
	}
	if set.sizes, err = parseSizeList(listed); err != nil {
		return err
	}
	set.pushSizes, err = parseSizeList(pushed)
	slices.Sort(set.pushSizes)
	return err
}

func run(ctx context.Context, set settings) (err error) {
	dir, err := os.MkdirTemp("", "vitrine-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()

	fmt.Fprintln(os.Stderr, "… compiling the program")
	binary, err := harness.BuildBinary(ctx, dir)
	if err != nil {
		return err
	}

	shops := harness.NewFilledStores(cmp.Or(set.keepDir, dir), set.sizes)
	defer func() { err = errors.Join(err, shops.DropCopies(context.WithoutCancel(ctx))) }()

	pushes := &harness.PushSettings{Sizes: set.pushSizes, Plot: harness.NewPushPlot()}
	mixed := set.mixed
	mixed.Rates, mixed.Latencies = harness.NewMixedPlot(), harness.NewMixedLatencyPlot()
	var all []harness.Figure

	for _, b := range benchmarks() {
		if set.only != "" && !slices.Contains(strings.Split(set.only, ","), b.name) {
			continue
		}

		for _, engine := range set.engines {
			fmt.Fprintf(os.Stderr, "… %s on %s\n", b.name, engine)
			fresh, err := databasetest.CreateMigrated(ctx, engine, dir)
			if err != nil {
				return err
			}

			e := &harness.Environment{
				Engine: engine, URL: fresh.URL, Dir: dir, Binary: binary, Stores: shops, Pushes: pushes,
				Mixed: &mixed, PriceLists: set.priceLists,
			}
			figures, err := b.run(ctx, e)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", b.name, engine, err)
			}

			all = append(all, figures...)
			if err := fresh.Drop(ctx); err != nil {
				return err
			}
		}
	}

	if set.facetsPlot != "" {
		if err := shops.Plot.Write(set.facetsPlot); err != nil {
			return err
		}
	}

	if set.pushPlot != "" {
		if err := pushes.Plot.Write(set.pushPlot); err != nil {
			return err
		}
	}

	if err := mixed.WritePlots(); err != nil {
		return err
	}

	return printTable(all)
}

func printTable(all []harness.Figure) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT\tDATABASE\tOURS\tRAW LIMIT\tRATIO\tAIM\t")
	for _, f := range all {
		ratio := "–"
		if f.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", f.Ratio)
		}
		mark := ""
		if f.Aim != "" && !f.Met {
			mark = "missed"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.Name, f.Engine, f.Ours, f.Raw, ratio, f.Aim, mark)
	}
	return w.Flush()
}

// parseSizeList parses a comma-separated list of numbers of products.
func parseSizeList(text string) ([]int, error) {
	var sizes []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < harness.PicturedProducts {
			return nil, fmt.Errorf("-products must be comma-separated numbers of at least %d; %q is not",
				harness.PicturedProducts, part)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}
