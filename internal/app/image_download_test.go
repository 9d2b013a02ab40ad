package app_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/apitest"
)

// What is pushed by its address is downloaded by the running program, and what cannot be is told in the run.
func TestServe_downloadsImagesPushedByURL(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/lamp.png" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(testPNG(7))
	}))
	t.Cleanup(host.Close)
	dev := apitest.Serve(func(c *config.Serve) { c.Dev = true })
	apitest.Each(t, func(t *testing.T, s *apitest.Shop) {
		gate := "/v2/sync-gate/" + s.Exchange + "/"
		body := `{"payload": [{"id": 7, "name": "Lamp", "images": ["` + host.URL + `/lamp.png", {"url": "` + host.URL + `/none.png"}]}]}`
		run := s.OK(200, "POST", gate+"products", []byte(body), apitest.As(""), apitest.Header("Content-Type", "application/json")).Text("data.id")
		deadline := time.Now().Add(30 * time.Second)
		for ; ; time.Sleep(10 * time.Millisecond) {
			told := s.OK(200, "GET", gate+"runs/"+run, nil, apitest.As(""))
			list := s.Get("/v2/products?with=images")
			if told.Len("data.warnings_list") == 1 && list.Len("data.0.images") == 1 {
				if code := told.Text("data.warnings_list.0.code"); code != "image_failed" {
					t.Errorf("the warning is %s", code)
				}
				if file := s.Do("GET", list.Text("data.0.images.0.url")[len(s.URL):], nil, apitest.As("")); !bytes.Equal(file.Body, testPNG(7)) {
					t.Errorf("%d bytes are served, %d were sent", len(file.Body), len(testPNG(7)))
				}
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the run tells %s, the product is %s", told.Body, list.Body)
			}
		}
	}, dev)
}
