package e2e

import (
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// Lines are counted, not requests: one address cannot fill the database with large carts.
func TestM4_cartLinesOfAnAddressAreLimited(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite,
		apitest.WithConfig(func(c *config.Serve) { c.CartLinesPerHour = 20 }))
	_, small, large := createShirt(s, 9)
	two := orderItems(orderLine(small, 1), orderLine(large, 1))
	c, _ := createGuestCart(s, two) // 3 of 20
	key := apitest.Header("Idempotency-Key", "0123456789abcdef")
	s.OK(201, "POST", ordersPath, two, apitest.As(s.Publishable), key) // 6

	for range 3 {
		s.OK(201, "POST", ordersPath, two, apitest.As(s.Publishable), key) // replays do not count
	}

	c.ok(200, "PUT", "", two)                                                    // 8
	c.ok(200, "PUT", "", map[string]any{"comment": strings.Repeat("x", 10*256)}) // 18
	c.ok(201, "POST", "/items", orderLine(small, 1))                             // 19

	r := s.WantProblem("429 too_many_requests", "POST", ordersPath, two, apitest.As(s.Publishable))
	if got := r.Header.Get("Retry-After"); got != "360" { // two lines too many, at 20 an hour
		t.Errorf("Retry-After is %s, want 360", got)
	}

	s.OK(201, "POST", ordersPath, `{}`, apitest.As(s.Publishable)) // 20
	c.refuse("429 too_many_requests", "POST", "/items", orderLine(small, 1))
	s.OK(201, "POST", ordersPath, two) // the shop's own server is not limited
	s.Clock.Advance(time.Hour)
	s.OK(201, "POST", ordersPath, two, apitest.As(s.Publishable))
}

// Concurrent attempts are counted before their codes are compared, so no more than the limit are compared.
func TestL2_concurrentFailuresAreLimited(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite,
		apitest.WithConfig(func(c *config.Serve) { c.FailedCredentialsPerMinute = 5 }))
	const attempts = 30
	statuses := make(chan int, attempts)
	var wait sync.WaitGroup
	for range attempts {
		wait.Go(func() {
			statuses <- s.Do("POST", confirmLoginPath, map[string]any{"request_id": unknownID, "code": "123456"},
				apitest.As(s.Publishable)).Status
		})
	}

	wait.Wait()
	close(statuses)
	count := map[int]int{}
	for status := range statuses {
		count[status]++
	}

	if count[401] != 5 || count[429] != attempts-5 {
		t.Errorf("the statuses are %v, want 5 × 401 and %d × 429", count, attempts-5)
	}

	// A right code does not use up the limit.
	s.Clock.Advance(time.Minute)

	for range 8 {
		signIn(s, "anna@example.com")
		s.Clock.Advance(time.Hour)
	}
}

// Wrong codes are limited per hour and address as well, over all persons.
func TestL3_wrongCodesOfAnAddressAreLimitedPerHour(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) { c.CodesPerAddress = 3 }))
	login := requestCode(s, "anna@example.com")
	for range 3 {
		s.WantProblem("401 invalid_code", "POST", confirmLoginPath,
			map[string]any{"request_id": unknownID, "code": "123456"},
			apitest.As(s.Publishable))
		s.Clock.Advance(time.Minute)
	}
	s.WantProblem("429 too_many_requests", "POST", confirmLoginPath, login, apitest.As(s.Publishable))
	s.Clock.Advance(20 * time.Minute)
	signIn(s, "anna@example.com")
}

// An address that creates as many empty carts as a store may have does not keep another address from creating one.
func TestM4_oneAddressCannotUseUpTheCartsOfAStore(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.MaxGuestDrafts = 5
		c.TrustedProxy = []string{"127.0.0.0/8", "::1/128"}
	}))
	_, small, _ := createShirt(s, 9)
	attacker := apitest.Header("X-Forwarded-For", "192.0.2.1")
	visitor := apitest.Header("X-Forwarded-For", "192.0.2.2")
	first, _ := createGuestCart(s, orderItems(orderLine(small, 1)))

	for range 4 {
		s.OK(201, "POST", ordersPath, `{}`, apitest.As(s.Publishable), attacker)
	}

	s.WantProblem("429 too_many_carts", "POST", ordersPath, `{}`, apitest.As(s.Publishable), attacker)
	s.Clock.Advance(10 * time.Minute)
	s.OK(201, "POST", ordersPath, `{}`, apitest.As(s.Publishable), visitor)
	first.ok(200, "POST", "/submit", submissionBody)
}

// Correct codes that are refused because of an overload do not count as wrong ones.
func TestL3_refusedCodesDoNotCountAsWrong(t *testing.T) {
	t.Parallel()
	const refused = 3
	s := apitest.StartServer(t, database.SQLite, apitest.ShortAdmissionWait(),
		apitest.WithConfig(func(c *config.Serve) {
			c.CodesPerAddress = apitest.WriteSlots + refused
			c.FailedCredentialsPerMinute = apitest.WriteSlots + refused
		}))
	login := requestCode(s, "anna@example.com")
	release := s.FillWriteSlots() // with wrong codes
	for range refused {
		s.WantProblem("503 overloaded", "POST", confirmLoginPath, login, apitest.As(s.Publishable))
	}
	release()
	s.OK(200, "POST", confirmLoginPath, login, apitest.As(s.Publishable))
}
