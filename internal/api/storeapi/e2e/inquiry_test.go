package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

const (
	feedbackPath  = "/v2/feedback"
	callbacksPath = "/v2/interactions/callback"
)

// storedEvents reads the events of the store, each as its type and payload.
func storedEvents(s *apitest.Server) (list [][2]string) {
	s.Write(func(ctx context.Context, q database.Querier) error {
		list = nil
		return database.QueryEach(ctx, q, "SELECT type, payload FROM events WHERE store_id = $1 ORDER BY sequence",
			[]any{s.StoreID}, func(rows database.Rows) error {
				var eventType string
				var payload []byte
				err := rows.Scan(&eventType, &payload)
				list = append(list, [2]string{eventType, string(payload)})
				return err
			})
	})
	return list
}

// createInquiry creates an inquiry and returns its id.
func createInquiry(s *apitest.Server, path string) string {
	return s.OK(201, "POST", path, `{"name": "Anna", "message": "Hello", "phone": "+491234567"}`).Text("data.id")
}

// rawData returns the member data of a response, byte for byte.
func rawData(t *testing.T, r *apitest.Response) string {
	t.Helper()
	var envelope struct{ Data json.RawMessage }
	if err := json.Unmarshal(r.Body, &envelope); err != nil {
		t.Fatal(err)
	}
	return string(envelope.Data)
}

// An inquiry is stored in a normalized form and answered with 201. Its event has the same JSON as the response. Only
// secret keys with the scope inquiries:read can read it.
func TestInquiry_isStoredAndEmitted(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		visitor := apitest.As(s.Publishable)
		for i, c := range []struct {
			path, event, sent, want string
		}{
			{feedbackPath, "feedback.submitted",
				`{"name": " Anna ", "email": "Anna@EXAMPLE.com", "phone": "+7 (912) 345-67-89", ` +
					`"message": "Two\nlines\t!", "topic": "Delivery", "rating": 4.50, "page": {"url": "https://x", ` +
					`"seen": [1, null]}}`,
				`{"name":"Anna","email":"Anna@example.com","phone":"+79123456789","message":"Two\nlines\t!",` +
					`"topic":"Delivery","rating":4.50,"page":{"url": "https://x", "seen": [1, null]}`},
			{feedbackPath, "feedback.submitted",
				`{"name": "Анна", "message": "Здравствуйте", "email": "", "phone": null, "id": 7, "created_at": {}, ` +
					`"recaptcha": {"token": "not looked at"}}`,
				`{"name":"Анна","email":null,"phone":null,"message":"Здравствуйте"`},
			{callbacksPath, "callback.submitted",
				`{"phone": "8 (912) 345-67-89", "name": "Anna", "comment": "About\n1042", ` +
					`"preferred_time": "after 18:00", "unknown": "ignored"}`,
				`{"name":"Anna","phone":"89123456789","comment":"About\n1042","preferred_time":"after 18:00"`},
			{callbacksPath, "callback.submitted", `{"phone": "+491234567", "name": null, "comment": " "}`,
				`{"name":null,"phone":"+491234567","comment":null,"preferred_time":null`},
		} {
			before := len(storedEvents(s))
			key := apitest.Header("Idempotency-Key", "inquiry-request-"+strconv.Itoa(i))
			made := s.OK(201, "POST", c.path, c.sent, visitor, key)
			id := made.Text("data.id")
			if got := made.Header.Get("Location"); got != c.path+"/"+id {
				t.Errorf("Location is %s", got)
			}

			got := rawData(t, made)
			want := `{"id":"` + id + `",` + c.want[1:] + `,"created_at":{"timezone":"UTC",`
			if !strings.HasPrefix(got, want) {
				t.Errorf("%s\n got %s\nwant %s…", c.sent, got, want)
			}

			events := storedEvents(s)
			if len(events) != before+1 || events[before] != [2]string{c.event, got} {
				t.Errorf("the events are %q, want one more: %s %s", events[before:], c.event, got)
			}
			one := s.Get(c.path + "/" + id)
			if rawData(t, one) != got || one.Header.Get("ETag") != `"v1"` {
				t.Errorf("GET responds with the ETag %s and %s", one.Header.Get("ETag"), one.Body)
			}

			again := s.OK(201, "POST", c.path, c.sent, visitor, key)
			if again.Header.Get("Idempotent-Replayed") != "true" || again.Text("data.id") != id ||
				len(storedEvents(s)) != before+1 {
				t.Error("the repeated request was not replayed")
			}
		}

		_, reader := s.NewKey(access.NewKey{Kind: access.SecretKey, Scopes: []string{"inquiries:read"}})
		_, catalogue := s.NewKey(access.NewKey{Kind: access.SecretKey, Scopes: []string{"catalog:read", "orders:read"}})
		for _, path := range []string{feedbackPath, callbacksPath} {
			if n := s.Get(path, apitest.As(reader)).Len("data"); n != 2 {
				t.Errorf("%s lists %d inquiries, want 2", path, n)
			}

			for _, token := range []string{s.Publishable, catalogue} {
				s.WantProblem("403 forbidden", "GET", path, nil, apitest.As(token))
				s.WantProblem("403 forbidden", "GET", path+"/"+unknownID, nil, apitest.As(token))
			}

			if n := s.WithKeys(s.Other).Get(path).Len("data"); n != 0 {
				t.Errorf("another store sees %d inquiries of %s", n, path)
			}
		}

		// A secret key may create inquiries whatever its scopes.
		s.OK(201, "POST", feedbackPath, `{"name": "x", "message": "y"}`, apitest.As(catalogue))
	})
}

