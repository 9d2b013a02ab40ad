package attribute

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"vitrine/bench/harness"
)

const (
	listedOptions = 50
	listedValues  = 20
	listRequests  = 4000
)

// ListOptions compares GET /v2/variant-options?with=values of 50 options × 20 values with a bare handler that
// writes the same bytes.
func ListOptions(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	s, err := e.StartServer(ctx)
	if err != nil {
		return nil, err
	}

	c := harness.NewClient()
	for i := range listedOptions {
		if _, err := s.Do(c, "POST", "/v2/variant-options", optionBody("Option "+
			strconv.Itoa(i), listedValues)); err != nil {
			return nil, err
		}
	}

	const path = "/v2/variant-options?with=values"
	body, err := s.Do(c, "GET", path, nil)
	if err != nil {
		return nil, err
	}

	bare, stopBare, err := harness.ServeBytes(body)
	if err != nil {
		return nil, err
	}

	ours := func() (time.Duration, error) {
		return harness.TimeRequests(c, func() string { return s.URL + path }, s.Keys.PublishableKey, len(body),
			listRequests)
	}
	raw := func() (time.Duration, error) {
		return harness.TimeRequests(c, func() string { return bare + path }, s.Keys.PublishableKey, len(body),
			listRequests)
	}
	if _, err := ours(); err != nil {
		return nil, err
	}

	o, r, err := harness.MeasureAlternately(7, ours, raw)
	if err != nil {
		return nil, err
	}

	stopBare()
	if err := s.Stop(); err != nil {
		return nil, err
	}

	f := harness.Figure{
		Name: fmt.Sprintf("list 50 options × 20 values (%d KB)", len(body)>>10), Engine: e.Engine,
		Ours: harness.FormatRate(listRequests, o) + " req/s", Raw: harness.FormatRate(listRequests, r) + " req/s",
		Ratio: r.Seconds() / o.Seconds(),
	}
	if e.Engine == "sqlite" {
		f.Aim = "≥ 0.3"
		f.Met = f.Ratio >= 0.3
	}

	return []harness.Figure{f}, nil
}
