package app

import (
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sys/unix"

	"vitrine/internal/api/httpapi"
)

const (
	// The administration has connections of its own, so that health checks are answered while the API has no room: one
	// adminPart-th of the file descriptors, within these bounds.
	adminPart                                = 16
	minAdminConnections, maxAdminConnections = 8, 256
	// filesPart and minFiles reserve file descriptors for the database, temporary files and outgoing connections.
	filesPart, minFiles = 4, 64
	// fewFiles is the limit of file descriptors below which a line in the log advises to raise it: with 4,096 the API
	// has some 2,800 connections.
	fewFiles = 4096
	// minConnections is how many connections the API takes at least, however few file descriptors there are.
	minConnections = 16
)

// connectionLimits returns the limits of the listeners of the API and of the administration. They are derived from the
// number of file descriptors that the process may open. Each listener has a share of the memory, too.
func (a *App) connectionLimits() (api, admin httpapi.ConnectionLimits, err error) {
	trusted, err := a.cfg.TrustedProxies()
	if err != nil {
		return api, admin, err
	}

	refused := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "vitrine_connections_refused_total",
		Help: "Connections that were refused, by listener and by the limit that they exceeded: total, " +
			"address or memory.",
	}, []string{"listener", "limit"})
	if err := a.Registry.Register(refused); err != nil {
		return api, admin, err
	}

	// A counter that begins at 1 has no rate: alerts would miss the first refusals.
	for _, listener := range []string{"api", "admin"} {
		for _, limit := range []string{"total", "address", "memory"} {
			refused.WithLabelValues(listener, limit)
		}
	}

	count := func(listener string) func(string) {
		return func(limit string) { refused.WithLabelValues(listener, limit).Inc() }
	}
	perAddress := a.cfg.ConnectionsPerAddress
	if a.cfg.Dev {
		perAddress = 0
	}

	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return api, admin, err
	}

	if files.Cur < fewFiles {
		a.log.Warn("the process may open few files, which bounds its connections; raise the limit, such as "+
			"LimitNOFILE of systemd or ulimit -n", "limit", files.Cur, "advised", fewFiles)
	}

	total := int(min(files.Cur, 1<<20))
	ofAdmin := min(maxAdminConnections, max(minAdminConnections, total/adminPart))
	api = httpapi.ConnectionLimits{
		Total: max(minConnections, total-ofAdmin-max(minFiles, total/filesPart)), PerAddress: perAddress,
		Exempt: trusted,
		Memory: a.budget.Connections, Refused: count("api"),
	}
	admin = httpapi.ConnectionLimits{Total: ofAdmin, PerAddress: min(perAddress, ofAdmin/2), Exempt: trusted,
		Memory: a.budget.AdminConnections, Refused: count("admin")}

	return api, admin, nil
}
