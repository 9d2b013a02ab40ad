package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/client/push"
)

// fakeGate is an exchange gate: items that contain "bad" fail, items that contain "odd" get a warning.
func fakeGate(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer xt_right" {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"status":401,"code":"invalid_exchange_token","detail":"No."}`)
		return
	}

	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "application/x-ndjson")
		fmt.Fprintln(w, `{"id":"x","bad":1}`)
		return
	}

	decompressed, err := gzip.NewReader(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}

	received := 0
	issues := []map[string]any{}
	warnings := []map[string]any{}
	for lines := bufio.NewScanner(decompressed); lines.Scan(); received++ {
		issue := map[string]any{
			"index": received, "id": fmt.Sprint(received), "field": "name", "code": "bad_item", "message": "It is bad.",
		}
		if strings.Contains(lines.Text(), "bad") {
			issues = append(issues, issue)
		} else if strings.Contains(lines.Text(), "odd") {
			warnings = append(warnings,
				map[string]any{"index": received, "id": 5, "field": "odd", "code": "odd_item", "message": "It is odd."})
		}
	}

	_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{
		"id": "018f", "status": "completed", "received": received, "created": received - len(issues),
		"failed": len(issues), "warnings": len(warnings),
		"errors": issues, "warnings_list": warnings, "ignored_fields": []string{"weigth"},
	}})
}

// vitrine push prints counts and issues, or the report as JSON, and sets the exit code.
func TestPush_printsReport(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(fakeGate))
	defer server.Close()

	dir := t.TempDir()
	for name, text := range map[string]string{
		"products.ndjson": "{\"id\":1}\n{\"id\":2}\n", "prices.csv": "variant_id,price\na,1\nb,x\n",
		"stocks.ndjson": strings.Repeat("{\"bad\":1}\n", 1234) + "{\"id\":5,\"odd\":1}\n", "goods.json": "[]",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	for _, c := range []struct {
		line  string
		code  int
		out   []string // parts of standard output; empty if nil
		err   []string // parts of standard error; empty if nil
		never string
	}{
		{line: "products.ndjson", code: 0, out: []string{"were pushed to " + server.URL, "received   2\n",
			"created    2\n", "failed     0\n", "items/s", "weigth",
			"The run is 018f. ", server.URL + "/v2/sync-gate/runs/018f/errors, ",
			server.URL + "/v2/sync-gate/runs/018f/warnings, "}, err: []string{"entity is products"}, never: "rejects"},
		{
			line: "stocks.ndjson --batch-items 300", code: 3,
			out: []string{"The runs are 018f, 018f, 018f and 2 more. ", "/v2/sync-gate/runs/{id}/errors, "},
			err: []string{"entity is stocks"},
		},

		{line: "products.ndjson --dry-run --entity stocks", code: 0, out: []string{"would do", "stocks"}},
		{
			line: "stocks.ndjson --dry-run", code: 3,
			out:   []string{"The items that would fail are in ", "Fix them in the file itself: nothing was pushed."},
			err:   []string{"entity is stocks"},
			never: "pushed again",
		},
		{line: "products.ndjson --quiet", code: 0},
		{line: "products.ndjson --json", code: 0, out: []string{`"received": 2`, `"entity": "products"`}},
		{line: "stocks.ndjson", code: 3, out: []string{
			"failed     1,234\n", "item 0, line 1, id 0, name: It is bad. (bad_item)\n",
			"  … and 1,231 more with the code bad_item\n",
			"item 1234, line 1235, id 5, odd: It is odd. (odd_item)", "stocks.ndjson.rejects.ndjson",
		}, err: []string{"entity is stocks"}, never: "item 3,"},
		{line: "stocks.ndjson --json", code: 3, out: []string{`"failed": 1234`, `"count": 1234`}},
		{
			line: "stocks.ndjson --quiet --rejects " + filepath.Join(dir, "elsewhere"), code: 3,
			out: []string{"1,234", "elsewhere"},
		},
		{
			line: "prices.csv", code: 3,
			out: []string{"failed     1 (1 could not be read)", "  line 3, id b, price: price must be a number"},
			err: []string{"entity is prices"},
		},
		{line: "products.ndjson --token xt_wrong", code: 1, err: []string{"rejects this token"}, never: "xt_wrong"},
		{line: "nothing/products.ndjson", code: 1, err: []string{"nothing/products.ndjson cannot be opened"}},
		{line: "missing.csv", code: 1, err: []string{"missing.csv cannot be opened", "no such file"}, never: "entity"},
		{line: "goods.json", code: 2, err: []string{"--entity", "variant-options"}},
		{line: "products.ndjson --entity things", code: 2, err: []string{"--entity"}},
		{line: "products.ndjson --format xml", code: 2, err: []string{"--format"}},
		{line: "products.ndjson --batch-items 0", code: 2, err: []string{"--batch-items"}},
		{line: "products.ndjson --max-archive-share 0.5", code: 2, err: []string{"--archive-missing"}},
		{line: "products.ndjson --archive-missing --max-archive-share 2", code: 2, err: []string{"between 0 and 1"}},
		{line: "stocks.ndjson --archive-missing", code: 2, err: []string{"products"}},
		{line: "products.ndjson --token sk_1", code: 2, err: []string{"xt_"}, never: "sk_1"},
		{line: "products.ndjson --to ftp://x", code: 2, err: []string{"https://"}},
		{line: "", code: 2, err: []string{"file"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			args := strings.Fields(c.line)
			if len(args) > 0 {
				args[0] = filepath.Join(dir, args[0])
			}

			if !strings.Contains(c.line, "--to ") {
				args = append(args, "--to", server.URL)
			}

			t.Setenv("VITRINE_EXCHANGE_TOKEN", "xt_right")
			var out, errs bytes.Buffer
			if code := runCommandLine(t.Context(), append([]string{"push"}, args...), &out, &errs); code != c.code {
				t.Errorf("the exit code is %d, want %d", code, c.code)
			}

			for _, side := range []struct {
				text  string
				words []string
			}{{out.String(), c.out}, {errs.String(), c.err}} {
				if side.words == nil && side.text != "" {
					t.Errorf("the output is %s", side.text)
				}

				for _, word := range side.words {
					if !strings.Contains(side.text, word) {
						t.Errorf("the output does not contain %q: %s", word, side.text)
					}
				}

				if c.never != "" && strings.Contains(side.text, c.never) {
					t.Errorf("the output contains %q: %s", c.never, side.text)
				}
			}

			if strings.Contains(c.line, "--json") && !json.Valid(out.Bytes()) {
				t.Errorf("the output is not one JSON object: %s", out.String())
			}
		})
	}
}

