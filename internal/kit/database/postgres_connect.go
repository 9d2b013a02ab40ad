package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// isOnStandby reports whether err is the error of a write on a standby: 25006 of a statement, 0A000 of BEGIN READ
// WRITE.
func isOnStandby(err error) bool {
	code := postgresCode(err)
	return code == "25006" || code == "0A000"
}

// trackedSettings are the settings of a session that connection poolers keep for each client.
func trackedSettings() map[string]string {
	return map[string]string{"application_name": "vitrine", "timezone": "UTC"}
}

// transactionSettings are the settings that every transaction needs. They are sent when a session begins, or behind a
// pooler when a transaction begins.
func transactionSettings() map[string]string {
	return map[string]string{
		"synchronous_commit": "on", "statement_timeout": "120s", "lock_timeout": "30s",
		"idle_in_transaction_session_timeout": "120s",
		// JIT compilation takes longer than our statements, which touch thousands of rows at most.
		"jit": "off",
	}
}

// tooManyConnections is the SQLSTATE of a connection that the server, the database or the role has no room for.
const tooManyConnections = "53300"

// sessionMarker is a setting that only a session of our own has. A pooler refuses or ignores it.
const sessionMarker = "vitrine.session"

func openPostgres(ctx context.Context, cfg Config) (engine, error) {
	e, err := connectPostgres(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := e.pool.Ping(ctx); err != nil {
		e.pool.Close()
		return nil, err
	}
	return e, nil
}

// connectPostgres finds out whether the server is a pooler and creates the pool of connections.
func connectPostgres(ctx context.Context, cfg Config) (*postgresEngine, error) {
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, err
	}

	if cfg.Readers > 0 {
		pc.MaxConns = int32(min(cfg.Readers, 1<<16))
	} else if !strings.Contains(cfg.URL, "pool_max_conns") {
		pc.MaxConns = max(pc.MaxConns, 16)
	}

	pc.ConnConfig.ConnectTimeout = 5 * time.Second
	if pc.ConnConfig.ValidateConnect == nil && !cfg.standby && hasSeveralHosts(pc.ConnConfig) {
		pc.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}

	if !cfg.standby {
		if err := guardTimeline(&pc.ConnConfig.Config, cfg); err != nil {
			return nil, err
		}
	}

	admin := pc.ConnConfig.Copy()
	listener := admin.Copy()
	if cfg.ListenURL != "" {
		if listener, err = pgx.ParseConfig(cfg.ListenURL); err != nil {
			return nil, fmt.Errorf("parse the URL for notifications: %w", err)
		}
		listener.ConnectTimeout = pc.ConnConfig.ConnectTimeout
	}

	e := &postgresEngine{limits: newConnectionLimits(int(pc.MaxConns)), admin: admin, listener: listener,
		endTimeout: endTimeout}
	if e.pooled, err = isPooler(ctx, pc.ConnConfig); err != nil {
		return nil, err
	}
	if e.pooled {
		e.begin = setLocalSQL(takeSettings(pc.ConnConfig))
		takeSettings(admin)
		setRuntimeParams(pc.ConnConfig, trackedSettings())
		// Prepared statements belong to a session.
		if !strings.Contains(cfg.URL, "default_query_exec_mode") {
			pc.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
			admin.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
	} else {
		setSession(pc.ConnConfig)
	}

	setRuntimeParams(listener, trackedSettings())
	e.pool, err = pgxpool.NewWithConfig(ctx, pc)
	return e, err
}

// hasSeveralHosts reports whether the URL names more than one server.
func hasSeveralHosts(c *pgx.ConnConfig) bool {
	return slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		return f.Host != c.Host || f.Port != c.Port
	})
}

// setSession gives all connections of c the settings of a session.
func setSession(c *pgx.ConnConfig) {
	setRuntimeParams(c, trackedSettings())
	setRuntimeParams(c, transactionSettings())
	const readOnly = "default_transaction_read_only"
	if _, set := c.RuntimeParams[readOnly]; set {
		return
	}
	// Reads cannot write by mistake; write transactions begin as READ WRITE. It is set after the connection is made:
	// target_session_attrs=read-write in the URL would take a server with this setting for a standby.
	c.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		return conn.Exec(ctx, "SET "+readOnly+" = on").Close()
	}
}

