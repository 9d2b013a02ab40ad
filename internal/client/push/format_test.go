package push_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"vitrine/internal/client/push"

	"github.com/google/go-cmp/cmp"
)

func compress(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The gate gets the same items in the same order from every format.
func TestPush_detectsFormatByContent(t *testing.T) {
	want := []string{`{"id":1,"name":"Tee"}`, `{"id":"2","price":10.50}`}
	long := strings.Repeat("x", 100_000) // longer than headBytes
	for name, text := range map[string]string{
		"document": `{"payload":[{"id":1,"name":"Tee"},{"id":"2","price":10.50}]}`,
		"document with other members": `{"version":{"payload":1},"payload":[{"id":1,"name":"Tee"},{"id":"2",` +
			`"price":10.50}],"more":[]}` + "\n",
		"list":               `[{"id":1,"name":"Tee"},{"id":"2","price":10.50}]`,
		"list over lines":    "\n[\n{\"id\":1,\r\n\"name\":\"Tee\"},\n{\"id\":\"2\",\n\"price\":10.50}\n]\n",
		"objects over lines": "{\n\"id\":1,\n\"name\":\"Tee\"\n}\n{\n\"id\":\"2\",\n\"price\":10.50\n}",
		"lines":              `{"id":1,"name":"Tee"}` + "\n" + `{"id":"2","price":10.50}`,
		"lines of Windows":   `{"id":1,"name":"Tee"}` + "\r\n\r\n" + `{"id":"2","price":10.50}` + "\r\n",
	} {
		for how, text := range map[string]string{
			"": text, ", compressed": compress(t, text), ", with BOM": "\ufeff" + text,
			", with BOM and compressed": compress(t, "\ufeff"+text),
		} {
			t.Run(name+how, func(t *testing.T) {
				g := &fakeGate{}
				report := newTestJob(t, g, "x", text).mustPush(t)
				var got []string
				for _, it := range g.applied {
					got = append(got, strings.ReplaceAll(it, " ", ""))
				}

				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				if report.Received != 2 || report.Created != 2 || report.Failed != 0 {
					t.Errorf("the report is %+v", report)
				}
			})
		}
	}

	g := &fakeGate{}
	newTestJob(t, g, "x", `{"id":1,"name":"`+long+"\"}\n{\"id\":2}\n").mustPush(t)
	if len(g.applied) != 2 || len(g.applied[0]) < len(long) {
		t.Errorf("%d items are applied, or the long one is cut off; want 2", len(g.applied))
	}
}

// An invalid item fails alone. An invalid file ends the push, and the items before the error are applied.
func TestPush_reportsBrokenFiles(t *testing.T) {
	for name, c := range map[string]struct {
		text, code string
		applied    int
		words      string
	}{
		"a list that is cut off":        {`[{"id":1},{"id":2},{"id"`, "broken_file", 2, "cut off"},
		"a list with a hole":            {`[{"id":1},,{"id":2}]`, "broken_file", 1, "byte 10"},
		"a document that is cut off":    {`{"payload":[{"id":1}]`, "broken_file", 1, "cut off"},
		"two lists":                     {`[{"id":1}] [{"id":2}]`, "broken_file", 1, "one list"},
		"a gzip that is cut off":        {compress(t, numberedItems(9))[:30], "broken_file", 0, "gzip"},
		"UTF-16":                        {"\xff\xfe[\x00", "not_utf8", 0, "UTF-8"},
		"prose":                         {"Dear accountant", "unknown_format", 0, "Dear"},
		"a page":                        {"<!doctype html><p>Hello, world", "unknown_format", 0, "doctype"},
		"a duplicate member":            {`[{"id":1,"id":2}]`, "", 1, ""},
		"a line that is not JSON":       {"{\"id\":1}\n{\"id\":}\n{\"id\":3}\n", "", 2, ""},
		"a first line that is not JSON": {"{\"id\":}\n{\"id\":2}\n{\"id\":3}\n", "", 2, ""},
		"nothing":                       {"", "", 0, ""},
		"an empty list":                 {"[]", "", 0, ""},
		"an object without payload":     {`{"id":1}`, "", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := &fakeGate{}
			p := newTestJob(t, g, "x", c.text)
			_, err := push.Push(t.Context(), p.Job)
			if c.code == "" && err != nil || c.code != "" &&
				(err == nil || !strings.Contains(err.Error(), c.code) || !strings.Contains(err.Error(), c.words)) {
				t.Errorf("Push returned %v, want the code %q and the text %q", err, c.code, c.words)
			}

			if len(g.applied) != c.applied {
				t.Errorf("the applied items are %v, want %d of them", g.applied, c.applied)
			}
		})
	}
}

func TestPush_usesGivenFormat(t *testing.T) {
	g := &fakeGate{}
	p := newTestJob(t, g, "x", `{"id":1,"payload":[1]}`)
	p.Format = push.NDJSON
	p.mustPush(t)
	if len(g.applied) != 1 {
		t.Errorf("read as NDJSON, the requests are %v", g.batches)
	}
	p.Format = push.CSV
	p.mustFail(t, "broken_file")
	p = newTestJob(t, g, "x", "id,name\n1,Tee\n")
	p.Format = push.JSON
	p.mustFail(t, "broken_file")
}

func TestGuessEntity_readsPlainNames(t *testing.T) {
	for name, want := range map[string]string{
		"products.json": "products", "dir/prices.csv.gz": "prices", "Variant_Options.NDJSON": "variant-options",
		`C:\export\stocks.tsv`: "stocks", "remainders": "remainders",
		"products.csv.rejects.ndjson": "products", "-": "", "products-2.json": "", "goods.json": "", "": "",
	} {
		if got := push.GuessEntity(name); got != want {
			t.Errorf("GuessEntity(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNewGate_readsAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"shop.example": "https://shop.example", "localhost:8080": "http://localhost:8080",
		"127.0.0.1": "http://127.0.0.1", "[::1]:8080": "http://[::1]:8080",
		"https://shop.example/v2/": "https://shop.example", "http://shop.example/api": "http://shop.example/api",
		"ftp://shop.example": "", "https://": "", "https://a:b@shop.example": "", "https://shop.example/?x=1": "",
		"": "", "https://shop.example/v2/sync-gate/xt_1/products": "",
	} {
		got, err := push.NewGate(address, token)
		if (err != nil) != (want == "") || err == nil && got.String() != want {
			t.Errorf("NewGate(%q) = %v, %v, want %q", address, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "xt_1") {
			t.Errorf("the error contains the token: %v", err)
		}
	}

	for _, bad := range []string{"", "sk_1", "xt_a b", "xt_ключ"} {
		if _, err := push.NewGate("shop.example", bad); err == nil {
			t.Errorf("NewGate accepts the token %q", bad)
		}
	}
}
