package harness

import (
	"context"
	"errors"
	"os"

	"vitrine/internal/testkit/databasetest"
)

const (
	// WarmUpProducts is the number of products pushed to another store before the measurement.
	WarmUpProducts = 1000
	// The price of a product's first variant, in whole currency units: the initial price and the price after the
	// update.
	FirstPrice, LaterPrice = 10, 11
)

// FreshEnvironment returns a copy of the environment with a new database and directory. drop removes both.
func (e *Environment) FreshEnvironment(ctx context.Context) (env *Environment, drop func() error, err error) {
	dir, err := os.MkdirTemp(e.Dir, "push-")
	if err != nil {
		return nil, nil, err
	}
	fresh, err := databasetest.CreateMigrated(ctx, e.Engine, dir)
	if err != nil {
		return nil, nil, err
	}
	copied := *e
	copied.URL = fresh.URL
	copied.Dir = dir
	return &copied, func() error { return errors.Join(fresh.Drop(context.WithoutCancel(ctx)), os.RemoveAll(dir)) }, nil
}

// StartGate starts the program with stores that have everything products refer to.
func (e *Environment) StartGate(
	ctx context.Context, stores int, flags ...string,
) (*Process, []*Server, error) {
	data, err := os.MkdirTemp(e.Dir, "gate-")
	if err != nil {
		return nil, nil, err
	}

	shops := make([]*Server, stores)
	for i := range shops {
		keys, err := e.CreateStore(ctx, data)
		if err != nil {
			return nil, nil, err
		}
		shops[i] = &Server{Keys: keys}
	}

	p, _, err := e.StartProcess(ctx, data, flags...)
	if err != nil {
		return nil, nil, err
	}

	for _, s := range shops {
		s.URL, s.Admin = p.API, p.Admin
		if err := s.PushReferences(ctx); err != nil {
			return nil, nil, errors.Join(err, p.Stop())
		}
	}

	return p, shops, nil
}
