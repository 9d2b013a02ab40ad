package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/mailtest"
)

const (
	customersPath    = "/v2/customers"
	requestLoginPath = "/v2/auth/passwordless/request"
	confirmLoginPath = "/v2/auth/passwordless/confirm"
)

var loginCodePattern = regexp.MustCompile(`\b\d{6}\b`)

// newestMail returns the newest message to the given address in the mailbox of the store.
func newestMail(s *apitest.Server, to string) (subject, text string) {
	box := s.DoAdmin("GET", "/api/store/mailbox", nil)
	for i, recipient := range box.Texts("data", "to") {
		if recipient == to {
			return box.Text(fmt.Sprintf("data.%d.subject", i)), box.Text(fmt.Sprintf("data.%d.text", i))
		}
	}
	panic("no message to " + to + " in " + string(box.Body))
}

// requestCode requests a login code and returns the body that confirms it.
func requestCode(s *apitest.Server, email string) map[string]any {
	id := s.OK(202, "POST", requestLoginPath, map[string]any{"email": email},
		apitest.As(s.Publishable)).Text("data.request_id")
	_, text := newestMail(s, email)
	return map[string]any{"request_id": id, "code": loginCodePattern.FindString(text)}
}

// signIn signs a customer in with a code that is sent by e-mail.
func signIn(s *apitest.Server, email string) *apitest.Response {
	return s.OK(200, "POST", confirmLoginPath, requestCode(s, email), apitest.As(s.Publishable))
}

// The cases share a store. Each uses its own customers.
func TestPasswordlessLogin(t *testing.T) {
	t.Parallel()

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, c := range []struct {
			name string
			run  func(t *testing.T, s *apitest.Server)
		}{
			{"signs in and out", testLoginSession}, {"hides known addresses", testLoginHidesKnownAddresses},
			{"refuses bad input", testLoginRefusesBadInput},
			{"accepts a code once and replays the response", testLoginCodeWorksOnce},
			{"limits codes by recipient and client address", testLoginLimits},
			{"shows and edits the own profile", testProfile},
			{"does not sign in by the address of a profile", testProfileAddressDoesNotSignIn},
			{"adds a confirmed address to the customer", testLoginAddsAddress},
			{"lists customers", testCustomerList}, {"logs no secrets", testLoginLogsNoSecret},
		} {
			t.Run(c.name, func(t *testing.T) { c.run(t, s.WithTB(t)) })
		}
	}, apitest.WithConfig(func(c *config.Serve) { c.CodesPerPerson, c.CodesPerAddress = 5, 60 }))
}

func testLoginSession(t *testing.T, s *apitest.Server) {
	r := signIn(s, "anna@example.com")
	token := r.Text("data.token")
	if !strings.HasPrefix(token, "ct_") || r.Text("data.expires_at.iso_utc") != "2026-12-14T12:00:05+00:00" ||
		r.Text("data.customer.email") != "anna@example.com" ||
		r.Text("data.customer.name") != "null" || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the session is %s", r.Body)
	}

	if subject, _ := newestMail(s, "anna@example.com"); subject != "Your code for My shop" {
		t.Errorf("the subject is %q", subject)
	}

	by := apitest.As(token)
	if got := s.Get("/v2/me", by).Text("data.id"); got != r.Text("data.customer.id") {
		t.Errorf("the token belongs to the customer %s", got)
	}

	s.Get("/v2/products", by)
	s.Get("/v2/store", by)
	s.OK(202, "POST", requestLoginPath, `{"phone": "+49 (30) 765-43-21"}`, by)

	if _, text := newestMail(s, "+49307654321"); !loginCodePattern.MatchString(text) {
		t.Errorf("the message to the phone is %q", text)
	}
	if got := s.DoAdmin("GET", "/api/store/settings", nil, by).Status; got != 403 {
		t.Errorf("the administration responds to a customer token with %d, want 403", got)
	}

	s.OK(204, "DELETE", "/v2/auth/session", nil, by)
	s.WantProblem("401 invalid_credential", "GET", "/v2/me", nil, by)
	s.WantProblem("401 invalid_credential", "DELETE", "/v2/auth/session", nil, by)
}

// A request for a code gets the same response for a known and an unknown address, and a message is sent to both.
func testLoginHidesKnownAddresses(t *testing.T, s *apitest.Server) {
	signIn(s, "known@example.com")
	id := regexp.MustCompile(`"request_id":"[0-9a-f-]{36}"`)
	var bodies []string
	for _, email := range []string{"known@example.com", "unknown@example.com"} {
		r := s.OK(202, "POST", requestLoginPath, map[string]any{"email": email}, apitest.As(s.Publishable))
		if r.Text("data.expires_at.iso_utc") != "2026-11-14T12:10:05+00:00" {
			t.Errorf("the code expires at %s", r.Text("data.expires_at.iso_utc"))
		}
		bodies = append(bodies, id.ReplaceAllString(string(r.Body), ""))
		newestMail(s, email)
	}
	if bodies[0] != bodies[1] {
		t.Errorf("the responses differ:\n%s\n%s", bodies[0], bodies[1])
	}
}

