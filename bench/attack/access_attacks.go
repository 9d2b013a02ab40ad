package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// The attacks in this file send few requests. They gain what their credential must not give.

const keysPath = "/api/store/keys"

// bearer returns the header with a credential.
func bearer(key string) header { return header{"Authorization", "Bearer " + key} }

// attackSession creates and rotates credentials with the session of an operator, without the password.
func attackSession(ctx context.Context, a *attacker) error {
	session, err := a.session(ctx)
	if err != nil {
		return err
	}
	if status, _ := a.sendTo(ctx, a.admin, http.MethodGet, keysPath, nil, session...); status != 200 {
		return fmt.Errorf("the session cannot list keys: %d", status)
	}

	for path, body := range map[string]string{
		keysPath: `{"kind":"secret"}`, "/api/store/operators": `{"email":"x@example.com","role":"owner"}`,
		"/api/store/webhook-receivers": `{"url":"https://example.com","webhook_types":["*"]}`,
	} {
		status, response := a.sendTo(ctx, a.admin, http.MethodPost, path, []byte(body), session...)
		if status != 403 || !bytes.Contains(response, []byte("password_required")) {
			return fmt.Errorf("POST %s without the password got %d %.200s", path, status, response)
		}
	}

	return nil
}

// session signs the owner of the attacked store in and returns the headers of a form of the administration.
func (a *attacker) session(ctx context.Context) ([]header, error) {
	status, cookies := a.signIn(ctx, a.attacked.AdminEmail, a.attacked.AdminPassword, nil)
	if status != http.StatusSeeOther {
		return nil, fmt.Errorf("the owner cannot sign in: %d", status)
	}
	cookie := ""
	for _, c := range cookies {
		cookie += c.Name + "=" + c.Value + "; "
	}
	return []header{{"Cookie", cookie}, {"Origin", "http://" + a.admin}, {"Sec-Fetch-Site", "same-origin"}}, nil
}

// attackCodes guesses login codes.
func attackCodes(ctx context.Context, a *attacker) error {
	refused := 0
	flood(ctx, 1, 100, func(i int) {
		guess := fmt.Appendf(nil, `{"request_id":"00000000-0000-7000-8000-%012d","code":"123456"}`, i)
		status, _ := a.send(ctx, http.MethodPost, "/v2/auth/passwordless/confirm", a.attacked.PublishableKey, guess)
		if status == 429 {
			refused++
		}
	})
	if refused < 40 {
		return fmt.Errorf("%d of 100 wrong codes were refused with 429, want 40", refused)
	}
	return nil
}

// createKey creates a key of the attacked store. The JSON of its settings has no braces.
func (a *attacker) createKey(ctx context.Context, settings string) (token string, err error) {
	status, body := a.sendTo(ctx, a.admin, http.MethodPost, keysPath, []byte("{"+settings+"}"),
		bearer(a.attacked.SecretKey))
	var created struct {
		Data struct {
			Token string `json:"token"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &created); err != nil || status != 201 || created.Data.Token == "" {
		return "", fmt.Errorf("create a key: %d %.300s", status, body)
	}
	return created.Data.Token, nil
}

// attackFeed reads feedback, which the key may not read, from the feed of events.
func attackFeed(ctx context.Context, a *attacker) error {
	token, err := a.createKey(ctx, `"kind":"secret","scopes":["webhooks:read"]`)
	if err != nil {
		return err
	}
	if status, body := a.send(ctx, http.MethodPost, "/v2/feedback", a.attacked.PublishableKey,
		[]byte(`{"name":"Eve","message":"Secret"}`)); status != 201 {
		return fmt.Errorf("send feedback: %d %.200s", status, body)
	}
	status, body := a.sendTo(ctx, a.admin, http.MethodGet, "/api/store/events?per_page=100", nil, bearer(token))
	if status != 200 || bytes.Contains(body, []byte("feedback.submitted")) {
		return fmt.Errorf("the feed without inquiries:read: %d %.300s", status, body)
	}
	return nil
}

// attackKeys creates a key that does not expire with one that does.
func attackKeys(ctx context.Context, a *attacker) error {
	end := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	token, err := a.createKey(ctx, fmt.Sprintf(`"kind":"secret","expires_at":%q`, end))
	if err != nil {
		return err
	}
	status, body := a.sendTo(ctx, a.admin, http.MethodPost, keysPath, []byte(`{"kind":"secret"}`), bearer(token))
	if status != 403 {
		return fmt.Errorf("a key that ends created one that does not: %d %.300s", status, body)
	}
	return nil
}

// attackQuantity reserves a million pieces.
func attackQuantity(ctx context.Context, a *attacker) error {
	cart := fmt.Appendf(nil, `{"items":[{"variant_id":%q,"quantity":1000000}]}`, a.attackedSold)
	if status, body := a.send(ctx, http.MethodPost, "/v2/orders", a.attacked.PublishableKey, cart); status != 422 {
		return fmt.Errorf("a million pieces got %d %.300s", status, body)
	}
	return nil
}
