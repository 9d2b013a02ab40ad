package app

import (
	"context"
	"regexp"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// MetricNames returns the names of all metrics that the app has registered, also of those without a value yet.
func (a *App) MetricNames() map[string]bool {
	descs := make(chan *prometheus.Desc)
	go func() {
		a.registry.Describe(descs)
		close(descs)
	}()
	name, names := regexp.MustCompile(`fqName: "(\w+)"`), map[string]bool{}
	for d := range descs {
		if m := name.FindStringSubmatch(d.String()); m != nil {
			names[m[1]] = true
		}
	}
	return names
}

// SetFreeDisk replaces the function that returns the free bytes of a disk.
func (a *App) SetFreeDisk(fn func(dir string) int64) { a.freeDisk = fn }

// RecordTrace records an execution trace that may have so many bytes, for at most an hour.
func RecordTrace(ctx context.Context, limit int) ([]byte, error) {
	p := &profiler{stopping: func() bool { return false }, traceBytes: limit}
	return p.record(ctx, executionTrace, time.Hour)
}

// LastDatabaseCheck returns when the database was last checked.
func (a *App) LastDatabaseCheck() time.Time {
	if last := a.lastPing.Load(); last != nil {
		return last.at
	}
	return time.Time{}
}
