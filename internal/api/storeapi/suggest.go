package storeapi

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/productcache"
	"vitrine/internal/kit/language"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/searchlog"
	"vitrine/internal/shop/store"
)

const (
	// defaultSuggestions is the default of the parameter limit.
	defaultSuggestions = 10
	// popularFor is how long the popular queries of a store are kept, and maxPopular how many of them, of at most
	// maxPopularStores stores.
	popularFor       = time.Minute
	maxPopular       = 1000
	maxPopularStores = 1000
)

// suggest responds with suggestions for what a visitor types.
func (api *API) suggest(w http.ResponseWriter, r *httpapi.Request) error {
	limit := readSuggestLimit(r)
	r.Query.Extras() // there are none
	query := search.Query{Text: r.Query.SearchText(), Sort: search.ByRelevance, Limit: limit,
		Prices: r.Principal.Prices}
	if err := r.Err(); err != nil {
		return err
	}

	popular, err := api.popular.of(r, api.searches)
	if err != nil {
		return err
	}
	if strings.TrimSpace(query.Text) == "" {
		query.Limit = 0
	}
	return api.products.Suggest(w, r, query, func(b []byte, text *search.TextResult) []byte {
		return appendPopular(b, popular, query.Text, text, int(limit))
	})
}

// readSuggestLimit reads the query parameter limit.
func readSuggestLimit(r *httpapi.Request) int64 {
	text, given := r.Query.Param("limit")
	if !given {
		return defaultSuggestions
	}
	limit, err := strconv.ParseInt(text, 10, 64)
	if err != nil || limit < 1 || limit > productcache.MaxSuggestions {
		r.Query.BadParam("limit", "must be a number from 1 to %d", productcache.MaxSuggestions)
	}
	return limit
}

// appendPopular appends the popular queries that begin with the words of a query, or have a word that does, as the
// elements of a JSON array.
func appendPopular(
	b []byte, popular []searchlog.PopularQuery, query string, text *search.TextResult, limit int,
) []byte {
	beginnings := []string{language.FoldQuery(query)}
	if text != nil && text.Corrected != "" {
		beginnings = append(beginnings, language.FoldQuery(text.Corrected))
	}

	n := 0
	for _, p := range popular {
		matches := slices.ContainsFunc(beginnings, func(beginning string) bool {
			return strings.HasPrefix(p.Query, beginning) || strings.Contains(p.Query, " "+beginning)
		})
		if !matches {
			continue
		}
		if n == limit {
			break
		}
		if n > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(append(b, `{"text":`...), p.Query)
		b = strconv.AppendInt(append(b, `,"count":`...), p.Count, 10)
		b = append(b, '}')
		n++
	}
	return b
}

// popularQueries keeps the popular queries of stores for a while.
type popularQueries struct {
	mu     sync.Mutex
	stores map[store.ID]popularList
}

type popularList struct {
	queries []searchlog.PopularQuery
	readAt  time.Time
}

// of returns the popular queries of the store of a request, the most frequent first.
func (p *popularQueries) of(r *httpapi.Request, log *searchlog.Log) (queries []searchlog.PopularQuery, err error) {
	shop := r.Principal.Store
	p.mu.Lock()
	list, ok := p.stores[shop.ID]
	p.mu.Unlock()
	if ok && r.Received.Sub(list.readAt) < popularFor {
		return list.queries, nil
	}

	r.ReadTx(func(ctx context.Context, tx store.Tx) error {
		queries, err = searchlog.Popular(ctx, tx, log.Today(shop), maxPopular)
		return err
	})
	if r.Err() != nil {
		return nil, r.Err()
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stores == nil || len(p.stores) >= maxPopularStores {
		p.stores = map[store.ID]popularList{}
	}
	p.stores[shop.ID] = popularList{queries, r.Received}
	return queries, nil
}
