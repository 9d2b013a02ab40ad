package process

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
)

const (
	// restTime is how long a node at rest is observed.
	restTime = 10 * time.Second
	// fewRestStores and manyRestStores are the numbers of stores that were read once before.
	fewRestStores, manyRestStores = 1, 100
	// maxRestGrowth is the aim for the transactions at rest with many stores, against few.
	maxRestGrowth = 1.2
)

// Rest compares the transactions per second of a node to which nobody sends anything, after one and after many
// stores were read.
func Rest(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	p, stores, err := e.StartGate(ctx, manyRestStores)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	measure := func(list []*harness.Server) (perSecond float64, err error) {
		for _, s := range list {
			if err := s.GetAsStorefront(http.DefaultClient, "/v2/products"); err != nil {
				return 0, err
			}
		}

		time.Sleep(2 * time.Second) // the columns are refreshed once after they were built
		before, err := readTransactions(list[0])
		if err != nil {
			return 0, err
		}

		time.Sleep(restTime)
		after, err := readTransactions(list[0])
		return (after - before) / restTime.Seconds(), err
	}

	few, err := measure(stores[:fewRestStores])
	if err != nil {
		return nil, err
	}
	many, err := measure(stores)
	if err != nil {
		return nil, err
	}

	return []harness.Figure{{
		Name: fmt.Sprintf("a node at rest, %d stores read before", manyRestStores), Engine: e.Engine,
		Ours: fmt.Sprintf("%.1f transactions/s", many), Raw: fmt.Sprintf("%.1f transactions/s with one store", few),
		Ratio: many / few, Aim: fmt.Sprintf("≤ %.1f", maxRestGrowth), Met: many <= maxRestGrowth*few,
	}}, nil
}

// readTransactions returns how many transactions the node has done.
func readTransactions(s *harness.Server) (total float64, err error) {
	for _, kind := range []database.Kind{database.ReadKind, database.SnapshotKind, database.WriteKind} {
		n, err := s.ReadMetric(http.DefaultClient,
			fmt.Sprintf("vitrine_database_transaction_seconds_count{kind=%q}", kind))
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
