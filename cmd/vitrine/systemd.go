package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// serviceManager tells systemd, or another service manager with its protocol (sd_notify), what the server does. Without
// a service manager all methods do nothing.
type serviceManager struct {
	// socket is the path of a Unix socket, or a name in the abstract namespace with a leading @; "" means none.
	socket string
	// watchdog is the longest time between two messages after which systemd restarts the server; 0 means no limit.
	watchdog time.Duration
	log      *slog.Logger
}

// findServiceManager reads the environment that systemd sets for a service with Type=notify.
func findServiceManager(log *slog.Logger) serviceManager {
	return serviceManager{
		socket:   os.Getenv("NOTIFY_SOCKET"),
		watchdog: watchdogInterval(os.Getenv("WATCHDOG_USEC"), os.Getenv("WATCHDOG_PID"), os.Getpid()),
		log:      log,
	}
}

// watchdogInterval returns the interval of a watchdog, or 0 if there is none or it watches another process.
func watchdogInterval(microseconds, pid string, own int) time.Duration {
	n, err := strconv.ParseInt(microseconds, 10, 64)
	if err != nil || n <= 0 || pid != "" && pid != strconv.Itoa(own) {
		return 0
	}
	return time.Duration(n) * time.Microsecond
}

// notify sends variables such as READY=1 in one message. A failure is logged: the server works without systemd.
func (m serviceManager) notify(ctx context.Context, variables ...string) {
	if m.socket == "" {
		return
	}
	// Go and systemd both write an abstract name with a leading @.
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.socket, Net: "unixgram"})
	if err == nil {
		_, err = conn.Write([]byte(strings.Join(variables, "\n")))
		err = errors.Join(err, conn.Close())
	}
	if err != nil {
		m.log.WarnContext(ctx, "could not notify the service manager", "error", err)
	}
}

// ready reports that the server accepts requests, and when ctx is done that it stops.
func (m serviceManager) ready(ctx context.Context, status string) {
	m.notify(ctx, "READY=1", "STATUS="+status)
	context.AfterFunc(ctx, func() {
		m.notify(context.WithoutCancel(ctx), "STOPPING=1", "STATUS=Completing the requests in progress")
	})
}

// keepAlive tells the watchdog that the process is alive, twice in each of its intervals, until ctx is done.
func (m serviceManager) keepAlive(ctx context.Context) {
	if m.socket == "" || m.watchdog == 0 {
		return
	}
	ticker := time.NewTicker(m.watchdog / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			m.notify(ctx, "WATCHDOG=1")
		}
	}
}
