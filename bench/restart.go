package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"vitrine/internal/kit/config"
)

const (
	// restartRounds and rebuildRounds are how often the program is started with the file of the columns and without.
	restartRounds, rebuildRounds = 5, 1
	// restartAim is the maximum time from the start of the process to the first list with facets of a million products.
	restartAim = time.Second
)

// benchRestart measures the time from the start of the process until it has answered a list of products with facets
// from memory, with the file of the search columns and without it. It compares that with reading the file.
func benchRestart(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	return e.eachSize(func(n int) ([]figure, error) {
		storage, keys, err := e.stores.ensureFilled(ctx, e.engine, n)
		if err != nil {
			return nil, err
		}

		at := *e
		at.url = storage.DatabaseURL()
		start := func() (time.Duration, error) { return at.startUntilList(ctx, storage, benchServer{keys: keys}) }
		rebuild := func() (time.Duration, error) {
			if err := os.RemoveAll(storage.SearchDir()); err != nil {
				return 0, err
			}
			return start()
		}
		read := func() (time.Duration, error) {
			return measureTime(func() error { return readFiles(storage.SearchDir()) })
		}

		// The first start leaves the file.
		without, _, err := measureAlternately(rebuildRounds, rebuild, func() (time.Duration, error) { return 0, nil })
		if err != nil {
			return nil, err
		}

		with, raw, err := measureAlternately(restartRounds, start, read)
		if err != nil {
			return nil, err
		}

		line := func(name string, took time.Duration) figure {
			return figure{
				name: fmt.Sprintf("start to facets of %s, %s", formatThousands(n), name), engine: e.engine,
				ours: formatDuration(took), raw: formatDuration(raw) + " read of the file",
				ratio: raw.Seconds() / took.Seconds(),
			}
		}
		restart := line("with the file", with)
		if n == million {
			restart.aim = "≤ 1 s"
			restart.met = with <= restartAim
		}

		return []figure{restart, line("without", without)}, nil
	})
}

// startUntilList starts the process, waits for a list with facets from the columns, and stops the process. It returns
// the time until the list was there.
func (e *benchEnvironment) startUntilList(
	ctx context.Context, storage config.Storage, s benchServer,
) (took time.Duration, err error) {
	start := time.Now()
	p, _, err := e.startProcess(ctx, storage.Data, "--search-memory", "512")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()

	s.url, s.admin = p.api, p.admin
	c := newClient()
	err = s.waitForFacets(ctx, c)
	took = time.Since(start)
	if err != nil {
		return 0, err
	}

	answers, err := s.readMetric(c, `vitrine_search_queries_total{by="columns"}`)
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
