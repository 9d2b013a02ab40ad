package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"vitrine/internal/apitest"
)

// Both programs fill a store: the script with a small catalogue in the wrong order, the other with any number of products.
func TestExamples_fillAStore(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Shop) {
		script := func(token string) (string, error) {
			cmd := exec.Command("bash", "push.sh")
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "VITRINE_TO=" + s.URL, "VITRINE_EXCHANGE_TOKEN=" + token}
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		out, err := script(s.Exchange)
		if err != nil || strings.Count(out, `"failed":0`) != 7 {
			t.Fatalf("the script ends with %v: %s", err, out)
		}
		shirt := s.Get("/v2/products?q=T-shirt&with=variants,categories,features")
		if shirt.Text("data.0.categories.0.name") != "Tops" || shirt.Text("data.0.features.0.value.name") != "Cotton" ||
			shirt.Text("data.0.variants.0.options.0.value.name") != "S" || shirt.Text("data.0.variants.0.price") != "17.5" || shirt.Text("data.0.variants.0.remainders.0.quantity") != "11" {
			t.Errorf("the T-shirt is %s", shirt.Body)
		}
		if out, err = script(s.Exchange); err != nil || !strings.Contains(out, `"created":0,"updated":1,"unchanged":1`) {
			t.Errorf("again the script ends with %v: %s", err, out)
		}
		if out, err = script(s.Secret); err == nil || !strings.Contains(out, "invalid_exchange_token") {
			t.Errorf("with a key that is no exchange token it ends with %v: %s", err, out)
		}

		for _, want := range []string{"150 received, 150 created", "150 received, 0 created, 0 updated, 150 unchanged, 0 failed"} {
			var out bytes.Buffer
			if err := run(t.Context(), s.URL, s.Exchange, 150, &out); err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("the program ends with %v and prints %s, want %s", err, out.String(), want)
			}
		}
		if err := run(t.Context(), s.URL, s.Secret, 150, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "401") {
			t.Errorf("with a key that is no exchange token it ends with %v", err)
		}
	})
}
