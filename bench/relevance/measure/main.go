// Measure runs the labelled queries of package relevance against a new server and prints a table of their quality.
//
//	go run ./bench/relevance/measure                            the table of all groups
//	go run ./bench/relevance/measure -group typos,forms -v      with each query that missed, and what came instead
//	go run ./bench/relevance/measure -language ru -match лампа  only queries of a language, with a text
//	go run ./bench/relevance/measure -ask 'красная лампа'       what both stores answer to a text
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"vitrine/bench/relevance"
	"vitrine/internal/kit/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	groups := flag.String("group", "", "comma-separated groups: "+strings.Join(relevance.Groups(), ", "))
	language := flag.String("language", "", "en or ru")
	match := flag.String("match", "", "only queries that contain this text")
	verbose := flag.Bool("v", false, "print each query that missed, with what came instead")
	ask := flag.String("ask", "", "print what both stores answer to this text, and nothing else")
	products := flag.Int("products", relevance.Products, "number of products in each store")
	flag.Parse()

	dir, err := os.MkdirTemp("", "vitrine-relevance-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()

	shops, err := relevance.Open(ctx, config.Storage{Data: dir}, *products)
	if err != nil {
		return err
	}

	if *ask != "" {
		return errors.Join(shops.Ask(os.Stdout, *ask), shops.Close())
	}

	result, err := shops.Run(func(l relevance.Label) bool {
		return (*groups == "" || slices.Contains(strings.Split(*groups, ","), l.Group)) &&
			(*language == "" || l.Language == *language) && strings.Contains(l.Query, *match)
	})
	if err := errors.Join(err, shops.Close()); err != nil {
		return err
	}

	if *verbose {
		for i := range result.Outcomes {
			fmt.Print(result.Outcomes[i].Missed())
		}
	}

	return result.WriteTable(os.Stdout)
}