// A 2xx response without a run is a failure. The command reports it and ends with exit code 1. It retries after an
// empty response, but not after an HTML page.
func TestPush_failsWithoutRunInResponse(t *testing.T) {
	t.Setenv("VITRINE_EXCHANGE_TOKEN", "xt_right")
	file := filepath.Join(t.TempDir(), "products.ndjson")
	if err := os.WriteFile(file, []byte("{\"id\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	for name, c := range map[string]struct {
		body     string
		attempts int
		words    []string
	}{
		"empty": {
			"", 2, []string{"200 OK without a run", "Trying again in 500ms.", "Is this the address of a store's API?"},
		},
		"a page": {"<html>", 1, []string{"Is this the address of a store's API?"}},
	} {
		t.Run(name, func(t *testing.T) {
			attempts := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				attempts++
				fmt.Fprint(w, c.body)
			}))
			defer server.Close()

			var out, errs bytes.Buffer
			args := []string{"push", file, "--to", server.URL, "--retries", "1"}
			code := runCommandLine(t.Context(), args, &out, &errs)
			if code != 1 || attempts != c.attempts || out.String() != "" {
				t.Errorf("after %d attempts the exit code is %d and the output %s", attempts, code, out.String())
			}

			for _, word := range c.words {
				if !strings.Contains(errs.String(), word) {
					t.Errorf("the output does not contain %q: %s", word, errs.String())
				}
			}
		})
	}
}

// Of four errors all are printed: "1 more" would hide one in a line of the same length.
func TestPrintPushReport_hidesNoSingleError(t *testing.T) {
	for count, want := range map[int]string{3: "", 4: "", 5: "… and 2 more with the code bad_item"} {
		report := push.Report{Counts: push.Counts{Failed: int64(count)},
			ErrorCodes: []push.CodeCount{{Code: "bad_item", Count: int64(count)}}}
		for i := range count {
			report.Errors = append(report.Errors,
				push.Issue{Code: "bad_item", Message: fmt.Sprintf("Item %d is bad.", i)})
		}

		var out strings.Builder
		if err := printPushReport(&out, report, false); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		hides := strings.Contains(got, "more") || strings.Count(got, "is bad.") != count
		if want == "" && hides || !strings.Contains(got, want) {
			t.Errorf("%d errors:\n%s", count, got)
		}
	}
}

func TestPrintPushReport_countsImages(t *testing.T) {
	for n, want := range map[int64]string{
		0: "", 1: "1 image is still to be downloaded", 1200: formatCount(1200) + " images are still to be downloaded",
	} {
		var out strings.Builder
		if err := printPushReport(&out, push.Report{ImagesPending: n}, false); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Contains(got, "downloaded") != (n > 0) || !strings.Contains(got, want) {
			t.Errorf("%d images:\n%s", n, got)
		}
	}
}

func TestFormatCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100",
	} {
		if got := formatCount(n); got != want {
			t.Errorf("formatCount(%d) = %s, want %s", n, got, want)
		}
	}
}
