package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
)

const (
	// exportAim is the minimum ratio of an export to reading the same rows bare.
	exportAim = 0.5
	// exportMemoryAim is how much the memory of the program may grow during an export of a million products, in MiB.
	exportMemoryAim = 128
	// exportRounds is how often an export is measured.
	exportRounds = 3
)

// Export compares an export of all products with reading the same columns of the same rows, in the same order and
// by the same driver. It also measures the memory of the program during the export, beyond what it had before.
func Export(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSize(func(n int) ([]harness.Figure, error) { return exportProducts(ctx, e, n) })
}

func exportProducts(ctx context.Context, e *harness.Environment, n int) (_ []harness.Figure, err error) {
	storage, keys, err := e.Stores.EnsureFilled(ctx, e.Engine, n)
	if err != nil {
		return nil, err
	}

	at := *e
	at.URL = storage.DatabaseURL()
	p, _, err := at.StartProcess(ctx, storage.Data, "--search-memory", "512")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	s := &harness.Server{URL: p.API, Admin: p.Admin, Keys: keys}
	c := harness.NewClient()
	if err := s.WaitForFacets(ctx, c); err != nil {
		return nil, err
	}

	for _, entity := range []string{"features", "variant-options", "categories", "stocks", "products"} {
		if err := export(ctx, s, c, entity+"?assign_ids=true", nil); err != nil {
			return nil, err
		}
	}

	before, err := p.MemoryMiB("VmRSS")
	if err != nil {
		return nil, err
	}
	if err := p.ResetPeakMemory(); err != nil {
		return nil, err
	}

	if err := export(ctx, s, c, "products", func(h http.Header) error {
		if h.Get("X-Export-Total") != fmt.Sprint(n) || h.Get("X-Export-Left-Out") != "0" {
			return fmt.Errorf("exported %s products and left out %s, want %d and 0", h.Get("X-Export-Total"),
				h.Get("X-Export-Left-Out"), n)
		}
		return nil
	}); err != nil {
		return nil, err
	}

	peak, err := p.MemoryMiB("VmHWM")
	if err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, database.Config{URL: at.URL})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	ours, raw, err := harness.MeasureAlternately(exportRounds,
		func() (time.Duration, error) {
			return harness.MeasureTime(func() error { return export(ctx, s, c, "products", nil) })
		},
		func() (time.Duration, error) {
			return harness.MeasureTime(func() error { return harness.ReadProductRows(ctx, db, keys.StoreID) })
		})
	if err != nil {
		return nil, err
	}

	ratio := raw.Seconds() / ours.Seconds()
	memory := harness.Figure{Name: fmt.Sprintf("export %s, memory at its peak", harness.FormatThousands(n)),
		Engine: e.Engine,
		Ours:   fmt.Sprintf("%+.0f MiB", peak-before),
		Raw:    fmt.Sprintf("%.0f MiB before", before), Ratio: before / peak}
	if n == harness.Million {
		memory.Aim = fmt.Sprintf("≤ %d MiB", exportMemoryAim)
		memory.Met = peak-before <= exportMemoryAim
	}

	return []harness.Figure{{Name: fmt.Sprintf("export %s", harness.FormatThousands(n)), Engine: e.Engine,
		Ours: harness.FormatRate(n, ours) + " products/s", Raw: harness.FormatRate(n, raw) + " products/s",
		Ratio: ratio,
		Aim:   fmt.Sprintf("≥ %g", exportAim), Met: ratio >= exportAim}, memory}, nil
}

// export reads an export to its end. check, if it is not nil, examines the headers.
func export(ctx context.Context, s *harness.Server, c *http.Client, path string, check func(http.Header) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		s.URL+"/v2/sync-gate/"+s.Keys.ExchangeToken+"/"+path, nil)
	if err != nil {
		return err
	}

	res, err := c.Do(req)
	if err != nil {
		return err
	}

	_, err = io.Copy(io.Discard, res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s answered %d", path, res.StatusCode)
	}
	if check == nil {
		return nil
	}

	return check(res.Header)
}