func testLoginRefusesBadInput(t *testing.T, s *apitest.Server) {
	by := apitest.As(s.Publishable)
	for body, want := range map[string]string{
		`{}`:                "422 email required",
		`{"email": ""}`:     "422 email required",
		`{"email": null}`:   "422 email required",
		`{"email": 7}`:      "422 email wrong_type",
		`{"email": "anna"}`: "422 email invalid_email",
		`{"phone": "110"}`:  "422 phone invalid_phone",
		`{"email": "anna@example.com", "phone": "+49301234567"}`: "422 phone not_allowed",
		`{"email": "anna@example.com\nBcc: x@example.com"}`:      "422 email control_character",
		`{"email": "anna@example.com\r\nBcc: x@example.com"}`:    "422 email control_character",
		`{"email": "anna@example.com", "recaptcha": "x"}`:        "422 recaptcha wrong_type",
		`[]`:          "422 wrong_type",
		`{"email": "`: "400 malformed_json",
		`{"email": "` + strings.Repeat("a", 3000) + `@example.com"}`: "422 email invalid_email",
	} {
		s.WantProblem(want, "POST", requestLoginPath, body, by)
	}

	for body, want := range map[string]string{
		`{}`:                                    "422 request_id required, code required",
		`{"request_id": "x", "code": "123456"}`: "422 request_id invalid_id",
		`{"request_id": "` + unknownID + `", "code": 123456}`:                            "422 code wrong_type",
		`{"request_id": "` + unknownID + `", "code": ""}`:                                "422 code required",
		`{"request_id": "` + unknownID + `", "code": "123456"}`:                          "401 invalid_code",
		`{"request_id": "` + unknownID + `", "code": "١٢٣٤٥٦"}`:                          "401 invalid_code",
		`{"request_id": "` + unknownID + `", "code": "` + strings.Repeat("1", 65) + `"}`: "422 code too_long",
	} {
		s.WantProblem(want, "POST", confirmLoginPath, body, by)
	}
}

func testLoginCodeWorksOnce(t *testing.T, s *apitest.Server) {
	by := apitest.As(s.Publishable)
	key := apitest.Header("Idempotency-Key", "confirm-of-one-code")
	login := requestCode(s, "once@example.com")
	right := login["code"].(string)
	n, _ := strconv.Atoi(right)
	login["code"] = fmt.Sprintf("%06d", (n+1)%1_000_000)
	unknown := s.Do("POST", confirmLoginPath, map[string]any{"request_id": unknownID, "code": right}, by)
	s.Do("POST", confirmLoginPath, login, by).WantSame(unknown)
	login["code"] = " " + right + " "
	s.WithKeys(s.Other).Do("POST", confirmLoginPath, login, apitest.As(s.Other.Publishable)).WantSame(unknown)
	first := s.OK(200, "POST", confirmLoginPath, login, by, key)

	again := s.OK(200, "POST", confirmLoginPath, login, by, key)
	if again.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("the response was not replayed")
	}

	again.WantSame(first)
	s.Do("POST", confirmLoginPath, login, by).WantSame(unknown)
	late := requestCode(s, "once@example.com")
	s.Clock.Advance(10 * time.Minute)
	s.Do("POST", confirmLoginPath, late, by).WantSame(unknown)
	s.Clock.Advance(-10 * time.Minute)

	if s.Get("/v2/me", apitest.As(first.Text("data.token"))).Text("data.email") != "once@example.com" {
		t.Error("the token of the first response does not work")
	}
}

func testLoginLimits(t *testing.T, s *apitest.Server) {
	by := apitest.As(s.Publishable)
	again := apitest.Header("Idempotency-Key", "requested-too-often")
	for range 5 {
		s.OK(202, "POST", requestLoginPath, `{"email": "often@example.com"}`, by, again)
		again = apitest.Header("Idempotency-Key", "")
	}

	r := s.WantProblem("429 too_many_codes", "POST", requestLoginPath, `{"email": "OFTEN@example.com"}`, by)
	if r.Header.Get("Retry-After") != "3600" {
		t.Errorf("Retry-After is %s, want 3600", r.Header.Get("Retry-After"))
	}

	for i := range 60 {
		if r := s.Do("POST", requestLoginPath, map[string]any{"email": fmt.Sprintf("p%d@example.com", i)},
			by); r.Problem() == "429 too_many_requests" {
			s.WantProblem("429 too_many_requests", "POST", requestLoginPath, `{"email": "another@example.com"}`, by)
			// A repeated request gets the stored response in spite of the limit.
			s.OK(202, "POST", requestLoginPath, `{"email": "often@example.com"}`, by,
				apitest.Header("Idempotency-Key", "requested-too-often"))
			s.Clock.Advance(2 * time.Hour)
			return
		}
	}

	t.Error("the number of codes for one client address is not limited")
}

