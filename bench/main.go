// Bench prints how near the program stands to the raw limit of the machine it runs on. Every figure is a ratio to a bare
// equivalent measured in the same run, in turn with it: on a shared machine an absolute time means nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"strings"
	"text/tabwriter"

	"vitrine/internal/testkit/databasetest"
)

// figure is one measured line.
type figure struct {
	name   string
	engine string
	ours   string
	raw    string
	ratio  float64 // 0 where there is none
	aim    string
	met    bool
}

// bench is one benchmark; it measures on one engine.
type bench struct {
	name string
	run  func(ctx context.Context, e *environment) ([]figure, error)
}

func benches() []bench {
	return []bench{
		{"create", createOption},
		{"list", listOptions},
		{"start", startAndRest},
		{"commit", shareCommits},
		{"million", growToAMillion},
		{"facets", countFacets},
		{"listing", listProducts},
		{"columns", buildColumns},
		{"follow", followWrites},
		{"push", pushProducts},
		{"pushmemory", pushInMemory},
		{"pushreads", readBesidePush},
		{"submit", submitOrders},
		{"captcha", submitWithCaptcha},
		{"deliver", drainBacklog},
		{"deliversteady", steadyEvents},
		{"deliverdead", besideDead},
	}
}

// settings are what the command line says.
type settings struct {
	only     string
	engines  []string
	products []int // how many each of the shops with products has
	pushed   []int // how many products are pushed
	keep     string
	plot     string
	plotPush string
}

func main() {
	var set settings
	flag.StringVar(&set.only, "only", "", "comma-separated names of the benchmarks to run: create, list, start, commit, million; of products: facets, listing, columns, follow; of the exchange gate: push, pushmemory, pushreads; of orders: submit, captcha; of webhooks: deliver, deliversteady, deliverdead")
	engines := flag.String("engines", "sqlite,postgres", "the databases to measure")
	products := flag.String("products", "", "how many products the shops have that are listed, and how many are pushed; by default 10000,100000,1000000, before which 1000 are pushed")
	flag.StringVar(&set.keep, "keep", "", "folder in which the filled shops stay, for the next run to find")
	flag.StringVar(&set.plot, "plot", "", "draw the figures of facets to this SVG file")
	flag.StringVar(&set.plotPush, "plot-push", "", "draw those of push to this one")
	profile := flag.String("cpuprofile", "", "write a CPU profile of everything to this file")
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
	err := set.readProducts(*products)
	if err == nil {
		err = run(ctx, set)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// readProducts reads the numbers of products.
func (set *settings) readProducts(text string) (err error) {
	listed, pushed := text, text
	if text == "" {
		listed, pushed = "10000,100000,1000000", "1000,10000,100000,1000000"
	}
	if set.products, err = readSizes(listed); err != nil {
		return err
	}
	set.pushed, err = readSizes(pushed)
	slices.Sort(set.pushed)
	return err
}

func run(ctx context.Context, set settings) (err error) {
	dir, err := os.MkdirTemp("", "vitrine-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary, err := build(ctx, dir)
	if err != nil {
		return err
	}
	shops := newShops(dir, set)
	defer func() { err = errors.Join(err, shops.drop(context.WithoutCancel(ctx))) }()
	pushes := &pushes{sizes: set.pushed, plot: newPushPlot()}
	var all []figure
	for _, b := range benches() {
		if set.only != "" && !slices.Contains(strings.Split(set.only, ","), b.name) {
			continue
		}
		for _, engine := range set.engines {
			fmt.Fprintf(os.Stderr, "… %s on %s\n", b.name, engine)
			fresh, err := databasetest.CreateMigrated(ctx, engine, dir)
			if err != nil {
				return err
			}
			e := &environment{engine: engine, url: fresh.URL, dir: dir, binary: binary, shops: shops, pushes: pushes}
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
	if set.plot != "" {
		if err := shops.plot.write(set.plot); err != nil {
			return err
		}
	}
	if set.plotPush != "" {
		if err := pushes.plot.write(set.plotPush); err != nil {
			return err
		}
	}
	return show(all)
}

func show(all []figure) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT\tDATABASE\tOURS\tRAW LIMIT\tRATIO\tAIM\t")
	for _, f := range all {
		ratio := "–"
		if f.ratio > 0 {
			ratio = fmt.Sprintf("%.2f", f.ratio)
		}
		mark := ""
		if f.aim != "" && !f.met {
			mark = "missed"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.name, f.engine, f.ours, f.raw, ratio, f.aim, mark)
	}
	return w.Flush()
}
