package main

import (
	"context"
	"sync"
	"time"
)

const (
	smallWrites  = 1600
	writeClients = 32
)

// benchGroupCommit compares small writes from 32 concurrent clients, which may share a commit, with the same writes
// from one client.
func benchGroupCommit(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	s, err := e.startServer(ctx)
	if err != nil {
		return nil, err
	}

	c := newClient()
	body := []byte(`{"name":"Small","values":[{"name":"a"},{"name":"b"}]}`)

	write := func(clients int) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			errs := make(chan error, clients)
			var group sync.WaitGroup
			start := time.Now()
			for range clients {
				group.Go(func() {
					for range smallWrites / clients {
						if _, err := s.do(c, "POST", "/v2/variant-options", body); err != nil {
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

	many, one, err := measureAlternately(3, write(writeClients), write(1))
	if err != nil {
		return nil, err
	}
	if err := s.stop(); err != nil {
		return nil, err
	}

	return []figure{{
		name: "small durable writes, 32 clients against 1", engine: e.engine,
		ours: formatRate(smallWrites, many) + " writes/s", raw: formatRate(smallWrites, one) + " writes/s",
		ratio: one.Seconds() / many.Seconds(),
	}}, nil
}
