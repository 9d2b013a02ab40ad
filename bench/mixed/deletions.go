package mixed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/bench/harness"
	"vitrine/bench/order"
	"vitrine/internal/kit/config"
)

const (
	// deletionProducts is the number of products that use what is deleted, unless -products gives a smaller one.
	deletionProducts = 100_000
	// deletionQuiet is how long writes are measured before each deletion.
	deletionQuiet = 3 * time.Second
	// maxDeletionWait is how long a write may wait because of a deletion.
	maxDeletionWait = 100 * time.Millisecond
	// maxDeletionTime is how long the deletion of all links may take.
	maxDeletionTime = 10 * time.Minute
)

// Deletions deletes values, an option, a feature, a category and a stock that all products of a store use. It
// measures how long a small write of another store and the submission of an order in the same store take meanwhile,
// until the worker has deleted the last link, and compares them with the same writes before the deletion.
func Deletions(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	data, err := os.MkdirTemp(e.Dir, "data-")
	if err != nil {
		return nil, err
	}
	keys, err := e.CreateStore(ctx, data)
	if err != nil {
		return nil, err
	}

	otherKeys, err := e.CreateStore(ctx, data)
	if err != nil {
		return nil, err
	}
	s, err := harness.StartServerAt(ctx, config.Storage{Data: data, Database: e.URL}, &keys)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()

	d := &deletionBench{OrderServer: order.NewOrderServer(s), other: &harness.Server{URL: s.URL, Keys: otherKeys},
		engine: e.Engine, products: min(deletionProducts, slices.Max(e.Pushes.Sizes))}
	if err := d.fill(ctx); err != nil {
		return nil, err
	}

	for _, c := range []deletionTarget{
		{"option value", http.MethodDelete, "product-variants", 0, true},
		{"option", http.MethodDelete, "variant-options", 1, false},
		{"feature value", http.MethodPut, "features", 0, true}, {"feature", http.MethodDelete, "features", 1, false},
		{"category", http.MethodDelete, "categories", 0, false}, {"stock", http.MethodDelete, "stocks", 1, false},
	} {
		f, err := d.measure(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		figures = append(figures, f...)
	}

	return figures, nil
}

// deletionBench is a store whose products all use the same option values, features, category and stocks, and another
// store.
type deletionBench struct {
	*order.OrderServer
	other    *harness.Server
	engine   string
	products int
	variant  string // id of a variant that can be ordered
}

// deletionTarget is something to delete: the element of a list with a number, or the first value of it.
type deletionTarget struct {
	name, method, list string
	number             int
	value              bool
}

// fill pushes the products, each with two variants.
func (d *deletionBench) fill(ctx context.Context) error {
	if err := d.PushReferences(ctx); err != nil {
		return err
	}

	lines, w := io.Pipe()

	go func() {
		for i := range d.products {
			n := strconv.Itoa(i)
			_, err := io.WriteString(w, `{"id":`+n+`,"name":"Product `+n+`","categories":[0],`+
				`"features":[{"id":0,"value_id":0},{"id":1,"value_id":0}],"variants":[`+deletionVariant(n, "0")+`,`+
				deletionVariant(n, "1")+"]}\n")
			if err != nil {
				return // push returns the error
			}
		}

		_ = w.Close()
	}()

	done, took, err := d.Push(ctx, "products", lines)
	if err != nil || done.Created != d.products {
		return errors.Join(err, lines.CloseWithError(io.ErrClosedPipe), fmt.Errorf("the push has the counts %+v", done))
	}

	harness.PrintNote("%s products were pushed in %s", harness.FormatThousands(d.products),
		harness.FormatDuration(took))
	var page struct {
		Data []struct {
			Variants []struct {
				ID string `json:"id"`
			} `json:"variants"`
		} `json:"data"`
	}
	if err := d.get("/v2/products?with=variants&per_page=1", &page); err != nil {
		return err
	}

	d.variant = page.Data[0].Variants[0].ID
	return nil
}

// deletionVariant returns a variant with two options. Orders reserve from the first stock, which has more than they
// need.
func deletionVariant(product, number string) string {
	return `{"id":"` + product + "-" + number + `","price":1,"options":[{"id":0,"value_id":` + number +
		`},{"id":1,"value_id":0}],"remainders":[{"stock_id":1,"quantity":1000000},{"stock_id":2,"quantity":1}]}`
}

func (d *deletionBench) get(path string, into any) error {
	body, err := d.Do(d.Client, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// request returns the path and the body of the request that deletes the target.
func (d *deletionBench) request(c deletionTarget) (path string, body []byte, err error) {
	type named struct {
		ID string `json:"id"`
	}
	var list struct {
		Data []struct {
			named
			Values []named `json:"values"`
		} `json:"data"`
	}
	from := strings.Replace(c.list, "product-variants", "variant-options", 1)
	with := ""

	if c.value {
		with = "?with=values"
	}

	if err := d.get("/v2/"+from+with, &list); err != nil {
		return "", nil, err
	}

	target := list.Data[c.number]
	if c.value {
		body = []byte(`{"removed_values":["` + target.Values[0].ID + `"]}`)
	}

	return "/v2/" + c.list + "/" + target.ID, body, nil
}

// submitOrder creates an order, submits it, and returns the duration of the submission.
func (d *deletionBench) submitOrder(ctx context.Context) (time.Duration, error) {
	body, err := d.Post(ctx, order.StorefrontRequest{Path: "/v2/orders",
		Body: `{"items":[{"variant_id":"` + d.variant + `","quantity":1}]}`})
	if err != nil {
		return 0, err
	}

	var o struct {
		Data order.Draft `json:"data"`
	}
	if err := json.Unmarshal(body, &o); err != nil {
		return 0, err
	}

	return harness.MeasureTime(func() error {
		_,
			err := d.Post(ctx,
			order.StorefrontRequest{Path: "/v2/orders/" + o.Data.ID + "/submit", OrderToken: o.Data.Token,
				Body: `{"contact":{"name":"Anna Example","phone":"+49301234567"}}`})
		return err
	})
}

// measure deletes the target and measures the writes before and meanwhile.
func (d *deletionBench) measure(ctx context.Context, c deletionTarget) ([]harness.Figure, error) {
	path, body, err := d.request(c)
	if err != nil {
		return nil, err
	}
	quiet, err := d.writeUntil(ctx, time.After(deletionQuiet))
	if err != nil {
		return nil, err
	}

	ended := make(chan time.Time)
	result := make(chan error, 1)

	go func() {
		defer close(ended)

		start := time.Now()
		_, err := d.Do(harness.NewClient(), c.method, path, body)
		answered := time.Since(start)
		if err == nil {
			err = harness.WaitUntil(ctx, "the links are deleted", maxDeletionTime, 20*time.Millisecond,
				func() (bool, error) {
					n, err := pendingDeletions(ctx, d.OrderServer.Server)
					return n == 0, err
				})
		}

		harness.PrintNote("%s of %s products: answered in %s, cleaned after %s", c.name,
			harness.FormatThousands(d.products),
			harness.FormatDuration(answered), harness.FormatDuration(time.Since(start)))
		result <- err
	}()

	busy, err := d.writeUntil(ctx, ended)
	if err = errors.Join(err, <-result); err != nil {
		return nil, err
	}

	var figures []harness.Figure
	for i, what := range []string{"write of another store", "submit in the same store"} {
		most, mostQuiet := slices.Max(busy[i]), slices.Max(quiet[i])
		figures = append(figures, harness.Figure{
			Name: fmt.Sprintf("%s while a%s %s is deleted that %s products use", what, nIfVowel(c.name), c.name,
				harness.FormatThousands(d.products)),
			Engine: d.engine, Ours: describeTimes(busy[i]), Raw: describeTimes(quiet[i]) + " before",
			Ratio: float64(most) / float64(mostQuiet), Aim: "≤ 100 ms", Met: most <= maxDeletionWait,
		})
	}

	return figures, nil
}

func nIfVowel(word string) string {
	if strings.HasPrefix(word, "o") {
		return "n"
	}
	return ""
}

// writeUntil writes in the other store and submits orders in this one until the channel is ready. It returns the
// durations of both.
func (d *deletionBench) writeUntil(ctx context.Context, until <-chan time.Time) (took [2][]time.Duration, err error) {
	stopped := make(chan struct{})
	c := harness.NewClient()
	var group sync.WaitGroup
	var errs [2]error
	for i, write := range []func() (time.Duration, error){
		func() (time.Duration, error) {
			return harness.MeasureTime(func() error {
				_, err := d.other.Do(c, http.MethodPost, "/v2/features", []byte(`{"name": "A"}`))
				return err
			})
		},
		func() (time.Duration, error) { return d.submitOrder(ctx) },
	} {
		group.Go(func() {
			for {
				one, err := write()
				if err != nil {
					errs[i] = err
					return
				}

				took[i] = append(took[i], one)

				select {
				case <-stopped:
					return
				case <-time.After(atomicWritePause):
				}
			}
		})
	}

	<-until
	close(stopped)
	group.Wait()

	return took, errors.Join(errs[0], errs[1], ctx.Err())
}
