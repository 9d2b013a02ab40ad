package attribute

import (
	"context"
	"sync"
	"time"

	"vitrine/bench/harness"
)

const (
	smallWrites  = 1600
	writeClients = 32
)

// GroupCommit compares small writes from 32 concurrent clients, which may share a commit, with the same writes
// from one client.
func GroupCommit(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	s, err := e.StartServer(ctx)
	if err != nil {
		return nil, err
	}

	c := harness.NewClient()
	body := []byte(`{"name":"Small","values":[{"name":"a"},{"name":"b"}]}`)

	write := func(clients int) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			errs := make(chan error, clients)
			var group sync.WaitGroup
			start := time.Now()
			for range clients {
				group.Go(func() {
					for range smallWrites / clients {
						if _, err := s.Do(c, "POST", "/v2/variant-options", body); err != nil {
							errs <- err
							return
						}
					}
				})
			}

			group.Wait()
			took := time.Since(start)
			close(errs)

			return took, <-errs
		}
	}

	many, one, err := harness.MeasureAlternately(3, write(writeClients), write(1))
	if err != nil {
		return nil, err
	}
	if err := s.Stop(); err != nil {
		return nil, err
	}

	return []harness.Figure{{
		Name: "small durable writes, 32 clients against 1", Engine: e.Engine,
		Ours:  harness.FormatRate(smallWrites, many) + " writes/s",
		Raw:   harness.FormatRate(smallWrites, one) + " writes/s",
		Ratio: one.Seconds() / many.Seconds(),
	}}, nil
}
