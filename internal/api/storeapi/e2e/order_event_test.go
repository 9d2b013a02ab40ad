package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// Without --public-url, the images in the webhooks of an order begin with the address of the request that changed it. A
// visitor cannot make them begin with the address of another server.
func TestOrderEvents_haveImagesAtTheAddressOfTheRequest(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		payloads := make(chan []byte, 10)
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			payloads <- body
		}))
		defer receiver.Close()

		if r := s.DoAdmin("POST", "/api/store/webhook-receivers",
			map[string]any{"url": receiver.URL, "webhook_types": []string{"order.*"}}); r.Status != 201 {
			t.Fatalf("creating a receiver: %d %s", r.Status, r.Body)
		}

		productID, small, _ := createShirt(s, 3)
		image := createImage(s)
		s.OK(200, "PUT", "/v2/products/"+productID, map[string]any{"images": []string{image}})
		path := strings.TrimPrefix(s.Get("/v2/images/"+image).Text("data.thumbnails.small"), s.URL)
		first, _ := createGuestCart(s, orderItems(orderLine(small, 1)))
		c, _ := createGuestCart(s, orderItems(orderLine(small, 1)))
		at := func(host string) apitest.RequestOption { return func(r *http.Request) { r.Host = host } }

		for i, step := range []struct{ path, host, want string }{
			{"/submit", "visitor.example", ""},
			{"/submit", "localhost:8080", "http://localhost:8080" + path},
			{"/confirm", "office.shop.example:8080", "http://office.shop.example:8080" + path},
			{"/complete", "office.shop.example:8080", "http://office.shop.example:8080" + path},
		} {
			var r *apitest.Response
			switch {
			case i == 0:
				r = s.OK(200, "POST", first.path+step.path, submissionBody, append(first.headers(), at(step.host))...)
			case step.path == "/submit":
				r = s.OK(200, "POST", c.path+step.path, submissionBody, append(c.headers(), at(step.host))...)
			default:
				r = s.OK(200, "POST", c.path+step.path, nil, at(step.host))
			}

			var payload []byte
			storetest.Eventually(t, step.path+" is delivered", func() bool {
				select {
				case payload = <-payloads:
					return true
				default:
					return false
				}
			})

			var event struct {
				Type    string `json:"type"`
				Payload struct {
					State string `json:"state"`
					Items []struct {
						Image *string `json:"image"`
						Slug  string  `json:"slug"`
					} `json:"items"`
				} `json:"payload"`
			}
			if err := json.Unmarshal(payload, &event); err != nil || len(event.Payload.Items) != 1 ||
				event.Payload.State != r.Text("data.state") {
				t.Fatalf("the webhook of %s is %s, %v", step.path, payload, err)
			}

			if event.Payload.Items[0].Slug == "" {
				t.Errorf("the webhook of %s has no slug: %s", step.path, payload)
			}
			got := ""
			if event.Payload.Items[0].Image != nil {
				got = *event.Payload.Items[0].Image
			}

			if got != step.want {
				t.Errorf("the image in the webhook of %s is %q, want %q", step.path, got, step.want)
			}
		}
	}, apitest.DevMode())
}
