package main

import "time"

// pushSettings are shared by the benchmarks of the exchange gate.
type pushSettings struct {
	sizes []int
	plot  *benchPlot
}

// mixedSettings are the settings and plots of benchMixed.
type mixedSettings struct {
	phase             time.Duration
	plot, latencyPlot string // file names; empty for no plot
	rates, latencies  *benchPlot
}

func (m *mixedSettings) writePlots() error {
	for _, p := range []struct {
		drawing *benchPlot
		path    string
	}{{m.rates, m.plot}, {m.latencies, m.latencyPlot}} {
		if p.path == "" {
			continue
		}
		if err := p.drawing.write(p.path); err != nil {
			return err
		}
	}
	return nil
}
