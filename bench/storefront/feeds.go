package storefront

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const (
	// wholeSeconds and wholeMiB are the limits for the sitemap, and for a feed, of a million products: the time, and
	// the memory beyond what the program had before.
	wholeSeconds = 60
	wholeMiB     = 96
	// unchangedLimit is how long the answer to a client that has everything may take.
	unchangedLimit = 100 * time.Millisecond
)

// Feeds measures product feeds and the sitemap, each in a process of its own: the time of a first request against
// reading the same columns of the same rows bare, the memory meanwhile, and the time of the second request, whose
// answer is a 304.
func Feeds(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	return e.EachSize(func(n int) ([]harness.Figure, error) {
		var figures []harness.Figure
		for _, read := range []wholeRead{
			{"feed in YML", readFeed("yml", "<offer "), harness.ReadProductRows},
			{"feed for Google", readFeed("google", "<item>"), harness.ReadProductRows},
			{"sitemap", readSitemap, readSitemapRows},
		} {
			list, err := read.measure(ctx, e, n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", read.name, err)
			}
			figures = append(figures, list...)
		}
		return figures, nil
	})
}

// wholeRead reads all products of a store.
type wholeRead struct {
	name string
	// read reads everything, unless r has the tags of what was read before. It returns the number of products or
	// offers.
	read func(r *wholeReader) (int, error)
	// bare reads the same rows.
	bare func(ctx context.Context, db *database.DB, storeID store.ID) error
}

// wholeReader is a client with the tags of the responses to it.
type wholeReader struct {
	*harness.Server
	client *http.Client
	tags   map[string]string
	bytes  int64
}

