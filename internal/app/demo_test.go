package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// productCount returns the number of products that the storefront sees.
func productCount(t *testing.T, shop *apitest.Server) int {
	t.Helper()
	n, err := strconv.Atoi(shop.Get("/v2/products?per_page=1").Text("meta.total"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// productPage is the part of a response of /v2/products that the tests check.
type productPage struct {
	Data []struct {
		ExternalID string          `json:"external_id"`
		Name       string          `json:"name"`
		Variants   json.RawMessage `json:"variants"`
	} `json:"data"`
	Meta struct {
		Total  int `json:"total"`
		Facets struct {
			Features   []json.RawMessage `json:"features"`
			Categories []json.RawMessage `json:"categories"`
		} `json:"facets"`
	} `json:"meta"`
}

// printedAddress matches the address of the server that the demo prints.
var printedAddress = regexp.MustCompile(`http://localhost:[0-9]+`)

// runCurlLines runs the curl lines that the demo printed against the server at url.
func runCurlLines(t *testing.T, out, url string) []productPage {
	t.Helper()
	lines := curlLines.FindAllString(out, -1)
	if len(lines) != 2 || strings.Count(out, "/v2/") != 2 {
		t.Fatalf("%d curl lines are printed, want 2: %s", len(lines), out)
	}

	pages := make([]productPage, len(lines))
	for i, line := range lines {
		cmd := exec.Command("/bin/sh", "-c", printedAddress.ReplaceAllString(line, url))
		cmd.Env = []string{"PATH=/usr/bin:/bin"}
		response, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := json.Unmarshal(response, &pages[i]); err != nil || !bytes.HasPrefix(response, []byte(`{"data":`)) {
			t.Fatalf("%s returns %s", line, response)
		}
	}

	return pages
}

// vitrine demo fills a store while a server is running, creates nothing twice, and prints curl lines that work.
func TestDemo_worksWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun()
		out := inst.Run("demo", "--products", "600", "--pictures", "3")
		if got := productCount(t, shop); got != 600 ||
			!strings.Contains(out, "has the first 600 products of the demo") ||
			!strings.Contains(out, "made     600 products") || strings.Contains(out, "skipped") {
			t.Errorf("there are %d products after a run that printed %s", got, out)
		}

		_, port, _ := net.SplitHostPort(strings.TrimPrefix(p.URL, "http://"))
		if strings.Contains(out, "KEY") || strings.Count(out, ":"+port+"/") != 3 {
			t.Errorf("demo does not print commands for the first run's server and store: %s", out)
		}

		if got := shop.Get("/v2/products?per_page=4&with=images"); !strings.Contains(out, "drew ") ||
			got.Len("data.2.images") == 0 || got.Len("data.3.images") != 0 {
			t.Errorf("the third product has %d images, the fourth %d, after a run that printed %s",
				got.Len("data.2.images"), got.Len("data.3.images"), out)
		} else if thumbnail, err := http.Get(got.Text("data.2.images.0.thumbnails.small")); err != nil ||
			thumbnail.StatusCode != 200 || thumbnail.Header.Get("Content-Type") != "image/jpeg" {
			t.Errorf("the thumbnail of the third product: %v %v", thumbnail, err)
		}

		pages := runCurlLines(t, out, p.URL)
		if pages[0].Meta.Total < 5 || len(pages[0].Data) != 5 || len(pages[0].Meta.Facets.Features) < 5 ||
			len(pages[0].Meta.Facets.Categories) == 0 {
			t.Errorf("the curl line with a category returns %+v", pages[0])
		}

		if len(pages[1].Data) == 0 || !strings.Contains(pages[1].Data[0].Name, "Puppy Food") ||
			pages[1].Data[0].Variants == nil {
			t.Errorf("the curl line with a search returns %+v", pages[1])
		}

		_, wholesale, ok := strings.Cut(out, "/demo#key=")
		wholesale, _, _ = strings.Cut(wholesale, "\n")
		const priced = "/v2/products?per_page=1&with=variants,prices"
		own := shop.Get(priced)
		got := shop.OK(200, "GET", priced, nil, apitest.As(wholesale))
		if !ok || !strings.Contains(out, "/storefront?group=") || own.Len("data.0.variants.0.prices") != 1 ||
			got.Len("data.0.variants.0.prices") != 3 || own.Text("data.0.variants.0.old_price") == "" {
			t.Errorf("a site gets %s, one with wholesale prices %s, after a run that printed %s", own.Body, got.Body,
				out)
		}

		out = inst.Run("demo", "--products", "600", "--pictures", "3")
		if strings.Contains(out, "#key=") || !strings.Contains(out, "/storefront?group=") {
			t.Errorf("the second run prints a key or no page: %s", out)
		}
		if productCount(t, shop) != 600 || !strings.Contains(out, "skipped  600") || strings.Contains(out, "made") ||
			strings.Contains(out, "drew") {
			t.Errorf("there are %d products after a second run that printed %s", productCount(t, shop), out)
		}

		out = inst.Run("demo", "--products", "650", "--seed", "5", "--pictures", "0")
		if productCount(t, shop) != 650 || !strings.Contains(out, "made     50 products") ||
			!strings.Contains(out, "skipped  600") {
			t.Errorf("there are %d products after a longer run that printed %s", productCount(t, shop), out)
		}

		// With two stores the demo needs --store, and it leaves the other store unchanged.
		second := apitest.ParseJSON[apitest.Provisioned](t, inst.Run("store", "create", "--json", "--name", "Second"))
		inst.WantFailure(1, []string{"--store", shop.StoreID.String(), second.StoreID, "Second"}, "demo", "--products",
			"10")
		out = inst.Run("demo", "--products", "10", "--store", second.StoreID, "--pictures", "0")
		if productCount(t, p.Server(second.Keys(t))) != 10 || productCount(t, shop) != 650 ||
			!strings.Contains(out, "Second (store "+second.StoreID+")") || !strings.Contains(out, "Set KEY") {
			t.Errorf("the second store has %d products, the first %d, after a run that printed %s",
				productCount(t, p.Server(second.Keys(t))), productCount(t, shop), out)
		}

		inst.WantFailure(1, []string{"no such store"}, "demo", "--store", unknownID)
		inst.WantFailure(1, []string{"--store", "vitrine store list"}, "demo", "--store", "mine")
		inst.WantFailure(1, []string{"--products must be 1 or more"}, "demo", "--products", "0")
		inst.WantFailure(1, []string{"--pictures must be 0 or more"}, "demo", "--pictures=-1")
		inst.WantFailure(2, []string{"products"}, "demo", "--products", "many")
		inst.WantFailure(2, []string{"seed"}, "demo", "--seed", "-1")
	})
}

