// Push generates products and streams them to a store's exchange gate. It is an example for accounting systems in any
// language: it uses only the standard library and keeps one product in memory at a time.
//
//	VITRINE_EXCHANGE_TOKEN=xt_… go run ./examples/push -to http://localhost:8080 -products 100000
package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"os/signal"
	"time"
)

func main() {
	to := flag.String("to", "http://localhost:8080", "address of the store's API")
	products := flag.Int("products", 1000, "number of products")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *to, os.Getenv("VITRINE_EXCHANGE_TOKEN"), *products, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "push:", err)
		os.Exit(1)
	}
}

// product is a product in the format of the gate.
type product struct {
	ID         int         `json:"id"`
	Name       string      `json:"name"`
	Categories []string    `json:"categories"`
	Variants   []variant   `json:"variants"`
	Features   []reference `json:"features"`
}

type variant struct {
	ID         string      `json:"id"`
	SKU        string      `json:"sku"`
	Price      json.Number `json:"price"` // exact, unlike a float
	Options    []reference `json:"options"`
	Remainders []remainder `json:"remainders"`
}

type reference struct {
	ID      string `json:"id"`
	ValueID string `json:"value_id"`
}

type remainder struct {
	StockID  string `json:"stock_id"`
	Quantity int    `json:"quantity"`
}

// catalogue generates n products one by one.
func catalogue(n int) iter.Seq[product] {
	return func(yield func(product) bool) {
		for i := 1; i <= n; i++ {
			p := product{
				ID: 100_000 + i, Name: fmt.Sprintf("Shirt no. %d", i), Categories: []string{"tops"},
				Features: []reference{{"fabric", "cotton"}},
			}
			for _, size := range []string{"s", "m", "l"} {
				p.Variants = append(p.Variants, variant{
					ID: fmt.Sprintf("%d-%s", p.ID, size), SKU: fmt.Sprintf("SHIRT-%d-%s", i, size),
					Price:   json.Number(fmt.Sprintf("%d.90", 10+i%50)),
					Options: []reference{{"size", size}}, Remainders: []remainder{{"main", i % 20}},
				})
			}

			if !yield(p) {
				return
			}
		}
	}
}

// pushResult is the response of the gate: the run.
type pushResult struct {
	Data struct {
		ID        string `json:"id"`
		Received  int    `json:"received"`
		Created   int    `json:"created"`
		Updated   int    `json:"updated"`
		Unchanged int    `json:"unchanged"`
		Failed    int    `json:"failed"`
		Warnings  int    `json:"warnings"`
		Errors    []struct {
			Index   int    `json:"index"`
			ID      any    `json:"id"`
			Field   string `json:"field"`
			Message string `json:"message"`
		} `json:"errors"`
	} `json:"data"`
}

// maxAttempts is the number of attempts if the response contains no run. retryDelay is the delay before the second one.
const (
	maxAttempts = 3
	retryDelay  = 500 * time.Millisecond
)

// errNoRun means that the response was 2xx but contains no run, so it is not known whether the push was processed.
var errNoRun = errors.New("the response contains no run")

// run pushes the catalogue and prints the result. If the response contains no run, it pushes again, which is safe.
func run(ctx context.Context, to, token string, products int, out io.Writer) error {
	result, err := push(ctx, to, token, products)
	for attempt := 1; attempt < maxAttempts && errors.Is(err, errNoRun); attempt++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(attempt) * retryDelay):
		}
		result, err = push(ctx, to, token, products)
	}

	if err != nil {
		return err
	}

	d := result.Data
	fmt.Fprintf(out, "run %s: %d received, %d created, %d updated, %d unchanged, %d failed, %d warnings\n",
		d.ID, d.Received, d.Created, d.Updated, d.Unchanged, d.Failed, d.Warnings)
	for _, e := range d.Errors {
		fmt.Fprintf(out, "  item %d, id %v, %s: %s\n", e.Index, e.ID, e.Field, e.Message)
	}

	return nil
}

// push pushes the catalogue once.
func push(ctx context.Context, to, token string, products int) (result pushResult, err error) {
	// The request body is the other end of the pipe, so items are generated as fast as the server reads them.
	body, items := io.Pipe()
	go func() { items.CloseWithError(writeItems(items, catalogue(products))) }()
	defer body.CloseWithError(context.Canceled) // ends the goroutine if the request fails

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to+"/v2/sync-gate/products", body)
	if err != nil {
		return result, err
	}

	req.Close = true // every attempt uses a new connection
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/x-ndjson")
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("Expect", "100-continue") // an invalid token is reported before the upload

	// The client has no timeout: the response comes when all items are processed.
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return result, err
	}
	defer resp.Body.Close()

	respBody, err := io.ReadAll(resp.Body)
	if err != nil {
		return result, err
	}
	if resp.StatusCode/100 != 2 {
		return result, fmt.Errorf("the gate responded %s: %s", resp.Status, respBody)
	}

	if err := json.Unmarshal(respBody, &result); err != nil || result.Data.ID == "" {
		return result, fmt.Errorf("%w: %s %.200q; is %s the address of a store's API?", errNoRun, resp.Status, respBody,
			to)
	}

	return result, nil
}

// writeItems writes one item per line, compressed with gzip.
func writeItems(w io.Writer, products iter.Seq[product]) error {
	gz := gzip.NewWriter(w)
	lines := json.NewEncoder(gz)
	for p := range products {
		if err := lines.Encode(p); err != nil {
			return err
		}
	}
	return gz.Close()
}
