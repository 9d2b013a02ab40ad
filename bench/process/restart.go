package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/config"
)

const (
	// restartRounds and rebuildRounds are how often the program is started with the file of the columns and without.
	restartRounds, rebuildRounds = 5, 1
	// restartAim is the maximum time from the start of the process to the first list with facets of a million products.
	restartAim = time.Second
)

// Restart measures the time from the start of the process until it has answered a list of products with facets
// from memory, with the file of the search columns and without it. It compares that with reading the file.
func Restart(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSize(func(n int) ([]harness.Figure, error) {
		storage, keys, err := e.Stores.EnsureFilled(ctx, e.Engine, n)
		if err != nil {
			return nil, err
		}

		at := *e
		at.URL = storage.DatabaseURL()
		start := func() (time.Duration, error) { return startUntilList(ctx, &at, storage, harness.Server{Keys: keys}) }
		rebuild := func() (time.Duration, error) {
			if err := os.RemoveAll(storage.SearchDir()); err != nil {
				return 0, err
			}
			return start()
		}
		read := func() (time.Duration, error) {
			return harness.MeasureTime(func() error { return readFiles(storage.SearchDir()) })
		}

		// The first start leaves the file.
		nothing := func() (time.Duration, error) { return 0, nil }
		without, _, err := harness.MeasureAlternately(rebuildRounds, rebuild, nothing)
		if err != nil {
			return nil, err
		}

		with, raw, err := harness.MeasureAlternately(restartRounds, start, read)
		if err != nil {
			return nil, err
		}

		line := func(name string, took time.Duration) harness.Figure {
			return harness.Figure{
				Name: fmt.Sprintf("start to facets of %s, %s", harness.FormatThousands(n), name), Engine: e.Engine,
				Ours: harness.FormatDuration(took), Raw: harness.FormatDuration(raw) + " read of the file",
				Ratio: raw.Seconds() / took.Seconds(),
			}
		}
		restart := line("with the file", with)
		if n == harness.Million {
			restart.Aim = "≤ 1 s"
			restart.Met = with <= restartAim
		}

		return []harness.Figure{restart, line("without", without)}, nil
	})
}

// startUntilList starts the process, waits for a list with facets from the columns, and stops the process. It returns
// the time until the list was there.
func startUntilList(
	ctx context.Context, e *harness.Environment, storage config.Storage, s harness.Server,
) (took time.Duration, err error) {
	start := time.Now()
	p, _, err := e.StartProcess(ctx, storage.Data, "--search-memory", "512")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	s.URL, s.Admin = p.API, p.Admin
	c := harness.NewClient()
	err = s.WaitForFacets(ctx, c)
	took = time.Since(start)
	if err != nil {
		return 0, err
	}

	answers, err := s.ReadMetric(c, `vitrine_search_queries_total{by="columns"}`)
	if err == nil && answers == 0 {
		err = errors.New("the list was not answered from the columns")
	}

	return took, err
}

// readFiles reads the files of a directory from their beginning to their end.
func readFiles(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, fmt.Errorf("no files in %s", dir))
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f})
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
