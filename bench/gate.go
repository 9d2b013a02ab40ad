package main

import (
	"context"
	"errors"
	"os"

	"vitrine/internal/testkit/databasetest"
)

const (
	// warmUpProducts is the number of products pushed to another store before the measurement.
	warmUpProducts = 1000
	// The price of a product's first variant, in whole currency units: the initial price and the price after the
	// update.
	firstPrice, laterPrice = 10, 11
)

// freshEnvironment returns a copy of the environment with a new database and directory. drop removes both.
func (e *benchEnvironment) freshEnvironment(ctx context.Context) (env *benchEnvironment, drop func() error, err error) {
	dir, err := os.MkdirTemp(e.dir, "push-")
	if err != nil {
		return nil, nil, err
	}
	fresh, err := databasetest.CreateMigrated(ctx, e.engine, dir)
	if err != nil {
		return nil, nil, err
	}
	copied := *e
	copied.url = fresh.URL
	copied.dir = dir
	return &copied, func() error { return errors.Join(fresh.Drop(context.WithoutCancel(ctx)), os.RemoveAll(dir)) }, nil
}

// startGate starts the program with stores that have everything products refer to.
func (e *benchEnvironment) startGate(
	ctx context.Context, stores int, flags ...string,
) (*benchProcess, []*benchServer, error) {
	data, err := os.MkdirTemp(e.dir, "gate-")
	if err != nil {
		return nil, nil, err
	}

	shops := make([]*benchServer, stores)
	for i := range shops {
		keys, err := e.createStore(ctx, data)
		if err != nil {
			return nil, nil, err
		}
		shops[i] = &benchServer{keys: keys}
	}

	p, _, err := e.startProcess(ctx, data, flags...)
	if err != nil {
		return nil, nil, err
	}

	for _, s := range shops {
		s.url, s.admin = p.api, p.admin
		if err := s.pushReferences(ctx); err != nil {
			return nil, nil, errors.Join(err, p.stop())
		}
	}

	return p, shops, nil
}