// Invalid fields are reported, and nothing is stored.
func TestInquiry_refusesInvalidInput(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		long := strings.Repeat("ж", 256)
		for _, c := range []struct{ path, sent, want string }{
			{feedbackPath, `{}`, "name required, message required"},
			{feedbackPath, `{"name": "", "message": " \n"}`, "name required, message required"},
			{feedbackPath, `{"name": null, "message": null}`, "name required, message required"},
			{feedbackPath, `{"name": 7, "message": ["x"]}`, "name wrong_type, message wrong_type"},
			{feedbackPath, `{"name": "` + long + `", "message": "` + strings.Repeat("x", 10_001) + `"}`,
				"name too_long, message too_long"},
			{feedbackPath, `{"name": "a\nb", "message": "\u0000"}`,
				"name control_character, message control_character"},
			{feedbackPath, `{"name": "a", "message": "b", "email": "a@b@c", "phone": "12"}`,
				"email invalid_email, phone invalid_phone"},
			{feedbackPath, `{"name": "a", "message": "b", "email": "a@example.com\nBcc: b@example.com"}`,
				"email control_character"},
			{feedbackPath, `{"name": "a", "message": "b", "email": "a@example.com\r\nBcc: b@example.com"}`,
				"email control_character"},
			{feedbackPath, `{"name": "a", "message": "b", "email": {}, "phone": 79123456789}`,
				"email wrong_type, phone wrong_type"},
			{feedbackPath, `{"name": "a", "message": "b", "email": "` + long + long + long + long + `x"}`,
				"email invalid_email"},
			{feedbackPath, `{"name": "a", "message": "b", "topic": {"x": ["\u0001"]}, "a\u0007b": 1}`,
				"topic control_character, a\u0007b control_character"},
			{feedbackPath, `{"name": "a", "message": "b", "x": "` + strings.Repeat("x", 16<<10) + `", "y": 1}`,
				"x too_long"},
			{feedbackPath, `{"name": "a", "message": "b", "recaptcha": 7}`, "recaptcha wrong_type"},
			{feedbackPath, `{"name": "a", "message": "b", "recaptcha": {"token": 7}}`, "recaptcha.token wrong_type"},
			{feedbackPath, `[]`, "wrong_type"},
			{callbacksPath, `{}`, "phone required"},
			{callbacksPath, `{"phone": ""}`, "phone required"},
			{callbacksPath, `{"phone": null, "name": "` + long + `"}`, "name too_long, phone required"},
			{callbacksPath, `{"phone": "call me"}`, "phone invalid_phone"},
			{callbacksPath, `{"phone": "+491234567", "comment": 1, "preferred_time": "a\tb"}`,
				"comment wrong_type, preferred_time control_character"},
			{callbacksPath, `{"phone": "+491234567", "comment": "` + strings.Repeat("x", 10_001) +
				`", "preferred_time": "` + long + `"}`, "comment too_long, preferred_time too_long"},
		} {
			s.WantProblem("422 "+c.want, "POST", c.path, c.sent, apitest.As(s.Publishable))
		}

		s.WantProblem("400 malformed_json", "POST", feedbackPath, `{"name": "a", "message": "b", "x": 1, "x": 2}`)
		s.WantProblem("400 malformed_json", "POST", feedbackPath,
			`{"name": "a", "message": "b", "x": `+strings.Repeat("[", 64)+strings.Repeat("]", 64)+`}`)
		s.WantProblem("400 malformed_query", "POST", feedbackPath+"?with=x", `{"name": "a", "message": "b"}`)
		s.WantProblem("415 unsupported_media_type", "POST", callbacksPath, `{"phone": "+491234567"}`,
			apitest.Header("Content-Type", "text/plain"))
		s.WantProblem("401 credential_required", "POST", callbacksPath, `{"phone": "+491234567"}`, apitest.As(""))

		for _, query := range []string{"since=yesterday", "until=2026-13-01", "since=2026-11-14T12:00:05", "since=",
			"until=1794657605", "since=2026-11-14&since=2026-11-15", "page=0"} {
			s.WantProblem("400 malformed_query", "GET", feedbackPath+"?"+query, nil)
		}
	})
}

