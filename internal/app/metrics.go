package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/search"
)

// searchMetrics tells by what lists of products are answered, and what that takes.
func searchMetrics(s *search.Service) []prometheus.Collector {
	counter := func(name, help string, labels prometheus.Labels, value func(search.Stats) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(value(s.Stats())) })
	}
	gauge := func(part string, value func(search.Stats) int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "vitrine_search_memory_bytes", Help: "What the columns in memory take, for all stores together.",
			ConstLabels: prometheus.Labels{"part": part}}, func() float64 { return float64(value(s.Stats())) })
	}
	const queries, queriesHelp = "vitrine_search_queries_total", "Lists of products, by what answered them: the columns in memory, or SQL."
	return []prometheus.Collector{
		counter(queries, queriesHelp, prometheus.Labels{"by": "columns"}, func(st search.Stats) int64 { return st.Columns }),
		counter(queries, queriesHelp, prometheus.Labels{"by": "sql"}, func(st search.Stats) int64 { return st.SQL }),
		counter("vitrine_search_builds_total", "How often a store was read into memory whole.", nil, func(st search.Stats) int64 { return st.Builds }),
		gauge("filters", func(st search.Stats) int64 { return st.Filters }),
		gauge("words", func(st search.Stats) int64 { return st.Words }),
	}
}
