package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// startAndRest measures the cold start on an existing database until /readyz answers 200, against the bare start of the
// process, and the memory of the program at rest.
func startAndRest(ctx context.Context, e *environment) ([]figure, error) {
	data, err := os.MkdirTemp(e.dir, "start-")
	if err != nil {
		return nil, err
	}
	first, _, err := e.start(ctx, data) // makes the first store
	if err != nil {
		return nil, err
	}
	if err := first.end(); err != nil {
		return nil, err
	}
	ours := func() (time.Duration, error) {
		p, took, err := e.start(ctx, data)
		if err != nil {
			return 0, err
		}
		return took, p.end()
	}
	raw := func() (time.Duration, error) {
		return timed(func() error { return exec.CommandContext(ctx, e.binary, "version").Run() })
	}
	o, r, err := inTurn(7, ours, raw)
	if err != nil {
		return nil, err
	}
	p, _, err := e.start(ctx, data)
	if err != nil {
		return nil, err
	}
	time.Sleep(3 * time.Second)
	rest, err := p.memory("VmRSS")
	if err != nil {
		return nil, err
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	start := figure{name: "cold start to ready", engine: e.engine, ours: ms(o), raw: ms(r) + " (vitrine version)", ratio: r.Seconds() / o.Seconds()}
	if e.engine == "sqlite" {
		start.aim, start.met = "< 150 ms", o < 150*time.Millisecond
	}
	return []figure{start, {name: "memory at rest", engine: e.engine, ours: fmt.Sprintf("%.0f MiB", rest), raw: "–", aim: "< 40 MiB", met: rest < 40}}, nil
}

func ms(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d.Microseconds())/1000) }