// On a new database the demo creates the first store and saves its keys. serve then creates none.
func TestDemo_createsTheFirstStore(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		run := apitest.Launch(t, inst.Command("demo", "--products", "300", "--pictures", "1"))
		if code := run.Wait(); code != 0 {
			t.Fatalf("demo exits with %d: %s", code, run.Stderr)
		}

		keys, ok := run.FirstRunKeys()
		if !ok {
			t.Fatalf("demo names no file with keys: %s", run.Stdout)
		}
		if strings.Contains(run.Stdout.String()+run.Stderr.String(), keys.SecretKey) {
			t.Error("demo prints a secret key, but its output is no terminal")
		}

		p := inst.Serve()
		if _, again := p.FirstRunKeys(); again {
			t.Error("serve creates keys again")
		}

		shop := p.Server(keys.Keys(t))
		if got := productCount(t, shop); got != 300 {
			t.Errorf("there are %d products, want 300", got)
		}
		if pages := runCurlLines(t, run.Stdout.String(), p.URL); pages[0].Meta.Total == 0 {
			t.Errorf("the curl line with a category returns %+v", pages[0])
		}
		if p.SignIn(keys.AdminEmail, keys.AdminPassword) == "" {
			t.Error("the printed password does not sign in")
		}
	})
}

// The Russian catalogue makes a first store in Russian, with roubles. A store that exists keeps its settings.
func TestDemo_fillsTheRussianCatalogue(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		run := apitest.Launch(t, inst.Command("demo", "--language", "ru", "--products", "300", "--pictures", "1"))
		if code := run.Wait(); code != 0 {
			t.Fatalf("demo exits with %d: %s", code, run.Stderr)
		}
		keys, _ := run.FirstRunKeys()
		p := inst.Serve()
		shop := p.Server(keys.Keys(t))

		settings := shop.Get("/v2/store")
		if settings.Text("data.locale") != "ru" || settings.Text("data.currency") != "RUB" ||
			strings.Contains(run.Stdout.String(), "does not change") {
			t.Errorf("the store is %s after a run that printed %s", settings.Body, run.Stdout)
		}
		if pages := runCurlLines(t, run.Stdout.String(), p.URL); pages[0].Meta.Total == 0 ||
			len(pages[1].Data) == 0 || !strings.HasPrefix(pages[1].Data[0].ExternalID, "R-") {
			t.Errorf("the curl lines return %+v", pages)
		}

		second := apitest.ParseJSON[apitest.Provisioned](t, inst.Run("store", "create", "--json"))
		out := inst.Run("demo", "--language", "ru", "--products", "10", "--pictures", "0", "--store", second.StoreID)
		settings = p.Server(second.Keys(t)).Get("/v2/store")
		if settings.Text("data.locale") != "en" ||
			!strings.Contains(out, "language en and the currency USD, which the demo does not change") {
			t.Errorf("the store is %s after a run that printed %s", settings.Body, out)
		}

		inst.WantFailure(2, []string{"language"}, "demo", "--language", "fr")
	})
}

