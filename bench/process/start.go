// Package process measures the program at its start, at rest and after a restart.
package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"vitrine/bench/harness"
)

// Start measures the time of a cold start on an existing database until /readyz responds 200, compared with the
// start of a process that does nothing, and the memory of the idle program.
func Start(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
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
		return harness.MeasureTime(func() error { return exec.CommandContext(ctx, e.Binary, "version").Run() })
	}
	o, r, err := harness.MeasureAlternately(7, ours, raw)
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

	start := harness.Figure{
		Name: "cold start to ready", Engine: e.Engine, Ours: harness.FormatMillis(o),
		Raw: harness.FormatMillis(r) + " (vitrine version)", Ratio: r.Seconds() / o.Seconds(),
	}
	if e.Engine == "sqlite" {
		start.Aim = "< 150 ms"
		start.Met = o < 150*time.Millisecond
	}

	return []harness.Figure{start, {
		Name: "memory at rest", Engine: e.Engine, Ours: fmt.Sprintf("%.0f MiB", rest), Raw: "–", Aim: "< 40 MiB",
		Met: rest < 40,
	}}, nil
}
