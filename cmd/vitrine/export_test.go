package main

import (
	"bytes"
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
