package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/client/push"
	"vitrine/internal/testkit/apitest"
)

// csvBlock matches the CSV table in docs/push.md, curlBlock its shell commands with curl.
var (
	csvBlock  = regexp.MustCompile("(?s)```csv\n(.*?)```")
	curlBlock = regexp.MustCompile("(?s)```sh\n([^`]*?curl.*?)```")
)

// vitrine push fills a store from files of every format, and then runs with each of its flags.
func TestPush_fillsStore(t *testing.T) {
	docs, err := os.ReadFile("../../docs/push.md")
	if err != nil {
		t.Fatal(err)
	}

	products := csvBlock.FindStringSubmatch(string(docs))[1]

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		dir := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}

		// runPush returns the counts of the report: received, created, updated, unchanged, failed, warnings, archived.
		runPush := func(code int, file string, flags ...string) (figures string, r push.Report) {
			t.Helper()
			var out, errs bytes.Buffer
			args := append([]string{"push", file, "--to", s.URL, "--token", s.Exchange, "--json"}, flags...)
			if got := runCommandLine(t.Context(), args, &out, &errs); got != code {
				t.Errorf("the exit code of push %s %v is %d, want %d: %s%s", filepath.Base(file), flags, got, code,
					out.String(), errs.String())
			}

			r = apitest.ParseJSON[push.Report](t, out.String())
			return fmt.Sprint(r.Received, r.Created, r.Updated, r.Unchanged, r.Failed, r.Warnings, r.Archived), r
		}
		for _, c := range []struct{ name, text, want string }{
			{"products.csv", products, "2 2 0 0 0 6 0"},
			{"variant-options.csv", "id,name,value_id,value_name\nsize,Size,s,S\nsize,,m,M\n", "1 1 0 0 0 0 0"},
			{"features.ndjson",
				`{"id":"fabric","name":"Fabric","filterable":true,"values":[{"id":"cotton","name":"Cotton"},` +
					`{"id":"wool","name":"Wool"}]}`, "1 1 0 0 0 0 0"},
			{
				"categories.json",
				`{"payload":[{"id":"tops","name":"Tops","parent_id":"clothes"},{"id":"clothes","name":"Clothes"}]}`,
				"2 2 0 0 0 0 0",
			},
			{"stocks.csv", "id,name\nmain,Main warehouse\n", "1 0 1 0 0 0 0"},
			{"prices.csv", "variant_id;price\n1001-s;17,50\n", "1 0 1 0 0 0 0"},
			{"remainders.csv", "variant_id\tstock_id\tquantity\n1001-s\tmain\t11\n", "1 0 1 0 0 0 0"},
		} {
			if got, r := runPush(0, write(c.name, c.text)); got != c.want {
				t.Errorf("the counts of %s are %s, want %s: %+v", c.name, got, c.want, r)
			}
		}

		shirt := string(s.Get("/v2/products?q=T-shirt&with=variants,features,categories").Body)
		for _, word := range []string{
			`"name":"Tops"`, `"name":"Cotton"`, `"name":"M"`, `"sku":"TEE-M"`, `"price":17.5`, `"price":19.9`,
			`"quantity":11`, `"quantity":7`,
		} {
			if !strings.Contains(shirt, word) {
				t.Errorf("the T-shirt lacks %s: %s", word, shirt)
			}
		}

		write("products.ndjson", `{"id":1001,"name":"Shirt"}`)
		lines := curlBlock.FindAllStringSubmatch(string(docs), -1)
		for _, block := range lines {
			cmd := exec.Command("bash", "-euo", "pipefail", "-c",
				strings.ReplaceAll(block[1], "http://localhost:8080", s.URL))
			cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "VITRINE_EXCHANGE_TOKEN=" + s.Exchange}
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"updated":1`) {
				t.Errorf("%s failed with %v: %s", block[1], err, out)
			}
		}

		if len(lines) != 2 {
			t.Errorf("docs/push.md has %d blocks with curl, want 2", len(lines))
		}

		// 2 of 42 items are invalid and fail in every mode. With --atomic the valid items are not applied either.
		items := ""
		for i := range 40 {
			items += fmt.Sprintf(
				`{"id":%d,"name":"Mug %d","single_variant":true,"variant_price":%d}`+"\n", 2000+i, i, i)
		}

		bad := write("mugs.ndjson",
			items+`{"id":2040,"name":"Mug 40","single_variant":true,"variant_price":"free"}`+"\n"+`{"id":`+"\n")
		mugs := []string{"--entity", "products", "--batch-items", "16"}
		if got, r := runPush(3, bad, append(mugs, "--atomic")...); got != "42 0 0 0 2 0 0" || !r.Refused ||
			r.Requests != 1 {
			t.Errorf("with --atomic the counts are %s: %+v", got, r)
		}

		if got, r := runPush(3, bad, append(mugs, "--dry-run")...); got != "42 40 0 0 2 0 0" || r.Requests != 3 {
			t.Errorf("with --dry-run the counts are %s: %+v", got, r)
		}

		if got, r := runPush(3, bad, append(mugs, "--async")...); got != "42 40 0 0 2 0 0" ||
			*r.Errors[0].Index != 40 ||
			r.Errors[0].IDText() != "2040" || *r.Errors[1].Index != 41 {
			t.Errorf("with --async the counts are %s: %+v", got, r)
		}

		if got, _ := runPush(3, bad, mugs...); got != "42 0 0 40 2 0 0" {
			t.Errorf("the counts of the second push are %s", got)
		}

		// The rejected items are fixed and pushed again.
		rejects, err := os.ReadFile(push.RejectsFile(bad))
		if err != nil || strings.Count(string(rejects), "\n") != 2 {
			t.Fatalf("the rejects are %s (%v)", rejects, err)
		}

		fixed := strings.NewReplacer(`"free"`, "0", `{"id":`+"\n", "").Replace(string(rejects))
		if got, r := runPush(0, write("fixed.ndjson", fixed), "--entity", "products"); got != "1 1 0 0 0 0 0" {
			t.Errorf("the counts of the fixed items are %s: %+v", got, r)
		}

		// Products that are missing from the file are archived, unless their share is too large. The clock advances,
		// because products created at the time of the push do not count as missing.
		s.Clock.Advance(time.Minute)
		total := func() string { return s.Get("/v2/products?per_page=1").Text("meta.total") }
		all := total()

		one := write("one.csv", strings.Join(strings.SplitAfter(products, "\n")[:3], ""))
		if got, _ := runPush(1, one, "--entity", "products", "--archive-missing"); got != "1 0 1 0 0 0 0" ||
			total() != all {
			t.Errorf("the counts of the refused push are %s", got)
		}

		if got, _ := runPush(0, one, "--entity", "products", "--archive-missing", "--max-archive-share",
			"1"); got != "1 0 0 1 0 0 42" || total() != "1" {
			t.Errorf("the counts of the archiving push are %s", got)
		}
	})
}
