package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// The page cache counts what clients choose, the Host and the query, and stays within its share.
func TestH4_pageCacheCountsItsKeys(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) { c.Memory = 128 << 20 }))

	share := func(metric string) (n float64) {
		prefix := fmt.Sprintf(`vitrine_memory_share_%s_bytes{share="page_cache"} `, metric)
		for line := range strings.Lines(s.Metrics()) {
			if value, ok := strings.CutPrefix(line, prefix); ok {
				n, _ = strconv.ParseFloat(strings.TrimSpace(value), 64)
			}
		}
		return n
	}

	const requests = 200
	host, words := strings.Repeat("h", 255), strings.Repeat("w", 1000)
	sent := 0
	for i := range requests {
		query := fmt.Sprintf("per_page=1&page=%d&q=%s", i+1, words)
		s.SendRaw("GET /v2/products?" + query + " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " +
			s.Publishable +
			"\r\nConnection: close\r\n\r\n")
		sent += len(query) + len(host)
	}

	if used := share("used"); used < float64(sent) || used > share("limit") {
		t.Errorf("%d keys of %d bytes are counted as %.0f bytes of %.0f", requests, sent, used, share("limit"))
	}
	if limit := share("limit"); limit == 0 || limit > 8<<20 {
		t.Errorf("of 128 MiB the page cache has %.0f bytes", limit)
	}
}
