package app

import (
	"fmt"
	"math"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sys/unix"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/search"
)

const (
	// defaultSpoolLimit is the default limit of all temporary files together. On a disk with little room it is
	// 1/spoolDiskPart of the free space.
	defaultSpoolLimit = 4 << 30
	spoolDiskPart     = 4
	// minMemory is the smallest limit with which the program works: below it, even a few large requests would not fit.
	minMemory = 128 << 20
)

// newBudget divides the memory of the process into shares.
func newBudget(cfg config.Serve, databaseCache int64) (*memory.Budget, error) {
	limit := int64(cfg.Memory)
	if limit == 0 {
		limit = max(minMemory, memory.DefaultLimit(os.DirFS("/")))
	}

	if limit < minMemory {
		return nil, fmt.Errorf("--memory is %s; at least %s is needed", cfg.Memory, memory.Size(minMemory))
	}

	freeDisk := func() int64 { return FreeBytes(cfg.SpoolDir()) }
	spool := int64(cfg.SpoolLimit)
	if spool == 0 {
		spool = min(defaultSpoolLimit, freeDisk()/spoolDiskPart)
	}

	columns := int64(-1)
	if cfg.SearchMemory >= 0 {
		columns = int64(cfg.SearchMemory) << 20
	}

	return memory.NewBudget(memory.Config{
		Limit: limit, Database: databaseCache, Search: columns, Spool: spool, FreeDisk: freeDisk,
		AnyAddress: cfg.Dev,
	}), nil
}

// FreeBytes returns the free bytes of a file system. If they cannot be determined, it returns math.MaxInt64: writing
// will show whether there is room.
func FreeBytes(dir string) int64 {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return math.MaxInt64
	}
	return int64(disk.Bavail) * int64(disk.Bsize) //nolint:unconvert // a uint32 on macOS, a uint64 on FreeBSD
}

// measureSearch shows the memory of the search columns as the use of their share.
func measureSearch(share *memory.Share, s *search.Service) {
	share.Measure(func() int64 {
		stats := s.Stats()
		return stats.Filters + stats.Words
	})
}

// memoryMetrics are the metrics of a budget.
type memoryMetrics struct{ budget *memory.Budget }

// The metrics of the shares have the label share.
var (
	memoryLimit = prometheus.NewDesc("vitrine_memory_limit_bytes",
		"How much memory the process may use (--memory).", nil, nil)
	shareLimit = prometheus.NewDesc("vitrine_memory_share_limit_bytes",
		"The size of each share of the memory. The share spool has bytes of temporary files.", []string{"share"}, nil)
	shareUsed = prometheus.NewDesc("vitrine_memory_share_used_bytes", "How much of each share is in use.",
		[]string{"share"}, nil)
	shareRefused = prometheus.NewDesc("vitrine_memory_refused_total",
		"Requests and connections that were refused because the whole share was used up (process), or because one "+
			"store or address used too much of it (owner).", []string{"share", "scope"}, nil)
)

// Describe implements prometheus.Collector.
func (m memoryMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{memoryLimit, shareLimit, shareUsed, shareRefused} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (m memoryMetrics) Collect(out chan<- prometheus.Metric) {
	out <- prometheus.MustNewConstMetric(memoryLimit, prometheus.GaugeValue, float64(m.budget.Limit))
	for _, s := range m.budget.Shares() {
		process, owner := s.Refused()
		out <- prometheus.MustNewConstMetric(shareLimit, prometheus.GaugeValue, float64(s.Limit()), s.Name())
		out <- prometheus.MustNewConstMetric(shareUsed, prometheus.GaugeValue, float64(s.Used()), s.Name())
		out <- prometheus.MustNewConstMetric(shareRefused, prometheus.CounterValue, float64(process), s.Name(),
			"process")
		out <- prometheus.MustNewConstMetric(shareRefused, prometheus.CounterValue, float64(owner), s.Name(), "owner")
	}
}
