package exchangeapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// A client that sends its push byte by byte does not block other writes, even of the entities that it pushes.
func TestPush_slowClientDoesNotBlockWrites(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, shared *apitest.Server) {
		s := gateServer{shared, t}
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()

		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		drip := func(text string) {
			for i := range text {
				if _, err := io.WriteString(conn, text[i:i+1]); err != nil {
					t.Fatal(err)
				}
			}
		}
		const padding = 100_000 // a small body would be read whole first
		first := `{"id": "lamp", "name": "Lamp", "variants": [{"id": 1, "price": 5}]}` + "\n"
		second := `{"id": "chair", "name": "Chair"}` + "\n"
		drip(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
			s.path("products"), ndjson, len(first)+len(second)+padding))
		drip(first[:20])
		s.pushAll(sampleCatalog(0))
		drip(first[20:])
		storetest.Eventually(s.t, "the first item is applied before the second one is received", func() bool {
			return s.Get("/v2/products?q=Lamp").Len("data") == 1
		})
		lamp := "/v2/products/" + s.Get("/v2/products?q=Lamp").Text("data.0.id")

		for i, c := range []byte(second) {
			drip(string(c))

			if i%5 == 0 {
				s.OK(200, "PUT", lamp,
					fmt.Sprintf(`{"description": "while byte %d came", "variants": [{"external_id": "1", `+
						`"price": %d}]}`, i, i))
				s.OK(201, "POST", "/v2/stocks", fmt.Sprintf(`{"name": "Stock %d"}`, i))
				s.push("prices", fmt.Sprintf(`{"payload": [{"product_id": "lamp", "variant_id": 1, "price": %d}]}`,
					i+1))
			}
		}

		if _, err := io.WriteString(conn, strings.Repeat("\n", padding)); err != nil {
			t.Fatal(err)
		}

		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		if answer.StatusCode != 200 || !strings.Contains(string(body), `"received":2,"created":2,"updated":0,`) {
			t.Errorf("the response to the push is %d %s", answer.StatusCode, body)
		}
	})
}
