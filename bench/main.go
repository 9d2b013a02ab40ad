// Bench prints how near the program stands to the raw limit of the machine it runs on. Every figure is a ratio to a bare
// equivalent measured in the same run, in turn with it: on a shared machine an absolute time means nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"strings"
	"text/tabwriter"

	"vitrine/internal/databasetest"
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
	}
}

func main() {
	only := flag.String("only", "", "comma-separated names of the benchmarks to run: create, list, start, commit, million")
	engines := flag.String("engines", "sqlite,postgres", "the databases to measure")
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
	if err := run(ctx, strings.Split(*engines, ","), *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, engines []string, only string) error {
	dir, err := os.MkdirTemp("", "vitrine-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary, err := build(ctx, dir)
	if err != nil {
		return err
	}
	var all []figure
	for _, b := range benches() {
		if only != "" && !slices.Contains(strings.Split(only, ","), b.name) {
			continue
		}
		for _, engine := range engines {
			fmt.Fprintf(os.Stderr, "… %s on %s\n", b.name, engine)
			fresh, err := databasetest.CreateMigrated(ctx, engine, dir)
			if err != nil {
				return err
			}
			e := &environment{engine: engine, url: fresh.URL, dir: dir, binary: binary}
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
