package kill

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// gzipMembers compresses each text into a gzip member of its own. A text that equals the one before is compressed only
// once.
func gzipMembers(t *testing.T, texts ...string) []byte {
	t.Helper()
	var all, last bytes.Buffer
	before := ""
	for _, text := range texts {
		if text != before {
			last.Reset()
			z := gzip.NewWriter(&last)
			if _, err := z.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
		}

		all.Write(last.Bytes())
		before = text
	}

	return all.Bytes()
}

// A push whose body decompresses to far more than its size is refused as soon as that is detected.
func TestPush_refusesDecompressionBombs(t *testing.T) {
	t.Parallel()
	_, shop := newInstallation(t, database.SQLite).FirstRun()
	g := gateClient{shop, t}
	mebibytes := func(c string, n int) []string { return slices.Repeat([]string{strings.Repeat(c, 1<<20)}, n) }
	items := []string{`{"payload": [`}

	for range 12 {
		items = append(append(append(items, `{"id": 1, "name": "x", "filling": "`), mebibytes(" ", 7)...), `"},`)
	}

	for _, c := range []struct {
		what    string
		body    []string
		problem string
	}{
		{"NUL bytes", mebibytes("\x00", 80), "400 malformed_json"},
		{"an endless string", append([]string{`{"payload": ["`}, mebibytes("0", 80)...), "400 malformed_json"},
		{"endless white space", append([]string{`{"payload": [`}, mebibytes(" ", 80)...), "400 malformed_json"},
		{"valid items", items, "413 decompression_bomb"},
	} {
		r := g.Do("POST", g.path("stocks"), gzipMembers(t, c.body...), apitest.Header("Content-Encoding", "gzip"))
		if r.Problem() != c.problem || r.Text("run.status") != "failed" || r.Text("run.failed") != "0" {
			t.Errorf("%s: got %s", c.what, r.Body)
		}
	}
}
