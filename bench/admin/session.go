// Package admin measures pages of the administration.
package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

// signIn creates an operator and returns the cookie of a session.
func signIn(ctx context.Context, s *harness.Server, c *http.Client) (*http.Cookie, error) {
	const password = "correct horse battery"
	email := fmt.Sprintf("bench-%d@north.example", time.Now().UnixNano())
	prepared, err := s.App.Accounts.Operators.Prepare(ctx,
		account.NewOperator{Email: email, Role: access.Owner, Password: password})
	if err != nil {
		return nil, err
	}

	err = s.App.DB.Write(ctx, func(q database.Querier) error {
		_, err := s.App.Accounts.Operators.Create(ctx, store.In(q, s.Keys.StoreID), prepared)
		return err
	})
	if err != nil {
		return nil, err
	}

	form := url.Values{"email": {email}, "password": {password}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Admin+"/login", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}

	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := c.Transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()

	for _, cookie := range response.Cookies() {
		if cookie.Name == "__Host-vitrine" {
			return cookie, nil
		}
	}

	return nil, errors.New("signing in gives no session: " + response.Status)
}

// getAdminPage reads a page of the administration.
func getAdminPage(s *harness.Server, c *http.Client, path string, cookie *http.Cookie) error {
	request, err := http.NewRequest(http.MethodGet, s.Admin+path, nil)
	if err != nil {
		return err
	}

	request.AddCookie(cookie)
	response, err := c.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()

	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", path, response.Status)
	}

	return nil
}
