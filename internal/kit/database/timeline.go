package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// timelineSurveyPause is the least time between two looks at all servers of the URL.
	timelineSurveyPause = 10 * time.Second
	// timelineSurveyTimeout limits such a look. A server that does not answer by then is taken for lost.
	timelineSurveyTimeout = time.Second
)

// timeline is the history on which a primary writes.
type timeline struct {
	system string
	number uint64
}

// timelineGuard refuses an old primary that was started again after a failover: what it acknowledges would be lost. It
// remembers the highest timeline of the installation, also over restarts, and asks all servers of the URL for theirs.
type timelineGuard struct {
	file    string // "" to remember only until the end of the process
	reads   bool   // the file is only read
	servers []*pgconn.Config
	log     *slog.Logger

	mu         sync.Mutex
	highest    timeline
	nextSurvey time.Time
}

// guardTimeline makes all connections of c refuse an old primary, after the check that c has already.
func guardTimeline(c *pgconn.Config, cfg Config) error {
	highest, err := readTimelineFile(cfg.TimelineFile)
	if err != nil {
		return err
	}

	g := &timelineGuard{file: cfg.TimelineFile, reads: cfg.KeepTimelineFile, servers: eachServer(c), log: cfg.Log,
		highest: highest}
	before := c.ValidateConnect
	c.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if before != nil {
			if err := before(ctx, conn); err != nil {
				return err
			}
		}
		return g.check(ctx, conn)
	}

	return nil
}

// eachServer returns a configuration for each server of c, without checks. It returns nil if there is only one server.
func eachServer(c *pgconn.Config) []*pgconn.Config {
	var servers []*pgconn.Config
	first := &pgconn.FallbackConfig{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}
	for _, f := range append([]*pgconn.FallbackConfig{first}, c.Fallbacks...) {
		last := len(servers) - 1
		if last >= 0 && servers[last].Host == f.Host && servers[last].Port == f.Port {
			servers[last].Fallbacks = append(servers[last].Fallbacks, f) // the same server without TLS
			continue
		}

		server := c.Copy()
		server.Host, server.Port, server.TLSConfig, server.Fallbacks = f.Host, f.Port, f.TLSConfig, nil
		server.ValidateConnect, server.ConnectTimeout = nil, timelineSurveyTimeout
		servers = append(servers, server)
	}

	if len(servers) == 1 {
		return nil
	}
	return servers
}

// check returns an error if the server of conn writes on a timeline that the installation has left. A server that
// cannot tell its timeline is accepted.
func (g *timelineGuard) check(ctx context.Context, conn *pgconn.PgConn) error {
	found, ok := readTimeline(ctx, conn)
	if !ok {
		return nil
	}

	g.survey(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	if found.system == g.highest.system && found.number < g.highest.number {
		return g.refuse(found)
	}

	g.note(found)
	return nil
}

// survey asks all servers for their timelines, unless it was done a moment ago.
func (g *timelineGuard) survey(ctx context.Context) {
	g.mu.Lock()
	now := time.Now()
	due := len(g.servers) > 0 && now.After(g.nextSurvey)
	if due {
		g.nextSurvey = now.Add(timelineSurveyPause)
	}
	g.mu.Unlock()

	if !due {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, timelineSurveyTimeout)
	defer cancel()
	var all sync.WaitGroup
	for _, server := range g.servers {
		all.Go(func() {
			conn, err := pgconn.ConnectConfig(ctx, server)
			if err != nil {
				return
			}
			defer func() { _ = conn.Close(ctx) }()
			if found, ok := readTimeline(ctx, conn); ok {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.noteHigher(found)
			}
		})
	}

	all.Wait()
}

// noteHigher notes a timeline of the installation in use. The caller holds mu.
func (g *timelineGuard) noteHigher(found timeline) {
	if g.highest.system == "" || found.system == g.highest.system && found.number > g.highest.number {
		g.note(found)
	}
}

// note remembers a timeline. The caller holds mu.
func (g *timelineGuard) note(found timeline) {
	if found == g.highest {
		return
	}
	if g.highest.system != "" {
		g.log.Info("the database has a new primary or was restored", "timeline", found.number,
			"timeline_before", g.highest.number)
	}
	g.highest = found
	if g.reads {
		return
	}
	if err := writeTimelineFile(g.file, found); err != nil {
		g.log.Warn("the timeline of the database is not remembered over a restart", "file", g.file, "error", err)
	}
}

// refuse returns the error of an old primary. The caller holds mu.
func (g *timelineGuard) refuse(found timeline) error {
	hint := ""
	if g.file != "" {
		hint = " If you restored this database on purpose, delete " + g.file + " and start again."
	}
	return fmt.Errorf("this server writes on timeline %d of the database, which has gone on on timeline %d: it is an "+
		"old primary that was started again after a failover, and orders that it took would be lost. Stop it, or make "+
		"it a standby with pg_rewind.%s", found.number, g.highest.number, hint)
}

// readTimelineFile returns what writeTimelineFile wrote. It returns no timeline without a file, and from an empty one,
// which a disk that does not keep its promises leaves after a power cut.
func readTimelineFile(file string) (timeline, error) {
	if file == "" {
		return timeline{}, nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return timeline{}, nil
	}
	if err != nil {
		return timeline{}, fmt.Errorf("read the timeline of the database: %w", err)
	}

	line := strings.TrimSpace(string(text))
	if line == "" {
		return timeline{}, nil
	}
	system, number, _ := strings.Cut(line, " ")
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return timeline{}, fmt.Errorf("read the timeline of the database: %s must hold the identifier of the "+
			"installation and a number; delete it if the database has the right primary", file)
	}
	return timeline{system, n}, nil
}

// writeTimelineFile replaces the file. It does nothing if its folder does not exist, as for a command that is told the
// address of the database only.
func writeTimelineFile(file string, t timeline) error {
	if file == "" {
		return nil
	}

	next, err := os.OpenFile(file+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}

	_, err = fmt.Fprintf(next, "%s %d\n", t.system, t.number)
	if err == nil {
		err = next.Sync() // otherwise a power cut could leave an empty file
	}
	if err = errors.Join(err, next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), file)
}
