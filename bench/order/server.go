package order

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/bench/harness"
	"vitrine/internal/kit/config"
	"vitrine/internal/shop/catalog"
)

const (
	// SoldProducts have three variants each, about 10,000 in total.
	SoldProducts = 3400
	// SoldLines is the number of lines of an order, each with another product.
	SoldLines = 3
	// soldQuantity is the remainder of each variant, more than all orders need.
	soldQuantity = 1_000_000
	// DraftClients is the number of clients that create drafts.
	DraftClients = 16
)

// OrderServer is a server with a store that accepts orders.
type OrderServer struct {
	*harness.Server
	Client   *http.Client
	Variants []catalog.VariantID // three of each product, in order
	random   *rand.Rand
	Price    int // how often the prices were changed
}

func NewOrderServer(s *harness.Server) *OrderServer {
	return &OrderServer{
		Server: s, random: rand.New(rand.NewPCG(1, 2)),
		Client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000, DisableCompression: true}},
	}
}

// StartOrderServer starts the program with a store in which everything is in stock.
func StartOrderServer(ctx context.Context, e *harness.Environment, cfg config.Serve) (*OrderServer, error) {
	data, err := os.MkdirTemp(e.Dir, "data-")
	if err != nil {
		return nil, err
	}
	cfg.Storage = config.Storage{Data: data, Database: e.URL}
	s, err := harness.StartServerWith(ctx, cfg, nil)
	if err != nil {
		return nil, err
	}
	g := NewOrderServer(s)
	if err := g.FillStock(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return g, nil
}

func (g *OrderServer) FillStock(ctx context.Context) error {
	if err := g.PushReferences(ctx); err != nil {
		return err
	}
	if _, err := g.PushExpecting(ctx, 0, SoldProducts, harness.FirstPrice, harness.CreatedCount); err != nil {
		return err
	}

	var lines strings.Builder
	for p := range SoldProducts {
		for v := range harness.PushedVariants {
			fmt.Fprintf(&lines, `{"product_id":%d,"variant_id":%d,"stock_id":1,"quantity":%d}`+"\n", p, v, soldQuantity)
		}
	}

	if _, _, err := g.Push(ctx, "remainders", strings.NewReader(lines.String())); err != nil {
		return err
	}

	return g.ReadVariants(ctx, SoldProducts)
}

// ReadVariants reads the ids of all variants of a store with so many products.
func (g *OrderServer) ReadVariants(ctx context.Context, products int) error {
	const perPage = 250
	for page := 1; len(g.Variants) < products*harness.PushedVariants; page++ {
		body, err := g.Do(g.Client, http.MethodGet,
			"/v2/products?with=variants&per_page="+strconv.Itoa(perPage)+"&page="+strconv.Itoa(page), nil)
		if err != nil {
			return err
		}

		var list struct {
			Data []struct {
				Variants []struct {
					ID catalog.VariantID `json:"id"`
				} `json:"variants"`
			} `json:"data"`
		}
		if err := json.Unmarshal(body, &list); err != nil {
			return err
		}

		if len(list.Data) == 0 {
			return fmt.Errorf("the store has only %d variants", len(g.Variants))
		}

		for _, p := range list.Data {
			for _, v := range p.Variants {
				g.Variants = append(g.Variants, v.ID)
			}
		}
	}

	return ctx.Err()
}

// StorefrontRequest is a POST request of a storefront.
type StorefrontRequest struct {
	Path, Body                 string
	OrderToken, idempotencyKey string // "" for none
}

func (g *OrderServer) Post(ctx context.Context, s StorefrontRequest) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+s.Path, strings.NewReader(s.Body))
	if err != nil {
		return nil, err
	}

	r.Header.Set("Authorization", "Bearer "+g.Keys.PublishableKey)
	r.Header.Set("Content-Type", "application/json")

	if s.OrderToken != "" {
		r.Header.Set("X-Order-Token", s.OrderToken)
	}

	if s.idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", s.idempotencyKey)
	}

	res, err := g.Client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()

	respBody, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("POST %s answered %d: %.300s", s.Path, res.StatusCode, respBody)
	}

	return respBody, err
}

// Draft is a draft order with the token of the guest.
type Draft struct {
	ID    string `json:"id"`
	Token string `json:"order_token"`
}

// createDrafts creates n draft orders.
func (g *OrderServer) createDrafts(ctx context.Context, n int) ([]Draft, error) {
	bodies := make([]string, n)
	for i := range bodies {
		var lines []string
		for _, product := range distinctNumbers(g.random, SoldProducts, SoldLines) {
			variant := g.Variants[product*harness.PushedVariants+g.random.IntN(harness.PushedVariants)]
			lines = append(lines, fmt.Sprintf(`{"variant_id":%q,"quantity":%d}`, variant, 1+g.random.IntN(3)))
		}
		bodies[i] = `{"items":[` + strings.Join(lines, ",") + `]}`
	}

	drafts := make([]Draft, n)

	_, err := harness.RunConcurrently(DraftClients, n, func(i int) error {
		body, err := g.Post(ctx, StorefrontRequest{Path: "/v2/orders", Body: bodies[i]})
		if err != nil {
			return err
		}

		var o struct {
			Data Draft `json:"data"`
		}
		err = json.Unmarshal(body, &o)
		drafts[i] = o.Data

		return err
	})

	return drafts, err
}

// distinctNumbers returns count different random numbers below n.
func distinctNumbers(random *rand.Rand, n, count int) []int {
	list := make([]int, 0, count)
	for seen := map[int]bool{}; len(list) < count; {
		if i := random.IntN(n); !seen[i] {
			seen[i] = true
			list = append(list, i)
		}
	}
	return list
}
