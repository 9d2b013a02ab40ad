package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// vitrine types writes the filterable features and the options of a store. clients/typescript compiles such a file.
func TestTypes_areThoseOfTheStore(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		run := func(args ...string) (code int, out, errors string) {
			var stdout, stderr bytes.Buffer
			code = runCommandLine(t.Context(), append([]string{"types"}, args...), &stdout, &stderr)
			return code, stdout.String(), stderr.String()
		}

		for entity, items := range map[string]string{
			"features": `{"id": "m", "name": "Material", "filterable": true, ` +
				`"values": [{"id": "w", "name": "wool \"fine\""}]},` +
				`{"id": "p", "name": "Power, W", "filterable": true, "field_type": "range", ` +
				`"values": [{"id": 5, "name": 5}]},` +
				`{"id": "c", "name": "Care", "values": [{"id": "x", "name": "cold"}]}`,
			"variant-options": `{"id": "s", "name": "Size", "values": [{"id": "xl", "name": "XL"}]},` +
				`{"id": "s2", "name": "Size", "values": [{"id": "xl", "name": "XL"}]},` +
				`{"id": "__proto__", "name": "__proto__", "values": [{"id": "y", "name": "Y"}]}`,
		} {
			s.OK(200, "POST", "/v2/sync-gate/"+entity, `{"payload": [`+items+`]}`, apitest.As(s.Exchange))
		}

		code, out, problem := run("--url", s.URL, "--key", s.Publishable)
		for _, want := range []string{
			"    Material: {\n      id: \"01", "      type: \"select\",\n", `        "wool \"fine\"": "01`,
			"    \"Power, W\": {\n      id: \"01", "      type: \"range\",\n      values: {\n        \"5\": \"01",
			"    Size: {\n      id: \"01", "    \"Size (01", `    ["__proto__"]: {`, "} as const;\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%d %s %s\nlacks %s", code, out, problem, want)
			}
		}
		if strings.Contains(out, "Care") {
			t.Errorf("a feature that is not filterable is in %s", out)
		}

		file := filepath.Join(t.TempDir(), "store.ts")
		code, _, problem = run("--url", strings.TrimPrefix(s.URL, "http://"), "--key", s.Secret, "--by", "external-id",
			"--out", file)
		text, err := os.ReadFile(file)
		if code != 0 || err != nil || !strings.Contains(string(text), "    m: {\n") ||
			!strings.Contains(string(text), "    s2: {\n") {
			t.Errorf("by external ids: %d %s %v %s", code, problem, err, text)
		}

		for _, wrong := range [][]string{
			{"--url", s.URL, "--key", "x"}, {"--url", "ftp://x", "--key", s.Publishable},
			{"--url", s.URL, "--key", s.Publishable[:len(s.Publishable)-2] + "xx"}, {"--url", s.URL},
			{"--url", s.AdminURL, "--key", s.Publishable}, {"--url", s.URL, "--key", s.Publishable, "--by", "sku"},
		} {
			if code, out, problem := run(wrong...); code == 0 || out != "" || problem == "" {
				t.Errorf("%v: %d %s %s", wrong, code, out, problem)
			}
		}
	})
}
