package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Start measures the time of a cold start on an existing database until /readyz responds 200, compared with the
// start of a process that does nothing, and the memory of the idle program.
func Start(ctx context.Context, e *Environment) ([]Figure, error) {
	data, err := os.MkdirTemp(e.Dir, "start-")
	if err != nil {
		return nil, err
	}
	first, _, err := e.StartProcess(ctx, data) // creates the first store
	if err != nil {
		return nil, err
	}
	if err := first.Stop(); err != nil {
		return nil, err
	}

	ours := func() (time.Duration, error) {
		p, took, err := e.StartProcess(ctx, data)
		if err != nil {
			return 0, err
		}
		return took, p.Stop()
	}
	raw := func() (time.Duration, error) {
		return MeasureTime(func() error { return exec.CommandContext(ctx, e.Binary, "version").Run() })
	}
	o, r, err := MeasureAlternately(7, ours, raw)
	if err != nil {
		return nil, err
	}

	p, _, err := e.StartProcess(ctx, data)
	if err != nil {
		return nil, err
	}

	time.Sleep(3 * time.Second) // until the background work of the start is done
	rest, err := p.MemoryMiB("VmRSS")
	if err != nil {
		return nil, err
	}
	if err := p.Stop(); err != nil {
		return nil, err
	}

	start := Figure{
		Name: "cold start to ready", Engine: e.Engine, Ours: FormatMillis(o),
		Raw: FormatMillis(r) + " (vitrine version)", Ratio: r.Seconds() / o.Seconds(),
	}
	if e.Engine == "sqlite" {
		start.Aim = "< 150 ms"
		start.Met = o < 150*time.Millisecond
	}

	return []Figure{start, {
		Name: "memory at rest", Engine: e.Engine, Ours: fmt.Sprintf("%.0f MiB", rest), Raw: "–", Aim: "< 40 MiB",
		Met: rest < 40,
	}}, nil
}
