package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// benchStart measures the time of a cold start on an existing database until /readyz responds 200, compared with the
// start of a process that does nothing, and the memory of the idle program.
func benchStart(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	data, err := os.MkdirTemp(e.dir, "start-")
	if err != nil {
		return nil, err
	}
	first, _, err := e.startProcess(ctx, data) // creates the first store
	if err != nil {
		return nil, err
	}
	if err := first.stop(); err != nil {
		return nil, err
	}

	ours := func() (time.Duration, error) {
		p, took, err := e.startProcess(ctx, data)
		if err != nil {
			return 0, err
		}
		return took, p.stop()
	}
	raw := func() (time.Duration, error) {
		return measureTime(func() error { return exec.CommandContext(ctx, e.binary, "version").Run() })
	}
	o, r, err := measureAlternately(7, ours, raw)
	if err != nil {
		return nil, err
	}

	p, _, err := e.startProcess(ctx, data)
	if err != nil {
		return nil, err
	}

	time.Sleep(3 * time.Second) // until the background work of the start is done
	rest, err := p.memoryMiB("VmRSS")
	if err != nil {
		return nil, err
	}
	if err := p.stop(); err != nil {
		return nil, err
	}

	start := figure{
		name: "cold start to ready", engine: e.engine, ours: formatMillis(o),
		raw: formatMillis(r) + " (vitrine version)", ratio: r.Seconds() / o.Seconds(),
	}
	if e.engine == "sqlite" {
		start.aim = "< 150 ms"
		start.met = o < 150*time.Millisecond
	}

	return []figure{start, {
		name: "memory at rest", engine: e.engine, ours: fmt.Sprintf("%.0f MiB", rest), raw: "–", aim: "< 40 MiB",
		met: rest < 40,
	}}, nil
}
