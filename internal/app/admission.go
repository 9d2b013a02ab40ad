package app

import (
	"cmp"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/admission"
	"vitrine/internal/kit/database"
)

const (
	// admissionWait is how long a request waits for a slot. Most clients of a shop give up after a few seconds.
	admissionWait = time.Second
	// maxWaiting is the length of the queue of each class.
	maxWaiting = 1024
	// gateSlots is the number of pushes at once. They mostly wait for their clients. A push of each of the seven
	// entities fits into storeGateSlots.
	gateSlots, storeGateSlots = 32, 8
	// heavyWait is how long a heavy read waits for a slot. It may take seconds itself, and the visitors of a shop whose
	// pages are made by one server have one address, which has one slot.
	heavyWait = 5 * time.Second
	// imageSlots and largeImageSlots are the numbers of uploaded images at once. A large one takes up to a second or
	// two, so it waits largeImageWait times as long for a slot as other requests.
	imageSlots, largeImageSlots, largeImageWait = 16, 8, 5
	// sharedWrites is the number of writes at once on SQLite, where they share commits.
	sharedWrites = 64
	// longEdits is the number of long edits at once, of different stores. The next edit of a store waits for
	// longEditWait.
	longEdits, longEditWait = 16, 30 * time.Second
	// exportSlots is the number of exports at once, each of which holds a connection. The next one waits for
	// exportWait.
	exportSlots, exportWait = 2, 30 * time.Second
	// feedSlots is the number of product feeds at once, of different stores and addresses. The next one waits for
	// feedWait.
	feedSlots, feedWait = 2, 30 * time.Second
)

// newAdmission returns the bounds of the requests in progress, for the processors and the connections there are. wait
// is how long a request waits for a slot; 0 means the default, and with a negative value there are no bounds.
func newAdmission(db *database.DB, wait time.Duration) httpapi.Admission {
	if wait < 0 {
		return nil
	}

	processors := runtime.GOMAXPROCS(0)
	normal := db.Connections(database.Normal)
	lists := max(1, min(2*processors, normal))

	// Two of three heavy reads can be of one store, and one of three of one address: a visitor does not keep the other
	// visitors of a store waiting.
	heavy := max(1, min(max(3, processors/2+1), db.Connections(database.Long)))
	writes := max(1, normal-1) // PostgreSQL commits concurrent transactions together
	if db.Engine() == database.SQLite {
		writes = sharedWrites
	}

	// One store can have three of four short reads. The rest is for the credentials of the others.
	short := db.Connections(database.Short)
	bounds := httpapi.Admission{}
	for class, limits := range map[httpapi.Class]admission.Limits{
		httpapi.ClassShort: {Slots: short, TenantSlots: max(1, short*3/4)},
		httpapi.ClassList:  {Slots: lists},
		httpapi.ClassHeavy: {Slots: heavy, TenantSlots: max(1, heavy*2/3), ClientSlots: max(1, heavy/3),
			MaxWait: cmp.Or(wait, heavyWait)},
		httpapi.ClassWrite: {Slots: writes},
		httpapi.ClassGate:  {Slots: gateSlots, TenantSlots: storeGateSlots, ClientSlots: gateSlots / 2},
		httpapi.ClassImage: {Slots: imageSlots, TenantSlots: imageSlots / 2, ClientSlots: imageSlots / 4},
		// One is decoded at a time, so the slots are places in the queue of the decoder, one for each of several
		// stores.
		httpapi.ClassLargeImage: {Slots: largeImageSlots, TenantSlots: 2, ClientSlots: 1,
			MaxWait: largeImageWait * cmp.Or(wait, admissionWait)},
		httpapi.ClassExport: {Slots: max(1, min(exportSlots, db.Connections(database.Long)-1)),
			MaxWait: cmp.Or(wait, exportWait)},
		httpapi.ClassFeed: {Slots: max(1, min(feedSlots, db.Connections(database.Long)-1)), TenantSlots: 1,
			ClientSlots: 1, MaxWait: cmp.Or(wait, feedWait)},
		httpapi.ClassLong: {Slots: longEdits, TenantSlots: 1, MaxWait: cmp.Or(wait, longEditWait)},
	} {
		limits.Waiting, limits.MaxWait = maxWaiting, cmp.Or(limits.MaxWait, wait, admissionWait)
		bounds[class] = admission.New(limits)
	}

	return bounds
}

// admissionMetrics are the metrics of the classes of work.
type admissionMetrics struct{ bounds httpapi.Admission }

// These metrics have the label class.
var (
	admissionSlots = prometheus.NewDesc("vitrine_admission_slots",
		"How many requests of the class can be in progress at once.", []string{"class"}, nil)
	admissionInProgress = prometheus.NewDesc("vitrine_admission_in_progress", "Requests in progress.",
		[]string{"class"}, nil)
	admissionWaiting = prometheus.NewDesc("vitrine_admission_waiting", "Requests that wait for a slot.",
		[]string{"class"}, nil)
	admissionRefused = prometheus.NewDesc("vitrine_admission_refused_total",
		"Refused requests: with 503 because of the load, or with 429 because the store or the address had as many in "+
			"progress as it can have.", []string{"class", "reason"}, nil)
	admissionSeconds = prometheus.NewDesc("vitrine_admission_wait_seconds",
		"Seconds that the admitted requests waited for a slot.", []string{"class"}, nil)
)

// Describe implements prometheus.Collector.
func (admissionMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		admissionSlots, admissionInProgress, admissionWaiting, admissionRefused, admissionSeconds,
	} {
		out <- desc
	}
}

// Collect implements prometheus.Collector.
func (m admissionMetrics) Collect(out chan<- prometheus.Metric) {
	for name, class := range m.bounds {
		s := class.Stats()
		label := string(name)
		gauge := func(desc *prometheus.Desc, n int) {
			out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n), label)
		}
		gauge(admissionSlots, s.Slots)
		gauge(admissionInProgress, s.InProgress)
		gauge(admissionWaiting, s.Waiting)
		for reason, n := range map[string]int64{"load": s.RefusedByLoad, "share": s.RefusedByShare} {
			out <- prometheus.MustNewConstMetric(admissionRefused, prometheus.CounterValue, float64(n), label, reason)
		}
		out <- prometheus.MustNewConstHistogram(admissionSeconds, uint64(s.Admitted), s.WaitTotal.Seconds(), s.Waits(),
			label)
	}
}