func testProfile(t *testing.T, s *apitest.Server) {
	anna := signIn(s, "anna.me@example.com")
	boris := signIn(s, "boris.me@example.com")
	by := apitest.As(anna.Text("data.token"))
	r := s.OK(200, "PUT", "/v2/me",
		map[string]any{"name": " Anna ", "phone": "+49 30 5555555", "id": unknownID,
			"created_at": nil}, by, apitest.Header("If-Match", `"v1"`))
	if r.Text("data.name") != "Anna" || r.Text("data.phone") != "+49305555555" ||
		r.Text("data.email") != "anna.me@example.com" || r.Text("data.id") != anna.Text("data.customer.id") ||
		r.Header.Get("ETag") != `"v2"` {
		t.Errorf("the profile is %s", r.Body)
	}

	s.OK(200, "PUT", "/v2/me", string(s.Get("/v2/me", by).Body), by)
	s.WantProblem("412 precondition_failed", "PUT", "/v2/me", `{"name": "x"}`, by, apitest.Header("If-Match", `"v1"`))

	for body, want := range map[string]string{
		`{"email": "x"}`:   "422 email invalid_email",
		`{"name": ["x"]}`:  "422 name wrong_type",
		`{"name": "a\nb"}`: "422 name control_character",
		`{"name": "` + strings.Repeat("x", 256) + `"}`: "422 name too_long",
	} {
		s.WantProblem(want, "PUT", "/v2/me", body, by)
	}

	if r := s.OK(200, "PUT", "/v2/me", `{"email": null, "phone": ""}`, by); r.Text("data.email") != "null" ||
		r.Text("data.phone") != "null" || r.Text("data.login") != `{"email":"anna.me@example.com","phone":null}` {
		t.Errorf("without contact addresses the profile is %s", r.Body)
	}

	for _, token := range []string{s.Publishable, s.Secret, s.Exchange} {
		for _, method := range []string{"GET", "PUT"} {
			s.WantProblem("403 forbidden", method, "/v2/me", nil, apitest.As(token))
		}
		s.WantProblem("403 forbidden", "DELETE", "/v2/auth/session", nil, apitest.As(token))
	}

	for _, token := range []string{s.Publishable, anna.Text("data.token")} {
		s.WantProblem("403 forbidden", "GET", customersPath, nil, apitest.As(token))
		s.WantProblem("403 forbidden", "GET", customersPath+"/"+boris.Text("data.customer.id"), nil, apitest.As(token))
		s.WantProblem("403 forbidden", "POST", "/v2/products", `{"name": "x"}`, apitest.As(token))
	}
}

// Only an address that was proven by a code identifies a customer. A customer who enters another person's address in
// their own profile gains no access to that person's account.
func testProfileAddressDoesNotSignIn(t *testing.T, s *apitest.Server) {
	thief := signIn(s, "thief@example.com")
	by := apitest.As(thief.Text("data.token"))
	mine := func() string {
		return s.Get("/v2/me", by).Text("data.login") + s.Get(ordersPath, by).Text("meta.total")
	}
	before := mine()
	s.OK(200, "PUT", "/v2/me", `{"email": "victim@example.com", "login": {"email": "victim@example.com"}}`, by)

	victim := signIn(s, "Victim@example.com")
	if victim.Text("data.customer.id") == thief.Text("data.customer.id") ||
		victim.Text("data.customer.login") != `{"email":"victim@example.com","phone":null}` {
		t.Fatalf("the victim signs in as %s", victim.Body)
	}

	hers := apitest.As(victim.Text("data.token"))
	s.OK(201, "POST", ordersPath, `{}`, hers)

	if got := mine(); got != before {
		t.Errorf("the thief sees %s, want %s as before", got, before)
	}

	// The same holds after the victim has signed in, and the response does not reveal that the address is known.
	s.OK(200, "PUT", "/v2/me", `{"email": "victim@example.com"}`, by)

	if again := signIn(s, "victim@example.com"); again.Text("data.customer.id") != victim.Text("data.customer.id") ||
		s.Get(ordersPath, hers).Text("meta.total") != "1" {
		t.Errorf("the victim signs in as %s", again.Body)
	}

	if got := mine(); got != before {
		t.Errorf("the thief sees %s, want %s as before", got, before)
	}
}

