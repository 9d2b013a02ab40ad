package database

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// NotifierConfig says what a Notifier sends and who gets what it receives.
type NotifierConfig struct {
	// Channel is the name that all nodes of the database use for these payloads.
	Channel string
	// Outgoing returns the next payload to send, or "" if there is none. A payload has at most MaxPayload bytes.
	// Payloads that are due together should be merged into one.
	Outgoing func() string
	// Incoming is called with each payload of another node. It must not block.
	Incoming func(payload string)
	// Connected is called when the notifier has connected: payloads that other nodes sent before may be lost. It must
	// not block.
	Connected func()
}

// MaxPayload is the largest size of a payload of a Notifier, in bytes. PostgreSQL refuses 8000.
const MaxPayload = 7999

// Notifier exchanges short messages with the other nodes of a PostgreSQL database, by LISTEN and NOTIFY. They arrive
// within milliseconds, but may be lost: what they are about must also be found by polling. On SQLite there are no other
// nodes, and a Notifier does nothing.
//
// A Notifier has one connection, which does not count against the limits of the pool. It notifies outside the
// transactions of the callers, because commits with a NOTIFY wait for each other.
type Notifier struct {
	NotifierConfig
	db      *DB
	timings notifierTimings

	mu sync.Mutex
	// woken says that Outgoing may have a payload. interrupt ends the wait for payloads of other nodes; it is nil
	// while the notifier does not wait.
	woken     bool
	interrupt context.CancelFunc
}

// notifierTimings holds the intervals and timeouts of a notifier. Tests shorten them.
type notifierTimings struct {
	sendInterval time.Duration // the shortest time between two payloads
	pingInterval time.Duration // how long a connection may be silent before it is checked
	timeout      time.Duration // of one statement, and of the probe's arrival
	// minReconnect is the delay before the first attempt to connect again; it doubles up to maxReconnect.
	minReconnect, maxReconnect time.Duration
}

var defaultNotifierTimings = notifierTimings{
	sendInterval: 2 * time.Millisecond, pingInterval: 30 * time.Second, timeout: 5 * time.Second,
	minReconnect: 250 * time.Millisecond, maxReconnect: time.Minute,
}

// errNoNotifications is the reason why a notifier gives up a connection through a pooler that assigns server
// connections to transactions, such as PgBouncer: LISTEN succeeds, but the notifications do not arrive.
var errNoNotifications = errors.New("LISTEN succeeded, but a notification did not arrive; " +
	"a connection pooler in transaction mode causes this")

// NewNotifier returns a notifier, which connects in Run.
func (db *DB) NewNotifier(c NotifierConfig) *Notifier {
	return &Notifier{NotifierConfig: c, db: db, timings: defaultNotifierTimings}
}

// Wake makes the notifier send the payloads of Outgoing. It does not block.
func (n *Notifier) Wake() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.woken = true
	if n.interrupt != nil {
		n.interrupt()
	}
}

// Run sends and receives payloads until ctx ends, and connects again whenever the connection is lost. At the end it
// sends what Outgoing still has.
func (n *Notifier) Run(ctx context.Context) {
	e, ok := n.db.engine.(*postgresEngine)
	if !ok {
		<-ctx.Done()
		return
	}

	delay := n.timings.minReconnect
	failing := false
	for {
		connected, err := n.serve(ctx, e)
		if ctx.Err() != nil {
			return
		}

		if connected {
			delay = n.timings.minReconnect
			failing = false
		}

		if !failing {
			n.db.log.WarnContext(ctx,
				"no notifications from other nodes; they are found by polling until it works again",
				"channel", n.Channel, "error", err)
		}

		failing = true

		select {
		case <-ctx.Done():
			return
		case <-time.After(delay):
		}

		delay = min(2*delay, n.timings.maxReconnect)
	}
}

