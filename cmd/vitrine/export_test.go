package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// vitrine export writes a file that vitrine push takes, and vitrine copy makes an equal catalogue in another store.
func TestExportAndCopy_betweenStoresOfARealServer(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		run := func(args ...string) (code int, out, errors string) {
			var stdout, stderr bytes.Buffer
			code = runCommandLine(t.Context(), args, &stdout, &stderr)
			return code, stdout.String(), stderr.String()
		}

		for entity, items := range map[string]string{
			"variant-options": `{"id": "o", "name": "Size", "values": [{"id": "s", "name": "S"}]}`,
			"products": `{"id": 1, "name": "Shirt", "variants": [{"id": 7, "price": 5, "options": [{"id": "o", ` +
				`"value_id": "s"}], "remainders": [{"stock_id": "main", "quantity": 3}]}]},` +
				`{"id": 2, "name": "Mug", "single_variant": true, "variant_price": 2}`,
		} {
			s.OK(200, "POST", "/v2/sync-gate/"+entity, `{"payload": [`+items+`]}`, apitest.As(s.Exchange))
		}

		file := filepath.Join(t.TempDir(), "products.ndjson")
		code, out, problem := run("export", "products", "--url", s.URL, "--token", s.Exchange, "--out", file)
		if code != 0 || !strings.Contains(out, "products: 2 items in ") || !strings.Contains(out, "\ncursor: ") {
			t.Fatalf("export: %d %s %s", code, out, problem)
		}

		_, cursor, _ := strings.Cut(strings.TrimSpace(out), "cursor: ")
		text, err := os.ReadFile(file)
		if err != nil || bytes.Count(text, []byte("\n")) != 2 {
			t.Errorf("the file is %s, %v", text, err)
		}

		if code, out, problem = run("export", "products", "--url", s.URL, "--token", s.Exchange, "--out", "-",
			"--changed-since", cursor); code != 0 || out != "" {
			t.Errorf("nothing has changed, and the export is %d %s %s", code, out, problem)
		}

		if code, _, problem = run("export", "products", "--url", s.URL, "--token", s.Exchange, "--out", file,
			"--changed-since", "x"); code != 1 || !strings.Contains(problem, "X-Export-Cursor") {
			t.Errorf("a wrong cursor: %d %s", code, problem)
		}

		if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, text) {
			t.Errorf("a failed export has changed the file: %v", err)
		}
		if code, _, _ = run("export", "goods", "--url", s.URL, "--token", s.Exchange); code != 2 {
			t.Errorf("an unknown entity: %d", code)
		}

		other := s.NewStore(store.Edit{})
		args := []string{"copy", "--from", s.URL, "--from-token", s.Exchange, "--to", s.URL, "--to-token",
			other.Exchange}
		if code, out, problem = run(args...); code != 0 || !strings.Contains(out, "products: 2 items, 2 created") {
			t.Errorf("copy: %d %s %s", code, out, problem)
		}
		if code, out, problem = run(args...); code != 0 || !strings.Contains(out,
			"products: 2 items, 0 created, 0 updated, 2 unchanged") {
			t.Errorf("the second copy: %d %s %s", code, out, problem)
		}

		copied := s.OK(200, "GET", "/v2/sync-gate/products", nil, apitest.As(other.Exchange))
		if !bytes.Equal(copied.Body, text) {
			t.Errorf("the copy is %s, want %s", copied.Body, text)
		}
	})
}

// Products that have exchanged their slugs are copied, although a push applies them in different transactions.
func TestCopy_followsExchangedSlugs(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		push := func(slugOf func(i int) int, numbers ...int) {
			t.Helper()
			var items []string
			for _, i := range numbers {
				items = append(items, fmt.Sprintf(`{"id": %d, "name": "Mug", "slug": "mug-%d", `+
					`"single_variant": true, "variant_price": 2}`, i, slugOf(i)))
			}

			payload := `{"payload": [` + strings.Join(items, ",") + `]}`
			if r := s.OK(200, "POST", "/v2/sync-gate/products", payload, apitest.As(s.Exchange)); r.Text(
				"data.outcome") != "clean" {
				t.Fatalf("the push is %s", r.Body)
			}
		}

		const last = 1100
		numbers := make([]int, last+1)
		for i := range numbers {
			numbers[i] = i
		}

		push(func(i int) int { return i }, numbers...)
		other := s.NewStore(store.Edit{})
		run := func(want string) {
			t.Helper()
			var stdout, stderr bytes.Buffer
			code := runCommandLine(t.Context(), []string{"copy", "--from", s.URL, "--from-token", s.Exchange, "--to",
				s.URL, "--to-token", other.Exchange}, &stdout, &stderr)
			if code != 0 || !strings.Contains(stdout.String(), want) {
				t.Errorf("copy: %d %s %s, want %s", code, stdout.String(), stderr.String(), want)
			}
		}

		run("1,101 created, 0 updated, 0 unchanged, 0 failed")

		push(func(i int) int { return last - i }, 0, last)
		run("0 created, 2 updated, 1,099 unchanged, 0 failed")
		copied := s.OK(200, "GET", "/v2/sync-gate/products", nil, apitest.As(other.Exchange))
		if original := s.OK(200, "GET", "/v2/sync-gate/products", nil, apitest.As(s.Exchange)); !bytes.Equal(
			copied.Body, original.Body) {
			t.Error("the copy is not equal to the original")
		}
	})
}
