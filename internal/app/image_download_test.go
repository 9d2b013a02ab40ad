package app_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// The program downloads images that are pushed by URL. The run has a warning for an image that cannot be downloaded.
func TestServe_downloadsImagesPushedByURL(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/lamp.png" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(apitest.PNG(7))
	}))
	t.Cleanup(host.Close)
	dev := apitest.DevMode()

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		gate := "/v2/sync-gate/" + s.Exchange + "/"
		body := `{"payload": [{"id": 7, "name": "Lamp", "single_variant": true, "variant_price": 1, "images": ["` +
			host.URL + `/lamp.png", {"url": "` + host.URL +
			`/none.png"}]}]}`
		runID := s.OK(200, "POST", gate+"products", []byte(body), apitest.As(""),
			apitest.Header("Content-Type", "application/json")).Text("data.id")
		var run, products *apitest.Response
		storetest.Eventually(t, "one image is downloaded, and the run has a warning about the other", func() bool {
			run = s.OK(200, "GET", gate+"runs/"+runID, nil, apitest.As(""))
			products = s.Get("/v2/products?with=images")
			return run.Len("data.warnings_list") == 1 && products.Len("data.0.images") == 1
		})
		if code := run.Text("data.warnings_list.0.code"); code != "image_failed" {
			t.Errorf("the warning has the code %s, want image_failed", code)
		}

		path := strings.TrimPrefix(products.Text("data.0.images.0.url"), s.URL)
		if file := s.Do("GET", path, nil, apitest.As("")); !bytes.Equal(file.Body, apitest.PNG(7)) {
			t.Errorf("%d bytes are served, %d were sent", len(file.Body), len(apitest.PNG(7)))
		}
	}, dev)
}
