// Push streams products of its own making to a store's exchange gate, with the standard library alone: so an accounting system could do
// it in any language. It holds one product in memory, however many there are.
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
	products := flag.Int("products", 1000, "how many products")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *to, os.Getenv("VITRINE_EXCHANGE_TOKEN"), *products, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "push:", err)
		os.Exit(1)
	}
}

// product is one of a catalogue, in the form of the gate.
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
	Price      json.Number `json:"price"` // a float would not be exact
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

// catalogue makes n products, one by one.
func catalogue(n int) iter.Seq[product] {
	return func(yield func(product) bool) {
		for i := 1; i <= n; i++ {
			p := product{ID: 100_000 + i, Name: fmt.Sprintf("Shirt no. %d", i), Categories: []string{"tops"}, Features: []reference{{"fabric", "cotton"}}}
			for _, size := range []string{"s", "m", "l"} {
				p.Variants = append(p.Variants, variant{
					ID: fmt.Sprintf("%d-%s", p.ID, size), SKU: fmt.Sprintf("SHIRT-%d-%s", i, size), Price: json.Number(fmt.Sprintf("%d.90", 10+i%50)),
					Options: []reference{{"size", size}}, Remainders: []remainder{{"main", i % 20}},
				})
			}
			if !yield(p) {
				return
			}
		}
	}
}

// report is what the gate says of a push.
type report struct {
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

// tries is how often the catalogue is pushed if the answer holds no run, and wait the pause before the second time.
const (
	tries = 3
	wait  = 500 * time.Millisecond
)

// errNoRun says that a push was answered with success but without a run, so nobody knows that it was done.
var errNoRun = errors.New("the answer holds no run")

// run pushes the catalogue, again if the answer holds no run, and prints the report. Pushing again is safe.
func run(ctx context.Context, to, token string, products int, out io.Writer) error {
	said, err := push(ctx, to, token, products)
	for try := 1; try < tries && errors.Is(err, errNoRun); try++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(try) * wait):
		}
		said, err = push(ctx, to, token, products)
	}
	if err != nil {
		return err
	}
	d := said.Data
	fmt.Fprintf(out, "run %s: %d received, %d created, %d updated, %d unchanged, %d failed, %d warnings\n",
		d.ID, d.Received, d.Created, d.Updated, d.Unchanged, d.Failed, d.Warnings)
	for _, e := range d.Errors {
		fmt.Fprintf(out, "  item %d, id %v, %s: %s\n", e.Index, e.ID, e.Field, e.Message)
	}
	return nil
}

// push pushes the catalogue once.
func push(ctx context.Context, to, token string, products int) (said report, err error) {
	// What is written to one end of the pipe is sent from the other: the server's pace is ours.
	body, items := io.Pipe()
	go func() { items.CloseWithError(write(items, catalogue(products))) }()
	defer body.CloseWithError(context.Canceled) // ends the writing of what is not sent

	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to+"/v2/sync-gate/products", body)
	if err != nil {
		return said, err
	}
	r.Close = true // the connection is not kept, so the next try has a new one
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/x-ndjson")
	r.Header.Set("Content-Encoding", "gzip")
	r.Header.Set("Expect", "100-continue") // so that a wrong token is said before all is sent
	// A client without a time limit: the answer comes when all is done.
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return said, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return said, err
	}
	if answer.StatusCode/100 != 2 {
		return said, fmt.Errorf("the gate answers %s: %s", answer.Status, text)
	}
	if err := json.Unmarshal(text, &said); err != nil || said.Data.ID == "" {
		return said, fmt.Errorf("%w: %s %.200q; is %s the address of a store's API?", errNoRun, answer.Status, text, to)
	}
	return said, nil
}

// write writes an item a line, packed.
func write(w io.Writer, products iter.Seq[product]) error {
	packed := gzip.NewWriter(w)
	lines := json.NewEncoder(packed)
	for p := range products {
		if err := lines.Encode(p); err != nil {
			return err
		}
	}
	return packed.Close()
}
