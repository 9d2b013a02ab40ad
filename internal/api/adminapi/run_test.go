package adminapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

const runsPath = "/api/store/exchange-runs"

// push pushes products and returns the id of the run.
func (s *site) push(body string, query ...string) string {
	s.t.Helper()
	var run struct {
		ID string `json:"id"`
	}
	s.send(s.api, bearer(s.shop.ExchangeToken), "POST", "/v2/sync-gate/products"+strings.Join(query, ""), body).want(200).into(&run)
	return run.ID
}

// Runs as a reader sees them: testdata/*.http.
func TestGoldens(t *testing.T) { apitest.RunGoldens(t, "testdata") }

func TestRuns_comeByCursorAndTheirRejectsAsTheyWereSent(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		var pushed, listed []string
		for range 3 {
			pushed = append([]string{s.push(`{"payload":[{"id":1,"name":"Lamp"},{"id":2,` + "\n" + ` "price":1},{"name":"Nobody"}]}`)}, pushed...)
		}
		secret := bearer(s.shop.SecretKey)
		for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
			page := s.ask(secret, "GET", runsPath+"?per_page=2"+cursor, "").want(200)
			var told struct {
				Data []struct{ ID string }
				Meta struct {
					Next *string `json:"next_cursor"`
				}
			}
			if err := json.Unmarshal(page.body, &told); err != nil || pages > 2 {
				t.Fatalf("page %d is %s (%v)", pages, page.body, err)
			}
			for _, run := range told.Data {
				listed = append(listed, run.ID)
			}
			if cursor = ""; told.Meta.Next != nil {
				cursor = "&cursor=" + *told.Meta.Next
			}
		}
		if !slices.Equal(listed, pushed) {
			t.Errorf("the runs are %v, want %v", listed, pushed)
		}
		s.ask(secret, "GET", runsPath+"?cursor=x", "").want(400)
		got := s.ask(secret, "GET", runsPath+"/"+pushed[0]+"/rejects", "").want(200)
		if string(got.body) != "{\"id\":2,  \"price\":1}\n{\"name\":\"Nobody\"}\n" || got.Header.Get("Content-Type") != "application/x-ndjson" {
			t.Errorf("the rejects are %q", got.body)
		}
	})
}

func TestRuns_areRevertedOnce(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		s.push(`{"payload":[{"id":1,"name":"Lamp"},{"id":2,"name":"Shade"}]}`)
		revert := runsPath + "/" + s.push(`{"payload":[{"id":1}]}`, "?archive_missing=true&max_archive_share=1") + "/revert"
		secret := bearer(s.shop.SecretKey)
		first := s.ask(secret, "POST", revert, "", "Idempotency-Key", "k").want(200)
		var run struct {
			Archived int `json:"archived"`
			Reverted int `json:"reverted"`
		}
		if first.into(&run); run.Archived != 1 || run.Reverted != 1 {
			t.Errorf("it tells %s", first.body)
		}
		again := s.ask(secret, "POST", revert, "", "Idempotency-Key", "k").want(200)
		if string(again.body) != string(first.body) || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("the same request again is answered by %s", again.body)
		}
		s.ask(secret, "POST", revert, "").want(200)
		var left []struct {
			Name string `json:"name"`
		}
		if s.send(s.api, secret, "GET", "/v2/products", "").want(200).into(&left); len(left) != 2 {
			t.Errorf("the shop has %v", left)
		}

		other := s.newShop("owner@south.example")
		for _, path := range []string{"", "/errors", "/warnings", "/rejects"} {
			s.ask(bearer(other.SecretKey), "GET", strings.TrimSuffix(revert, "/revert")+path, "").want(404)
		}
		s.ask(bearer(other.SecretKey), "POST", revert, "").want(404)
	})
}
