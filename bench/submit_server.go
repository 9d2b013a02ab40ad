package main

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

	"vitrine/internal/kit/config"
	"vitrine/internal/shop/catalog"
)

const (
	// soldProducts have three variants each, about 10,000 in total.
	soldProducts = 3400
	// soldLines is the number of lines of an order, each with another product.
	soldLines = 3
	// soldQuantity is the remainder of each variant, more than all orders need.
	soldQuantity = 1_000_000
	// draftClients is the number of clients that create drafts.
	draftClients = 16
)

// orderServer is a server with a store that accepts orders.
type orderServer struct {
	*benchServer
	client   *http.Client
	variants []catalog.VariantID // three of each product, in order
	random   *rand.Rand
	price    int // how often the prices were changed
}

func newOrderServer(s *benchServer) *orderServer {
	return &orderServer{
		benchServer: s, random: rand.New(rand.NewPCG(1, 2)),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000, DisableCompression: true}},
	}
}

// startOrderServer starts the program with a store in which everything is in stock.
func (e *benchEnvironment) startOrderServer(ctx context.Context, cfg config.Serve) (*orderServer, error) {
	data, err := os.MkdirTemp(e.dir, "data-")
	if err != nil {
		return nil, err
	}
	cfg.Storage = config.Storage{Data: data, Database: e.url}
	s, err := startServerWith(ctx, cfg, nil)
	if err != nil {
		return nil, err
	}
	g := newOrderServer(s)
	if err := g.fillStock(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return g, nil
}

func (g *orderServer) fillStock(ctx context.Context) error {
	if err := g.pushReferences(ctx); err != nil {
		return err
	}
	if _, err := g.pushExpecting(ctx, 0, soldProducts, firstPrice, createdCount); err != nil {
		return err
	}

	var lines strings.Builder
	for p := range soldProducts {
		for v := range pushedVariants {
			fmt.Fprintf(&lines, `{"product_id":%d,"variant_id":%d,"stock_id":1,"quantity":%d}`+"\n", p, v, soldQuantity)
		}
	}

	if _, _, err := g.push(ctx, "remainders", strings.NewReader(lines.String())); err != nil {
		return err
	}

	return g.readVariants(ctx, soldProducts)
}

// readVariants reads the ids of all variants of a store with so many products.
func (g *orderServer) readVariants(ctx context.Context, products int) error {
	const perPage = 250
	for page := 1; len(g.variants) < products*pushedVariants; page++ {
		body, err := g.do(g.client, http.MethodGet,
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
			return fmt.Errorf("the store has only %d variants", len(g.variants))
		}

		for _, p := range list.Data {
			for _, v := range p.Variants {
				g.variants = append(g.variants, v.ID)
			}
		}
	}

	return ctx.Err()
}

// storefrontRequest is a POST request of a storefront.
type storefrontRequest struct {
	path, body                 string
	orderToken, idempotencyKey string // "" for none
}

func (g *orderServer) post(ctx context.Context, s storefrontRequest) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+s.path, strings.NewReader(s.body))
	if err != nil {
		return nil, err
	}

	r.Header.Set("Authorization", "Bearer "+g.keys.PublishableKey)
	r.Header.Set("Content-Type", "application/json")

	if s.orderToken != "" {
		r.Header.Set("X-Order-Token", s.orderToken)
	}

	if s.idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", s.idempotencyKey)
	}

	res, err := g.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()

	respBody, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("POST %s answered %d: %.300s", s.path, res.StatusCode, respBody)
	}

	return respBody, err
}

// draft is a draft order with the token of the guest.
type draft struct {
	ID    string `json:"id"`
	Token string `json:"order_token"`
}

// createDrafts creates n draft orders.
func (g *orderServer) createDrafts(ctx context.Context, n int) ([]draft, error) {
	bodies := make([]string, n)
	for i := range bodies {
		var lines []string
		for _, product := range distinctNumbers(g.random, soldProducts, soldLines) {
			variant := g.variants[product*pushedVariants+g.random.IntN(pushedVariants)]
			lines = append(lines, fmt.Sprintf(`{"variant_id":%q,"quantity":%d}`, variant, 1+g.random.IntN(3)))
		}
		bodies[i] = `{"items":[` + strings.Join(lines, ",") + `]}`
	}

	drafts := make([]draft, n)

	_, err := runConcurrently(draftClients, n, func(i int) error {
		body, err := g.post(ctx, storefrontRequest{path: "/v2/orders", body: bodies[i]})
		if err != nil {
			return err
		}

		var o struct {
			Data draft `json:"data"`
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