func testLoginAddsAddress(t *testing.T, s *apitest.Server) {
	first := signIn(s, "ivan@example.com")
	by := apitest.As(first.Text("data.token"))
	visitor := apitest.As(s.Publishable)
	login := requestCode(s, "Ivan@new.example")
	added := s.OK(200, "POST", confirmLoginPath, login, by)
	if added.Text("data.customer.id") != first.Text("data.customer.id") ||
		added.Text("data.customer.email") != "Ivan@new.example" ||
		added.Text("data.customer.login") != `{"email":"ivan@new.example","phone":null}` {
		t.Errorf("the customer is now %s", added.Body)
	}

	s.WantProblem("401 invalid_code", "POST", confirmLoginPath, login, by)

	for _, token := range []string{first.Text("data.token"), added.Text("data.token")} {
		if r := s.Get("/v2/me", apitest.As(token)); r.Text("data.email") != "Ivan@new.example" ||
			r.Header.Get("ETag") != `"v2"` {
			t.Errorf("the profile is %s", r.Body)
		}
	}

	owner := signIn(s, "owner@example.com").Text("data.customer.id")
	login = requestCode(s, "owner@example.com")

	// s.WantProblem would fail the test, because the refused confirmation changes the counter of attempts.
	if got := s.Do("POST", confirmLoginPath, login, by).Problem(); got != "409 email_taken" {
		t.Errorf("confirming an address of another customer: %s", got)
	}
	if r := s.Get("/v2/me", by); r.Header.Get("ETag") != `"v2"` {
		t.Errorf("the refused request changed the profile: %s", r.Body)
	}
	if r := s.OK(200, "POST", confirmLoginPath, login, visitor); r.Text("data.customer.id") != owner {
		t.Errorf("the same code signs in the customer %s", r.Body)
	}

	if r := signIn(s, "ivan@example.com"); r.Text("data.customer.id") == first.Text("data.customer.id") {
		t.Error("the address that was replaced still signs in")
	}
}

func testCustomerList(t *testing.T, s *apitest.Server) {
	s.Clock.Advance(48 * time.Hour)
	first := signIn(s, "list.first@example.com").Text("data.customer.id")
	before := s.Clock.Now().Format(time.DateOnly)
	s.Clock.Advance(24 * time.Hour)
	second := signIn(s, "list.second@example.com").Text("data.customer.id")

	day := s.Clock.Now().Format(time.DateOnly)
	for query, want := range map[string][]string{
		"?q=list":                   {second, first},
		"?q=list.f":                 {first},
		"?q=list&since=" + day:      {second},
		"?q=list&until=" + before:   {first},
		"?q=list&per_page=1&page=2": {first},
		"?q=list&since=2099-01-01":  {},
	} {
		if got := s.Get(customersPath+query).Texts("data", "id"); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", query, got, want)
		}
	}

	if got := s.Get(customersPath + "/" + first); got.Text("data.email") != "list.first@example.com" ||
		got.Header.Get("ETag") != `"v1"` {
		t.Errorf("the first customer is %s", got.Body)
	}

	for _, query := range []string{"?since=yesterday", "?page=0", "?with=orders"} {
		s.WantProblem("400 malformed_query", "GET", customersPath+query, nil)
	}
}

func testLoginLogsNoSecret(t *testing.T, s *apitest.Server) {
	login := requestCode(s, "canary@example.com")
	token := s.OK(200, "POST", confirmLoginPath, login, apitest.As(s.Publishable)).Text("data.token")
	s.Get("/v2/me", apitest.As(token))
	for _, secret := range []string{login["code"].(string), token} {
		if log := s.Log.String(); strings.Contains(log, `"`+secret) || strings.Contains(log, secret+`"`) ||
			strings.Contains(log, " "+secret) {
			t.Errorf("the log contains %s", secret)
		}
	}
}

// With a mail server, codes are sent through it in the language of the store, and the mailbox stays empty.
func TestPasswordlessLogin_sendsMail(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, mailtest.Config{})
	s := apitest.StartServer(t, "sqlite", apitest.WithConfig(func(c *config.Serve) { c.SMTP = server.URL(nil) }))
	s.DoAdmin("PUT", "/api/store/settings", `{"name": "Лавка", "locale": "ru"}`)
	id := s.OK(202, "POST", requestLoginPath, `{"email": "anna@example.com"}`,
		apitest.As(s.Publishable)).Text("data.request_id")
	m := server.WaitForMessages(t, 1)[0]
	if m.To[0] != "anna@example.com" || m.Subject != "Ваш код для входа: Лавка" {
		t.Errorf("the mail to %v has the subject %q", m.To, m.Subject)
	}
	s.OK(200, "POST", confirmLoginPath, map[string]any{"request_id": id, "code": loginCodePattern.FindString(m.Text)},
		apitest.As(s.Publishable))
	if n := s.DoAdmin("GET", "/api/store/mailbox", nil).Len("data"); n != 0 {
		t.Errorf("the mailbox has %d messages, want none", n)
	}
}
