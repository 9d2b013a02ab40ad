package adminapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
)

const runsPath = "/api/store/exchange-runs"

// push pushes products with an optional query string and returns the id of the run.
func (s *fixture) push(body string, query ...string) string {
	s.t.Helper()
	var run struct {
		ID string `json:"id"`
	}
	s.doAPI(apitest.As(s.store.ExchangeToken), "POST", "/v2/sync-gate/products"+strings.Join(query, ""),
		body).wantStatus(200).decode(&run)
	return run.ID
}

func TestGoldens(t *testing.T) { apitest.RunGoldens(t, "testdata") }

func TestRuns_arePagedAndReturnRejectsUnchanged(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		var pushed, listed []string
		for range 3 {
			pushed = append([]string{s.push(`{"payload":[{"id":1,"name":"Lamp"},{"id":2,` + "\n" +
				` "price":1},{"name":"Nobody"}]}`)}, pushed...)
		}

		secret := apitest.As(s.store.SecretKey)
		for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
			response := s.do(secret, "GET", runsPath+"?per_page=2"+cursor, "").wantStatus(200)
			var page struct {
				Data []struct{ ID string }
				Meta struct {
					Next *string `json:"next_cursor"`
				}
			}
			if err := json.Unmarshal(response.Body, &page); err != nil || pages > 2 {
				t.Fatalf("page %d is %s (%v)", pages, response.Body, err)
			}

			for _, run := range page.Data {
				listed = append(listed, run.ID)
			}

			if cursor = ""; page.Meta.Next != nil {
				cursor = "&cursor=" + *page.Meta.Next
			}
		}

		if !slices.Equal(listed, pushed) {
			t.Errorf("the runs are %v, want %v", listed, pushed)
		}

		s.do(secret, "GET", runsPath+"?cursor=x", "").wantStatus(400)
		got := s.do(secret, "GET", runsPath+"/"+pushed[0]+"/rejects", "").wantStatus(200)
		if string(got.Body) != "{\"id\":2,  \"price\":1}\n{\"name\":\"Nobody\"}\n" ||
			got.Header.Get("Content-Type") != "application/x-ndjson" {
			t.Errorf("the rejects are %q", got.Body)
		}
	})
}

func TestRuns_areRevertedOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		s.push(`{"payload":[{"id":1,"name":"Lamp"},{"id":2,"name":"Shade"}]}`)
		s.Clock.Advance(time.Second) // archive_missing archives only products that are older than the run
		revert := runsPath + "/" + s.push(`{"payload":[{"id":1}]}`, "?archive_missing=true&max_archive_share=1") +
			"/revert"
		secret := apitest.As(s.store.SecretKey)
		first := s.do(secret, "POST", revert, "", "Idempotency-Key", "k").wantStatus(200)

		var run struct {
			Archived int `json:"archived"`
			Reverted int `json:"reverted"`
		}
		if first.decode(&run); run.Archived != 1 || run.Reverted != 1 {
			t.Errorf("the reverted run is %s", first.Body)
		}

		again := s.do(secret, "POST", revert, "", "Idempotency-Key", "k").wantStatus(200)
		if string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("the repeated request has the response %s", again.Body)
		}

		s.do(secret, "POST", revert, "").wantStatus(200)
		var products []struct {
			Name string `json:"name"`
		}
		if s.doAPI(secret, "GET", "/v2/products", "").wantStatus(200).decode(&products); len(products) != 2 {
			t.Errorf("the store has the products %v, want 2", products)
		}

		other := s.Provision("owner@south.example")
		for _, path := range []string{"", "/errors", "/warnings", "/rejects"} {
			s.do(apitest.As(other.SecretKey), "GET", strings.TrimSuffix(revert, "/revert")+path, "").wantStatus(404)
		}

		s.do(apitest.As(other.SecretKey), "POST", revert, "").wantStatus(404)
	})
}
