package app

import (
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/search"
)

func searchMetrics(s *search.Service) []prometheus.Collector {
	counter := func(name, help string, labels prometheus.Labels, value func(search.Stats) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return float64(value(s.Stats())) })
	}
	gauge := func(part string, value func(search.Stats) int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "vitrine_search_memory_bytes",
			Help:        "Memory of the search columns of all stores.",
			ConstLabels: prometheus.Labels{"part": part}}, func() float64 { return float64(value(s.Stats())) })
	}
	plainGauge := func(name, help string, value func(search.Stats) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return value(s.Stats()) })
	}
	stores := func(state string, value func(search.Stats) int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "vitrine_search_stores",
			Help: "Stores that were searched on this node or have a file of columns, " +
				"by the state of their columns: ready, " +
				"pending (to be built), evicted (and not needed since) or too_large (for --search-memory).",
			ConstLabels: prometheus.Labels{"state": state}}, func() float64 { return float64(value(s.Stats())) })
	}
	const queries, queriesHelp = "vitrine_search_queries_total",
		"Product lists by how they were computed: from the columns in memory, or by SQL."

	return []prometheus.Collector{
		counter(queries, queriesHelp, prometheus.Labels{"by": "columns"},
			func(st search.Stats) int64 { return st.Columns }),
		counter(queries, queriesHelp, prometheus.Labels{"by": "sql"}, func(st search.Stats) int64 { return st.SQL }),
		counter("vitrine_search_builds_total", "Complete reads of a store into memory.", nil,
			func(st search.Stats) int64 { return st.Builds }),
		counter("vitrine_search_loads_total", "Reads of a store into memory from the file of its columns.", nil,
			func(st search.Stats) int64 { return st.Loads }),
		counter("vitrine_search_saves_total", "Writes of the columns of a store to a file.", nil,
			func(st search.Stats) int64 { return st.Saves }),
		plainGauge("vitrine_search_file_age_seconds", "Age of the oldest file of the search columns in memory.",
			func(st search.Stats) float64 { return st.FileAge.Seconds() }),
		plainGauge("vitrine_search_waiting", "Product lists that wait until the columns are in memory.",
			func(st search.Stats) float64 { return float64(st.Waiting) }),
		stores("ready", func(st search.Stats) int64 { return st.StoresReady }),
		stores("pending", func(st search.Stats) int64 { return st.StoresPending }),
		stores("evicted", func(st search.Stats) int64 { return st.StoresEvicted }),
		plainGauge("vitrine_search_pending_seconds", "Age of the oldest request for columns of a "+
			"store that are not built.", func(st search.Stats) float64 { return st.PendingAge.Seconds() }),
		stores("too_large", func(st search.Stats) int64 { return st.StoresTooLarge }),
		gauge("filters", func(st search.Stats) int64 { return st.Filters }),
		gauge("words", func(st search.Stats) int64 { return st.Words }),
	}
}

// signInMetrics count failed attempts to sign in, and codes that were not sent.
func signInMetrics(a *App) []prometheus.Collector {
	counter := func(who, reason string, value func() int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "vitrine_signin_failures_total",
			Help: "Failed attempts to sign in on this node, of operators and customers: wrong (password or code), or " +
				"locked (refused, since too many failed before).",
			ConstLabels: prometheus.Labels{"who": who, "reason": reason}}, func() float64 { return float64(value()) })
	}

	refused := func(limit string, value func() int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "vitrine_login_codes_refused_total",
			Help: "Login codes that were not sent on this node, because a store had sent too many in an hour: in all " +
				"(store), or to the phone numbers of one country (country).",
			ConstLabels: prometheus.Labels{"limit": limit}}, func() float64 { return float64(value()) })
	}
	return []prometheus.Collector{
		counter("operator", "wrong", func() int64 { wrong, _ := a.Accounts.Sessions.SignInFailures(); return wrong }),
		counter("operator", "locked",
			func() int64 { _, locked := a.Accounts.Sessions.SignInFailures(); return locked }),
		counter("customer", "wrong", a.Customers.WrongCodes),
		refused("store", func() int64 { byStore, _ := a.Customers.RefusedCodes(); return byStore }),
		refused("country", func() int64 { _, byCountry := a.Customers.RefusedCodes(); return byCountry }),
	}
}

// buildInfo has the version of the program in its labels. Its value is always 1.
func buildInfo(version, engine string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "vitrine_build_info",
		Help:        "The version of the program, of Go, and the database engine. The value is always 1.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version(), "database": engine}},
		func() float64 { return 1 })
}

type queueMetrics struct {
	queue *queue.Queue
	now   func() time.Time
}

// These metrics have the label kind, the kind of a job.
var (
	jobsWaiting = prometheus.NewDesc("vitrine_jobs_waiting",
		"Jobs in the database, of all nodes. The value is at most 15 seconds old.", []string{"kind"}, nil)
	jobsOverdue = prometheus.NewDesc("vitrine_jobs_overdue_seconds",
		"How long the first job that is due has been due, of all nodes; 0 if none is. The value is at most 15 seconds "+
			"old.", []string{"kind"}, nil)
	jobsParked = prometheus.NewDesc("vitrine_jobs_parked",
		"Jobs that are not tried any more, because too many processes died while they ran them, "+
			"of all nodes. The value "+
			"is at most 15 seconds old.", []string{"kind"}, nil)
	jobsRunning = prometheus.NewDesc("vitrine_jobs_running", "Attempts in progress on this node.", []string{"kind"},
		nil)
	jobsEnded = prometheus.NewDesc("vitrine_jobs_total",
		"Results of jobs and attempts on this node: done, failed (to be retried) or dead (given up).",
		[]string{"kind", "end"}, nil)
)

// Describe implements prometheus.Collector.
func (m queueMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- jobsWaiting
	out <- jobsOverdue
	out <- jobsParked
	out <- jobsRunning
	out <- jobsEnded
}

// Collect implements prometheus.Collector.
func (m queueMetrics) Collect(out chan<- prometheus.Metric) {
	for _, s := range m.queue.Stats() {
		out <- prometheus.MustNewConstMetric(jobsWaiting, prometheus.GaugeValue, float64(s.Jobs), s.Kind)
		overdue := 0.0
		if !s.OldestDue.IsZero() {
			overdue = max(0, m.now().Sub(s.OldestDue).Seconds())
		}
		out <- prometheus.MustNewConstMetric(jobsOverdue, prometheus.GaugeValue, overdue, s.Kind)
		out <- prometheus.MustNewConstMetric(jobsParked, prometheus.GaugeValue, float64(s.Parked), s.Kind)
		out <- prometheus.MustNewConstMetric(jobsRunning, prometheus.GaugeValue, float64(s.Running), s.Kind)
		for end, n := range map[string]int64{"done": s.Done, "failed": s.Failed, "dead": s.Dead} {
			out <- prometheus.MustNewConstMetric(jobsEnded, prometheus.CounterValue, float64(n), s.Kind, end)
		}
	}
}
