package app

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/webhook"
)

const (
	// healthInterval is how often the values that need a query are read, and healthTimeout how long that may take.
	healthInterval = 15 * time.Second
	healthTimeout  = 10 * time.Second
	// maxReceiverLabels is how many receivers have a metric of their own.
	maxReceiverLabels = 20
)

// healthMetrics are the metrics that need queries. A worker reads them at intervals, so that a scrape costs nothing and
// is answered while the database is not.
type healthMetrics struct {
	app *App

	mu       sync.Mutex
	up       bool
	ping     time.Duration
	log      database.LogState
	pushes   exchange.Health
	webhooks webhook.Health
	// read is true once the values were read.
	read bool
}

var (
	databaseUp = prometheus.NewDesc("vitrine_database_up",
		"1 if the database answered the last check and takes writes, else 0.", nil, nil)
	databasePing = prometheus.NewDesc("vitrine_database_ping_seconds", "Duration of the last check of the database.",
		nil, nil)
	walPages = prometheus.NewDesc("vitrine_database_wal_pages",
		"Pages in the write-ahead log, and of these the pending ones, which no checkpoint has copied yet (SQLite).",
		[]string{"state"}, nil)
	lastPush = prometheus.NewDesc("vitrine_push_last_completed_timestamp_seconds",
		"When the last push of an entity was completed, to any store and on any node. Only the 1,000 newest runs "+
			"count.",
		[]string{"entity"}, nil)
	pushStores = prometheus.NewDesc("vitrine_push_stores",
		"Stores among the 1,000 newest pushes, by the result of their newest one: ok or failing.", []string{"state"},
		nil)
	oldestEvent = prometheus.NewDesc("vitrine_webhook_oldest_undelivered_seconds",
		"Age of the oldest event that waits for its delivery, of all stores; 0 if none waits.", nil, nil)
	receiverOldest = prometheus.NewDesc("vitrine_webhook_receiver_oldest_undelivered_seconds",
		"Age of the oldest event that waits for its delivery to a receiver. Only the 20 receivers with the oldest "+
			"ones.",
		[]string{"receiver"}, nil)
	receivers = prometheus.NewDesc("vitrine_webhook_receivers",
		"Receivers by state: enabled, failing (enabled, and the last attempt failed), disabled (by an operator), "+
			"disabled_gone (it answered 410) or disabled_failing (it failed for five days).", []string{"state"}, nil)
	strandedDeliveries = prometheus.NewDesc("vitrine_webhook_stranded_deliveries",
		"Deliveries that are sent again only if somebody asks for it: held (the receiver is disabled) or dead (given "+
			"up). At most 10,000 are counted.", []string{"status"}, nil)
	diskFree = prometheus.NewDesc("vitrine_disk_free_bytes",
		"Free bytes of the disk of a directory: database (SQLite), spool, search or blobs (if it is a directory).",
		[]string{"dir"}, nil)
)

// Describe implements prometheus.Collector.
func (m *healthMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{databaseUp, databasePing, walPages, lastPush, pushStores, oldestEvent,
		receiverOldest, receivers, strandedDeliveries, diskFree} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (m *healthMetrics) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	for dir, path := range m.app.diskDirs() {
		if free := FreeBytes(path); free != math.MaxInt64 {
			gauge(diskFree, float64(free), dir)
		}
	}

	m.collectBacklogs(gauge)
	m.mu.Lock()
	defer m.mu.Unlock()

	if !m.read {
		return
	}

	up := 0.0
	if m.up {
		up = 1
	}

	gauge(databaseUp, up)
	gauge(databasePing, m.ping.Seconds())

	if m.app.DB.Engine() == database.SQLite {
		gauge(walPages, float64(m.log.Pages), "all")
		gauge(walPages, float64(m.log.Pending), "pending")
	}

	for entity, at := range m.pushes.LastCompleted {
		gauge(lastPush, float64(at.UnixMilli())/1000, entity)
	}

	gauge(pushStores, float64(m.pushes.Stores-m.pushes.FailingStores), "ok")
	gauge(pushStores, float64(m.pushes.FailingStores), "failing")
	h := m.webhooks
	disabled := int64(0)
	for _, n := range h.Disabled {
		disabled += n
	}

	gauge(receivers, float64(h.Receivers-disabled-h.Failing), "enabled")
	gauge(receivers, float64(h.Failing), "failing")
	gauge(receivers, float64(h.Disabled[""]), "disabled")
	gauge(receivers, float64(h.Disabled[webhook.DisabledGone]), "disabled_gone")
	gauge(receivers, float64(h.Disabled[webhook.DisabledFailing]), "disabled_failing")
	gauge(strandedDeliveries, float64(h.Held), "held")
	gauge(strandedDeliveries, float64(h.Dead), "dead")
}

// collectBacklogs reports the ages of undelivered events, which the queue has read.
func (m *healthMetrics) collectBacklogs(gauge func(d *prometheus.Desc, value float64, labels ...string)) {
	oldest := 0.0
	for _, b := range m.app.Webhooks.Backlogs(maxReceiverLabels) {
		age := max(0, m.app.Now().Sub(b.Since).Seconds())
		oldest = max(oldest, age)
		gauge(receiverOldest, age, b.ReceiverID)
	}
	gauge(oldestEvent, oldest)
}

// diskDirs returns the directories whose disks are measured, by name.
func (a *App) diskDirs() map[string]string {
	dirs := map[string]string{"spool": a.cfg.SpoolDir(), "search": a.cfg.Data}
	if file := a.DB.File(); file != "" {
		dirs["database"] = filepath.Dir(file)
	}
	if dir, onDisk, err := (blob.Config{URL: a.cfg.BlobURL(a.cfg.Storage)}).Folder(); onDisk && err == nil {
		dirs["blobs"] = dir
	}
	return dirs
}

// run reads the values at intervals until ctx ends.
func (m *healthMetrics) run(ctx context.Context) error {
	return periodic.Run(ctx, m.app.log, periodic.Task{Name: "read the metrics of the database", Every: healthInterval,
		Do: m.update})
}

// update reads the values once. What it cannot read keeps its last value.
func (m *healthMetrics) update(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()

	start := time.Now()
	state := m.app.pingDatabase(ctx)
	ping := time.Since(start)
	log, logErr := m.app.DB.LogState(ctx)
	pushes, pushErr := m.app.Exchange.Runs.Health(ctx)
	webhooks, webhookErr := m.app.Webhooks.Health(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()

	m.read = true
	m.up = state == partOK
	m.ping = ping

	if logErr == nil {
		m.log = log
	}

	if pushErr == nil {
		m.pushes = pushes
	}

	if webhookErr == nil {
		m.webhooks = webhooks
	}

	return errors.Join(logErr, pushErr, webhookErr)
}