// Lists are paginated, newest first. q, since and until filter them. A date means a day in the timezone of the store,
// and a time without fractions means that whole second.
func TestInquiry_listsAreFilteredAndPaginated(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		s = s.WithKeys(s.NewStore(store.Edit{Timezone: new("Europe/Moscow")}))
		for _, c := range []struct {
			at   time.Time
			name string
		}{
			{time.Date(2026, 11, 13, 20, 59, 59, 999_999_000, time.UTC), "Anna"}, // still the 13th in Moscow
			{time.Date(2026, 11, 13, 21, 0, 0, 0, time.UTC), "Boris"},
			{time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC), "Clara"},
			{time.Date(2026, 11, 14, 12, 0, 5, 500_000_000, time.UTC), "Dora"},
			{time.Date(2026, 11, 14, 12, 0, 6, 0, time.UTC), "Emil"},
			{time.Date(2026, 11, 14, 12, 0, 6, 0, time.UTC), "Anna Two"},
		} {
			s.Clock.Set(c.at)
			s.OK(201, "POST", feedbackPath,
				map[string]string{"name": c.name, "message": "Où est " + c.name, "phone": "+7 912 345-67-89",
					"email": c.name[:1] + "@example.com"})
			s.OK(201, "POST", callbacksPath,
				map[string]string{"name": c.name, "phone": "+7 912 345-67-89", "comment": "où?"})
		}

		all := []string{"Anna Two", "Emil", "Dora", "Clara", "Boris", "Anna"}
		for query, want := range map[string][]string{
			"": all, "?q=anna": {"Anna Two", "Anna"}, "?q=TWO+an": {"Anna Two"}, "?q=7912": all, "?q=%2B7912": all,
			"?q=o%C3%B9": all, "?q=nobody": {}, "?q=--": {},
			"?since=2026-11-14": {"Anna Two", "Emil", "Dora", "Clara", "Boris"}, "?until=2026-11-13": {"Anna"},
			"?since=2026-11-14&until=2026-11-14&q=b":                        {"Boris"},
			"?since=2026-11-14T12:00:06Z":                                   {"Anna Two", "Emil"},
			"?until=2026-11-14T12:00:05Z&since=2026-11-14T12:00:05%2B00:00": {"Dora", "Clara"},
			"?until=2026-11-14T15:00:05+03:00":                              {"Dora", "Clara", "Boris", "Anna"},
			"?since=2026-11-14T12:00:05.1Z&until=2026-11-14T12:00:05.5Z":    {"Dora"},
			"?since=2026-11-15":                                             {}, "?until=0001-01-01": {},
			"?per_page=2&page=2": {"Dora", "Clara"},
			"?per_page=2&page=4": {},
		} {
			for _, path := range []string{feedbackPath, callbacksPath} {
				if got := s.Get(path+query).Texts("data", "name"); !slices.Equal(got, want) {
					t.Errorf("%s%s lists %q, want %q", path, query, got, want)
				}
			}
		}

		if total := s.Get(feedbackPath + "?per_page=2&page=4&q=anna").Text("meta.total"); total != "2" {
			t.Errorf("the total is %s", total)
		}
	}, apitest.Alone())
}