// interruptedLine matches the progress that an interrupted run prints.
var interruptedLine = regexp.MustCompile(`Interrupted: (\d+) of 200000 products exist`)

// The next run continues after an interrupted or killed one. The server can write while a run fills the store.
func TestDemo_resumesAfterInterruptOrKill(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		_, shop := inst.FirstRun()

		startFilling := func(more int) *apitest.Process {
			before := productCount(t, shop)
			run := apitest.Launch(t, inst.Command("demo", "--products", "200000", "--pictures", "0"))
			storetest.Eventually(t, "the demo adds products", func() bool {
				if run.Ended() {
					t.Fatalf("the demo ended before it added products: %s", run.Stderr)
				}
				return productCount(t, shop) >= before+more
			})

			return run
		}

		run := startFilling(1)
		for i := range 5 {
			shop.OK(201, "POST", "/v2/variant-options", fmt.Sprintf(`{"name": "beside %d"}`, i))
		}

		run.Signal(syscall.SIGINT)
		if code := run.Wait(); code != 1 || run.Stdout.String() != "" {
			t.Errorf("an interrupted run exits with %d and prints %s", code, run.Stdout)
		}

		match := interruptedLine.FindStringSubmatch(run.Stderr.String())
		if match == nil || match[1] != strconv.Itoa(productCount(t, shop)) {
			t.Fatalf("there are %d products after a run that printed %s", productCount(t, shop), run.Stderr)
		}

		startFilling(1).Kill()
		after := productCount(t, shop)
		if after%1000 != 0 {
			t.Errorf("a killed run leaves %d products, want whole batches of 1000", after)
		}

		out := inst.Run("demo", "--products", strconv.Itoa(after+10), "--pictures", "0")
		if productCount(t, shop) != after+10 || !strings.Contains(out, fmt.Sprintf("skipped  %d", after)) {
			t.Errorf("there are %d products, %d before the run that printed %s", productCount(t, shop), after, out)
		}
	})
}
