package app

import (
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/outbound"
)

// newOutboundGuard creates the guard that checks all requests to URLs of users. The configuration may allow exceptions.
func newOutboundGuard(cfg config.Serve, version string, now func() time.Time) (*outbound.Guard, error) {
	nets, err := cfg.AllowedNets()
	if err != nil {
		return nil, err
	}
	return outbound.New(outbound.Config{AllowNets: nets, AllowHTTP: cfg.AllowsHTTP(), UserAgent: "Vitrine/" + version,
		Now: now}), nil
}
