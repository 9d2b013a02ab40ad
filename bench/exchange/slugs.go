package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const (
	// renameAim is the minimum ratio of a push of new names with new slugs to one of new names alone. With slugs it
	// also writes the rows of their history.
	renameAim = 0.5
	// renameRounds is how often each push is measured.
	renameRounds = 3
)

// Slugs measures pushes of new names with new slugs against pushes of new names alone, checks that every former
// address redirects once to the present one, and measures how products of an older program get their slugs.
func Slugs(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	for _, n := range e.Pushes.Sizes {
		more, err := measureSlugs(ctx, e, n)
		if err != nil {
			return nil, fmt.Errorf("%s products: %w", harness.FormatThousands(n), err)
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

// slugBench is a store with pushed products, and another store beside it.
type slugBench struct {
	*harness.Environment
	data     string
	process  *harness.Process
	shop     *harness.Server
	other    *harness.Server
	client   *http.Client
	products int
}

func measureSlugs(ctx context.Context, e *harness.Environment, n int) (_ []harness.Figure, err error) {
	fresh, drop, err := e.FreshEnvironment(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()

	b := &slugBench{Environment: fresh, client: harness.NewClient(), products: n, shop: &harness.Server{},
		other: &harness.Server{}}
	if b.data, err = os.MkdirTemp(fresh.Dir, "slugs-"); err != nil {
		return nil, err
	}
	for _, s := range []*harness.Server{b.shop, b.other} {
		if s.Keys, err = fresh.CreateStore(ctx, b.data); err != nil {
			return nil, err
		}
	}
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.process.Stop()) }()

	if err := b.shop.PushReferences(ctx); err != nil {
		return nil, err
	}
	if _, err := b.shop.PushExpecting(ctx, 0, n, harness.FirstPrice, harness.CreatedCount); err != nil {
		return nil, err
	}

	renames, err := b.measureRenames(ctx)
	if err != nil {
		return nil, err
	}
	redirects, err := b.measureRedirects()
	if err != nil {
		return nil, err
	}
	upgrade, err := b.measureUpgrade(ctx)
	return append([]harness.Figure{renames, redirects}, upgrade...), err
}

// start starts the program.
func (b *slugBench) start(ctx context.Context) (err error) {
	if b.process, _, err = b.StartProcess(ctx, b.data); err != nil {
		return err
	}
	for _, s := range []*harness.Server{b.shop, b.other} {
		s.URL, s.Admin = b.process.API, b.process.Admin
	}
	return nil
}

// measureRenames compares the two kinds of pushes.
func (b *slugBench) measureRenames(ctx context.Context) (harness.Figure, error) {
	name := 0
	push := func(member string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			name++
			before, err := b.process.ProcessorTime()
			if err != nil {
				return 0, err
			}
			done, took, err := b.shop.Push(ctx, "products", nameLines(b.products, name, member))
			if err == nil && done.Updated != b.products {
				err = fmt.Errorf("the push has the counts %+v", done)
			}
			if err != nil {
				return 0, err
			}

			after, err := b.process.ProcessorTime()
			harness.PrintNote("names %d%s: %s, %s of a processor", name, member, harness.FormatDuration(took),
				harness.FormatDuration(after-before))
			return took, err
		}
	}

	// The slug of the last push is known, since the number of pushes is.
	ours, raw, err := harness.MeasureAlternately(renameRounds, push(`,"slug":null`), push(""))
	ratio := raw.Seconds() / ours.Seconds()
	return harness.Figure{Name: fmt.Sprintf("push %s new names with new slugs", harness.FormatThousands(b.products)),
		Engine: b.Engine, Ours: harness.FormatRate(b.products, ours) + " products/s",
		Raw: harness.FormatRate(b.products, raw) + " products/s without", Ratio: ratio,
		Aim: fmt.Sprintf("≥ %g", renameAim), Met: ratio >= renameAim}, err
}

// nameLines returns new names of n products as NDJSON. member stands behind each.
func nameLines(n, name int, member string) io.Reader {
	r, w := io.Pipe()
	go func() {
		b := bufio.NewWriter(w)
		for i := range n {
			fmt.Fprintf(b, `{"id":%d,"name":"Name %d of product %d"%s}`+"\n", i, name, i, member)
		}
		_ = w.CloseWithError(b.Flush())
	}()
	return r
}

// renamed are the numbers of the names with new slugs, as MeasureAlternately measures them: first ours, then raw; then
// raw, then ours.
var renamed = []int{1, 4, 5}

// measureRedirects reads the first address of each product, and the second of each, and compares that with reads of
// present addresses.
func (b *slugBench) measureRedirects() (harness.Figure, error) {
	present := func(i int) string { return fmt.Sprintf("/p/name-%d-of-product-%d", renamed[len(renamed)-1], i) }
	first := func(i int) string { return fmt.Sprintf("/p/product-number-%d", i) }
	second := func(i int) string { return fmt.Sprintf("/p/name-%d-of-product-%d", renamed[0], i) }

	read := func(path func(i int) string, redirect int) (time.Duration, error) {
		return harness.RunConcurrently(harness.ListClients, b.products, func(i int) error {
			return b.wantResolved(path(i), present(i), redirect)
		})
	}
	if _, err := read(second, http.StatusMovedPermanently); err != nil {
		return harness.Figure{}, err
	}
	ours, err := read(first, http.StatusMovedPermanently)
	if err != nil {
		return harness.Figure{}, err
	}
	raw, err := read(present, 0)
	ratio := raw.Seconds() / ours.Seconds()
	return harness.Figure{
		Name:   fmt.Sprintf("former addresses of %s products, each one hop", harness.FormatThousands(b.products)),
		Engine: b.Engine, Ours: harness.FormatRate(b.products, ours) + " req/s",
		Raw: harness.FormatRate(b.products, raw) + " req/s of present ones", Ratio: ratio, Aim: "≥ 0.8",
		Met: ratio >= 0.8}, err
}

// wantResolved checks where a path leads. redirect is 0 for none.
func (b *slugBench) wantResolved(path, canonical string, redirect int) error {
	body, err := b.shop.Do(b.client, http.MethodGet, "/v2/resolve?path="+path, nil)
	if err != nil {
		return err
	}
	var found struct {
		Data struct {
			Canonical string `json:"canonical"`
			Redirect  int    `json:"redirect"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return err
	}

	if found.Data.Canonical != canonical || found.Data.Redirect != redirect {
		return fmt.Errorf("%s leads to %+v, not to %s", path, found.Data, canonical)
	}
	return nil
}

const (
	// writeEvery is the time between two writes beside the upgrade, and writesAlone the number of those without it.
	writeEvery  = 20 * time.Millisecond
	writesAlone = 200
	// writesPerCheck is the number of writes between two looks at the progress.
	writesPerCheck = 10
)

// measureUpgrade removes all slugs and measures how they are made again, with a kill after half of them. Meanwhile
// another store writes.
func (b *slugBench) measureUpgrade(ctx context.Context) (_ []harness.Figure, err error) {
	checks := 0
	alone, err := b.writeUntil(func() (bool, error) {
		checks++
		return checks > writesAlone/writesPerCheck, nil
	})
	if err != nil {
		return nil, err
	}
	if err := b.process.Stop(); err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, database.Config{URL: b.URL})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	storeID := b.shop.Keys.StoreID
	for _, sql := range []string{`DELETE FROM product_slugs WHERE store_id = $1`,
		`UPDATE products SET slug = NULL WHERE store_id = $1`} {
		remove := func(q database.Querier) error { return database.Exec(ctx, q, sql, storeID) }
		if err := db.Write(ctx, remove); err != nil {
			return nil, err
		}
	}

	start := time.Now()
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	until := func(left int) func() (bool, error) {
		return func() (bool, error) {
			missing, err := countWithoutSlug(ctx, db, storeID)
			return missing <= left, err
		}
	}
	waits, err := b.writeUntil(until(b.products / 2))
	if err != nil {
		return nil, err
	}

	if err := b.process.Cmd.Process.Kill(); err != nil {
		return nil, err
	}
	_ = b.process.Cmd.Wait() // reports the kill
	left, err := countWithoutSlug(ctx, db, storeID)
	if err != nil {
		return nil, err
	}
	if left == 0 {
		return nil, errors.New("all slugs were made before the kill")
	}
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	more, err := b.writeUntil(until(0))
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	harness.PrintNote("%s of %s products had no slug when the program was killed", harness.FormatThousands(left),
		harness.FormatThousands(b.products))

	name := fmt.Sprintf("slugs of %s products of an older program, killed after half",
		harness.FormatThousands(b.products))
	longest := harness.Percentile(append(waits, more...), 100)
	return []harness.Figure{
		{Name: name, Engine: b.Engine, Ours: harness.FormatRate(b.products, took) + " products/s",
			Raw: harness.FormatDuration(took)},
		{Name: name + ", longest write beside", Engine: b.Engine, Ours: harness.FormatMillis(longest),
			Raw: harness.FormatMillis(harness.Percentile(alone, 100)) + " without", Aim: "≤ 100 ms",
			Met: longest <= 100*time.Millisecond},
	}, nil
}

// writeUntil writes a category of the other store every writeEvery until done. It returns the durations.
func (b *slugBench) writeUntil(done func() (bool, error)) (waits []time.Duration, err error) {
	for i := 0; ; i++ {
		if i%writesPerCheck == 0 {
			isDone, err := done()
			if err != nil || isDone {
				return waits, err
			}
		}

		took, err := harness.MeasureTime(func() error {
			_, err := b.other.Do(b.client, http.MethodPost, "/v2/categories", []byte(`{"name":"Beside"}`))
			return err
		})
		if err != nil {
			return nil, err
		}
		waits = append(waits, took)
		time.Sleep(writeEvery)
	}
}

// countWithoutSlug returns how many products have no slug.
func countWithoutSlug(ctx context.Context, db *database.DB, storeID store.ID) (n int, err error) {
	err = db.Read(ctx, func(q database.Querier) error {
		return database.QueryRow(ctx, q, `SELECT COUNT(*) FROM products WHERE store_id = $1 AND slug IS NULL`,
			[]any{storeID}, &n)
	})
	return n, err
}