// measure runs the benchmark with n products.
func (w wholeRead) measure(ctx context.Context, e *harness.Environment, n int) (_ []harness.Figure, err error) {
	storage, keys, err := e.Stores.EnsureFilled(ctx, e.Engine, n)
	if err != nil {
		return nil, err
	}
	own := *e
	own.URL = storage.DatabaseURL()
	// Without columns the heap is small, so that the garbage collector lets it grow by what is measured.
	p, _, err := own.StartProcess(ctx, storage.Data, "--search-memory", "0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	db, err := database.Open(ctx, database.Config{URL: own.URL})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := addPictures(ctx, db, keys.StoreID); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removePictures(context.WithoutCancel(ctx), db, keys.StoreID)) }()

	s := &harness.Server{URL: p.Admin, Admin: p.Admin, Keys: keys}
	c := harness.NewClient()
	site := []byte(`{"site_url":"https://shop.example"}`)
	if _, err := s.Do(c, http.MethodPut, "/api/store/settings", site); err != nil {
		return nil, err
	}
	s.URL = p.API

	before, err := p.MemoryMiB("VmRSS")
	if err != nil {
		return nil, err
	}
	if err := p.ResetPeakMemory(); err != nil {
		return nil, err
	}

	worked, err := p.ProcessorTime()
	if err != nil {
		return nil, err
	}
	r := &wholeReader{Server: s, client: c, tags: map[string]string{}}
	found := 0
	took, err := harness.MeasureTime(func() (err error) {
		found, err = w.read(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	if found < n {
		return nil, fmt.Errorf("%d products have %d entries", n, found)
	}

	peak, err := p.MemoryMiB("VmHWM")
	if err != nil {
		return nil, err
	}
	workedThen, err := p.ProcessorTime()
	if err != nil {
		return nil, err
	}
	size := r.bytes
	again, err := harness.MeasureTime(func() error {
		_, err := w.read(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	if r.bytes != size {
		return nil, fmt.Errorf("what has not changed was sent again: %d bytes", r.bytes-size)
	}

	bare, err := harness.MeasureTime(func() error { return w.bare(ctx, db, keys.StoreID) })
	if err != nil {
		return nil, err
	}
	harness.PrintNote("%s of %s: %s entries, %.0f MiB, %.1f s of a processor", w.name, harness.FormatThousands(n),
		harness.FormatThousands(found), float64(size)/(1<<20), (workedThen - worked).Seconds())

	name := fmt.Sprintf("%s of %s", w.name, harness.FormatThousands(n))
	duration := harness.Figure{Name: name, Engine: e.Engine, Ours: fmt.Sprintf("%.1f s", took.Seconds()),
		Raw: fmt.Sprintf("%.1f s", bare.Seconds()), Ratio: bare.Seconds() / took.Seconds()}
	memory := harness.Figure{Name: name + ", memory at its peak", Engine: e.Engine,
		Ours: fmt.Sprintf("%+.0f MiB", peak-before), Raw: fmt.Sprintf("%.0f MiB before", before), Ratio: before / peak}
	if n == harness.Million {
		duration.Aim = fmt.Sprintf("≤ %d s", wholeSeconds)
		duration.Met = took.Seconds() <= wholeSeconds
		memory.Aim = fmt.Sprintf("≤ %d MiB", wholeMiB)
		memory.Met = peak-before <= wholeMiB
	}
	unchanged := harness.Figure{Name: name + ", unchanged", Engine: e.Engine, Ours: harness.FormatDuration(again),
		Raw: harness.FormatDuration(took), Ratio: took.Seconds() / again.Seconds(),
		Aim: "≤ " + harness.FormatDuration(unchangedLimit), Met: again <= unchangedLimit}
	return []harness.Figure{duration, memory, unchanged}, nil
}

// readFeed returns a function that defines a feed and counts its offers, each of which begins with a line.
func readFeed(format, firstLine string) func(r *wholeReader) (int, error) {
	path := "/v2/feeds/bench-" + format
	return func(r *wholeReader) (int, error) {
		if len(r.tags) == 0 {
			if _, err := r.Do(r.client, http.MethodPut, path, []byte(`{"format":"`+format+`"}`)); err != nil {
				return 0, err
			}
		}
		return r.count(path, firstLine)
	}
}

// readSitemap counts the pages in the files of the sitemap.
func readSitemap(r *wholeReader) (pages int, err error) {
	files, err := r.count("/v2/sitemap.xml", "<sitemap>")
	if err != nil {
		return 0, err
	}
	if files == 0 { // unchanged
		files = len(r.tags) - 1
	}

	for file := range files {
		n, err := r.count(fmt.Sprintf("/v2/sitemap/%d.xml", file+1), "<url>")
		if err != nil {
			return 0, err
		}
		pages += n
	}
	return pages, nil
}

// count reads a response, unless it is the same as before, and counts its lines that begin with a text.
func (r *wholeReader) count(path, prefix string) (lines int, err error) {
	req, err := http.NewRequest(http.MethodGet, r.URL+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+r.Keys.SecretKey)
	req.Header.Set("Accept-Encoding", "gzip") // as marketplaces do
	if tag := r.tags[path]; tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	res, err := r.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()

	if res.StatusCode == http.StatusNotModified {
		return 0, nil
	}
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("GET %s answered %s", path, res.Status)
	}
	r.tags[path] = res.Header.Get("ETag")

	body := io.Reader(res.Body)
	if res.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(body); err != nil {
			return 0, err
		}
	}
	scanner := bufio.NewScanner(body)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		r.bytes += int64(len(scanner.Bytes()) + 1)
		if bytes.HasPrefix(scanner.Bytes(), []byte(prefix)) {
			lines++
		}
	}
	return lines, scanner.Err()
}

// readSitemapRows reads the columns of all products that the sitemap has.
func readSitemapRows(ctx context.Context, db *database.DB, storeID store.ID) error {
	var slug, seo *string
	var touched, updated int64
	return db.Snapshot(ctx, func(q database.Querier) error {
		return database.QueryEach(ctx, q, `SELECT slug, seo, COALESCE(touched_at, 0), updated_at FROM products `+
			`WHERE store_id = $1 AND archived_at IS NULL ORDER BY key`, []any{storeID},
			func(rows database.Rows) error { return rows.Scan(&slug, &seo, &touched, &updated) })
	})
}

// addPictures gives each product without a picture a row of one, since feeds leave out what has none. The other
// benchmarks have pictures of the first products only, so removePictures removes the rows.
func addPictures(ctx context.Context, db *database.DB, storeID store.ID) error {
	randomID, noDigest := "gen_random_uuid()", "''::bytea"
	if db.Engine() == database.SQLite {
		randomID, noDigest = "randomblob(16)", "x''"
	}
	return db.Write(ctx, func(q database.Querier) error {
		return database.Exec(ctx, q, `
INSERT INTO images (store_id, id, external_id, product_key, position, format, opaque, width, height, size, digest,
	version, created_at, updated_at)
SELECT p.store_id, `+randomID+`, 'bench ' || p.key, p.key, 0, 'jpeg', TRUE, 800, 800, 1, `+noDigest+`, 1, 0, 0
FROM products p
WHERE p.store_id = $1
  AND NOT EXISTS (SELECT 1 FROM images i WHERE i.store_id = p.store_id AND i.product_key = p.key)`, storeID)
	})
}

func removePictures(ctx context.Context, db *database.DB, storeID store.ID) error {
	return db.Write(ctx, func(q database.Querier) error {
		return database.Exec(ctx, q, `DELETE FROM images WHERE store_id = $1 AND external_id LIKE 'bench %'`, storeID)
	})
}