// serve connects, and sends and receives payloads until the connection fails or ctx ends. connected says whether the
// connection worked.
func (n *Notifier) serve(ctx context.Context, e *postgresEngine) (connected bool, err error) {
	conn, err := e.connectListener(ctx)
	if err != nil {
		return false, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.timings.timeout)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	if err := n.listen(ctx, conn, e); err != nil {
		return false, err
	}
	n.Connected()
	n.Wake() // what could not be sent without a connection
	return true, n.exchange(ctx, conn)
}

// listen subscribes to the channel. It checks that notifications arrive, with one that is sent on a connection of the
// pool to a channel of its own.
func (n *Notifier) listen(ctx context.Context, conn *pgx.Conn, e *postgresEngine) error {
	ctx, cancel := context.WithTimeout(ctx, n.timings.timeout)
	defer cancel()

	probe := pgx.Identifier{n.Channel + "_" + rand.Text()}
	for _, sql := range []string{
		"LISTEN " + pgx.Identifier{n.Channel}.Sanitize(), "LISTEN " + probe.Sanitize(),
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}

	err := e.read(ctx, Normal, false, func(q Querier) error {
		return sendNotification(ctx, q, probe[0], "probe")
	})
	if err != nil {
		return fmt.Errorf("send a notification: %w", err)
	}

	for {
		received, err := conn.WaitForNotification(ctx)
		switch {
		case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && !conn.IsClosed():
			return errNoNotifications
		case err != nil:
			return err
		case received.Channel == probe[0]:
			_, err := conn.Exec(ctx, "UNLISTEN "+probe.Sanitize())
			return err
		}
	}
}

// exchange sends and receives payloads until the connection fails or ctx ends.
func (n *Notifier) exchange(ctx context.Context, conn *pgx.Conn) error {
	var nextSend time.Time
	for {
		wait, cancel := context.WithCancel(ctx)
		woken := n.beginWait(cancel)
		if woken && (ctx.Err() != nil || !time.Now().Before(nextSend)) {
			cancel()
			if err := n.send(ctx, conn); err != nil {
				return err
			}
			nextSend = time.Now().Add(n.timings.sendInterval)
			continue
		}

		if ctx.Err() != nil {
			cancel()
			return ctx.Err()
		}

		timeout := n.timings.pingInterval
		if woken {
			timeout = time.Until(nextSend)
		}

		err := n.receive(wait, conn, timeout, !woken)
		cancel()
		if err != nil {
			return err
		}
	}
}

// beginWait reports whether Wake was called since the last send. If not, Wake calls interrupt from now on.
func (n *Notifier) beginWait(interrupt context.CancelFunc) (woken bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.interrupt = nil
	if !n.woken {
		n.interrupt = interrupt
	}
	return n.woken
}

// send sends one payload of Outgoing, even if ctx has ended.
func (n *Notifier) send(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.timings.timeout)
	defer cancel()
	n.mu.Lock()
	n.woken = false
	n.mu.Unlock()
	payload := n.Outgoing()
	if payload == "" {
		return nil
	}
	if err := sendNotification(ctx, postgresQuerier{q: conn}, n.Channel, payload); err != nil {
		return fmt.Errorf("send a notification: %w", err)
	}
	n.Wake() // there may be more
	return nil
}

// receive waits for one payload until the timeout or the end of ctx, which are no errors. If checkSilence is set, it
// checks the connection after the timeout.
func (n *Notifier) receive(ctx context.Context, conn *pgx.Conn, timeout time.Duration, checkSilence bool) error {
	wait, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	received, err := conn.WaitForNotification(wait)
	switch {
	case err == nil:
		// A notifier also gets its own payloads.
		if received.Channel == n.Channel && received.PID != conn.PgConn().PID() {
			n.Incoming(received.Payload)
		}
		return nil
	case wait.Err() == nil || conn.IsClosed():
		return err
	case ctx.Err() == nil && checkSilence:
		ctx, cancel := context.WithTimeout(ctx, n.timings.timeout)
		defer cancel()
		return conn.Ping(ctx)
	}

	return nil
}
