package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/shop/exchange"
)

// pushMetrics count the pushes that ended on this node. Dry runs do not count. There is no label for the store: there
// may be thousands.
type pushMetrics struct {
	runs  *prometheus.CounterVec
	items *prometheus.CounterVec
}

func newPushMetrics() pushMetrics {
	m := pushMetrics{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "vitrine_push_runs_total",
			Help: "Pushes to the exchange gate by entity and result: completed, failed, or refused before a run was " +
				"made. A completed push may have failed items. Dry runs do not count."}, []string{"entity", "result"}),
		items: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "vitrine_push_items_total",
			Help: "Items of pushes by entity and result: created, updated, unchanged, failed or archived."},
			[]string{"entity", "result"}),
	}
	for _, entity := range exchange.Entities() {
		for _, result := range []exchange.Status{exchange.Completed, exchange.Failed, exchange.Refused} {
			m.runs.WithLabelValues(entity, string(result))
		}
		for _, result := range itemResults() {
			m.items.WithLabelValues(entity, result)
		}
	}

	return m
}

// itemResults are the results of items, which observe counts.
func itemResults() []string { return []string{"created", "updated", "unchanged", "failed", "archived"} }

func (m pushMetrics) observe(e exchange.Ended) {
	if e.DryRun {
		return
	}
	m.runs.WithLabelValues(e.Entity, string(e.Status)).Inc()
	for result, n := range map[string]int64{"created": e.Created, "updated": e.Updated, "unchanged": e.Unchanged,
		"failed": e.Failed, "archived": e.Archived} {
		m.items.WithLabelValues(e.Entity, result).Add(float64(n))
	}
}
