package harness

import "time"

// PushSettings are shared by the benchmarks of the exchange gate.
type PushSettings struct {
	Sizes []int
	Plot  *Plot
}

// MixedSettings are the settings and plots of Traffic.
type MixedSettings struct {
	Phase             time.Duration
	Plot, LatencyPlot string // file names; empty for no plot
	Rates, Latencies  *Plot
}

func (m *MixedSettings) WritePlots() error {
	for _, p := range []struct {
		drawing *Plot
		path    string
	}{{m.Rates, m.Plot}, {m.Latencies, m.LatencyPlot}} {
		if p.path == "" {
			continue
		}
		if err := p.drawing.Write(p.path); err != nil {
			return err
		}
	}
	return nil
}