// setRuntimeParams adds the settings that the URL does not set.
func setRuntimeParams(c *pgx.ConnConfig, settings map[string]string) {
	for k, v := range settings {
		if _, set := c.RuntimeParams[k]; !set {
			c.RuntimeParams[k] = v
		}
	}
}

// takeSettings removes the settings of transactions that the URL sets, and returns them with the others.
func takeSettings(c *pgx.ConnConfig) map[string]string {
	settings := transactionSettings()
	for name := range settings {
		if value, set := c.RuntimeParams[name]; set {
			settings[name] = value
			delete(c.RuntimeParams, name)
		}
	}
	return settings
}

// isPooler reports whether c leads to a connection pooler, such as PgBouncer: it refuses the marker as an unsupported
// parameter, or ignores it.
func isPooler(ctx context.Context, c *pgx.ConnConfig) (bool, error) {
	c = c.Copy()
	c.RuntimeParams[sessionMarker] = "on"
	conn, err := pgx.ConnectConfig(ctx, c)
	if postgresCode(err) == "08P01" {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	var marker *string
	err = conn.QueryRow(ctx, "SELECT current_setting($1, true)", pgx.QueryExecModeSimpleProtocol,
		sessionMarker).Scan(&marker)
	return marker == nil || *marker != "on", errors.Join(err, conn.Close(ctx))
}

// readOptions returns the options of a read-only transaction.
func (e *postgresEngine) readOptions(snapshot bool) pgx.TxOptions {
	o := pgx.TxOptions{AccessMode: pgx.ReadOnly}
	if snapshot {
		o.IsoLevel = pgx.RepeatableRead
	}
	return e.withSettings(o)
}

func (e *postgresEngine) writeOptions() pgx.TxOptions {
	return e.withSettings(pgx.TxOptions{AccessMode: pgx.ReadWrite})
}

// withSettings makes the transaction begin with its settings, in the same round trip, if the session cannot have them.
func (e *postgresEngine) withSettings(o pgx.TxOptions) pgx.TxOptions {
	if e.pooled {
		isolation := cmp.Or(o.IsoLevel, pgx.ReadCommitted)
		o.BeginQuery = fmt.Sprintf("BEGIN ISOLATION LEVEL %s %s; %s", isolation, o.AccessMode, e.begin)
	}
	return o
}

func setLocalSQL(settings map[string]string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&text, "SET LOCAL %s = '%s'; ", name, strings.ReplaceAll(settings[name], "'", "''"))
	}
	return text.String()
}

// connectListener opens a connection outside the pool, for a Notifier.
func (e *postgresEngine) connectListener(ctx context.Context) (*pgx.Conn, error) {
	c := e.listener.Copy()
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil || e.pooled {
		return conn, err
	}
	// Notifications do not survive a crash anyway.
	_, err = conn.Exec(ctx, "SET synchronous_commit = off")
	return conn, err
}

// standbyWatch decides when to connect again because the server is a standby: a failover may have made another server
// the primary.
type standbyWatch struct {
	mu   sync.Mutex
	next time.Time
}

// found reports whether to connect again now. It does so at most once a second.
func (w *standbyWatch) found() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.After(w.next) {
		w.next = now.Add(time.Second)
		return true
	}
	return false
}

const (
	// refusalPause is how long no connection is opened after the server has refused one.
	refusalPause = time.Second
	// refusalPoll is how often a waiting caller looks for a free connection meanwhile.
	refusalPoll = 2 * time.Millisecond
)

// refusalWatch remembers that the server has refused to open another connection.
type refusalWatch struct {
	mu    sync.Mutex
	until time.Time
}

// note stops the growth of the pool for a while.
func (w *refusalWatch) note() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = time.Now().Add(refusalPause)
}

// isFull reports whether the pool must not grow now.
func (w *refusalWatch) isFull() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Before(w.until)
}

// acquireConnection takes a connection from the pool. If the server refuses to open another one, it waits for one of
// those that are open, as if the pool had reached its limit.
func (e *postgresEngine) acquireConnection(ctx context.Context) (*pgxpool.Conn, error) {
	for {
		for e.refusals.isFull() && e.pool.Stat().TotalConns() > 0 && e.pool.Stat().IdleConns() == 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(refusalPoll):
			}
		}

		c, err := e.pool.Acquire(ctx)
		if err == nil || postgresCode(err) != tooManyConnections || e.pool.Stat().TotalConns() == 0 {
			return c, err
		}
		e.refusals.note()
	}
}
