package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/search"
)

// searchMetrics returns the metrics of the product search.
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

// queueMetrics collects the metrics of the job queue.
type queueMetrics struct{ queue *queue.Queue }

// These metrics have the label kind, the kind of a job.
var (
	jobsWaiting = prometheus.NewDesc("vitrine_jobs_waiting", "Jobs in the database, on all nodes, up to a quarter of a minute ago.", []string{"kind"}, nil)
	jobsRunning = prometheus.NewDesc("vitrine_jobs_running", "Attempts that this node makes now.", []string{"kind"}, nil)
	jobsEnded   = prometheus.NewDesc("vitrine_jobs_total", "What jobs and attempts came to on this node: done, failed (to be tried again) or dead (given up).", []string{"kind", "end"}, nil)
)

// Describe implements prometheus.Collector.
func (m queueMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- jobsWaiting
	out <- jobsRunning
	out <- jobsEnded
}

// Collect implements prometheus.Collector.
func (m queueMetrics) Collect(out chan<- prometheus.Metric) {
	for _, s := range m.queue.Stats() {
		out <- prometheus.MustNewConstMetric(jobsWaiting, prometheus.GaugeValue, float64(s.Jobs), s.Kind)
		out <- prometheus.MustNewConstMetric(jobsRunning, prometheus.GaugeValue, float64(s.Running), s.Kind)
		for end, n := range map[string]int64{"done": s.Done, "failed": s.Failed, "dead": s.Dead} {
			out <- prometheus.MustNewConstMetric(jobsEnded, prometheus.CounterValue, float64(n), s.Kind, end)
		}
	}
}
