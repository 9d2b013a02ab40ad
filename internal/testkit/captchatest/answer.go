package captchatest

import (
	"encoding/json"
	"fmt"
	"net/http"

	"vitrine/internal/kit/captcha"
)

// Answer is a provider's verdict about a token. Each provider sends only the members that it supports.
type Answer struct {
	Failed bool
	// Score is a JSON value; empty leaves it out. For hCaptcha it is a risk: lower is better.
	Score string
	// An empty Action or Host is omitted or sent as an empty string, depending on the provider.
	Action, Host string
	// Codes are the error codes. For SmartCaptcha the first one is the message.
	Codes []string
}

// GoodAnswer returns the verdict for a human.
func (s *Site) GoodAnswer(action string) Answer {
	a := Answer{Action: action, Host: s.Host}
	if s.Provider == captcha.RecaptchaV3 {
		a.Score = "0.9"
	}
	return a
}

// renderAnswer returns the JSON body of an answer as the provider documents it.
func (s *Site) renderAnswer(a Answer) string {
	if s.Provider == captcha.SmartCaptcha {
		members := map[string]any{"status": "ok", "message": "", "host": a.Host}
		if a.Failed {
			members = map[string]any{"status": "failed", "message": ""}
		}
		if len(a.Codes) > 0 {
			members["message"] = a.Codes[0]
		}
		return marshalObject(members)
	}

	members := map[string]any{"success": !a.Failed}
	put := func(name, value string) {
		if value != "" {
			members[name] = value
		}
	}
	if len(a.Codes) > 0 {
		members["error-codes"] = a.Codes
	}

	if !a.Failed {
		members["challenge_ts"] = "2026-11-14T12:00:05Z"
		put("hostname", a.Host)
	}

	switch s.Provider {
	case captcha.Turnstile:
		members["error-codes"] = append([]string{}, a.Codes...)
		if !a.Failed {
			members["action"] = a.Action
			members["cdata"] = ""
		}
	case captcha.HCaptcha:
		if a.Score != "" {
			members["score"] = json.RawMessage(a.Score)
			members["score_reason"] = []string{}
		}
	default:
		put("action", a.Action)
		if a.Score != "" {
			members["score"] = json.RawMessage(a.Score)
		}
	}

	return marshalObject(members)
}

func marshalObject(members map[string]any) string {
	b, err := json.MarshalIndent(members, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// refusalBodies are the response bodies for invalid requests.
type refusalBodies struct{ secret, missing, invalid string }

func refusalBodiesFor(smart bool) refusalBodies {
	if smart {
		return refusalBodies{
			secret:  `{"status": "failed", "message": "Authentication failed. Invalid secret."}`,
			missing: `{"status": "failed", "message": "Invalid or expired Token."}`,
			invalid: `{"status": "failed", "message": "Invalid or expired Token."}`,
		}
	}
	return refusalBodies{secret: failureBody("invalid-input-secret"), missing: failureBody("missing-input-response"),
		invalid: failureBody("invalid-input-response")}
}

// sitekeyMismatchBody is hCaptcha's response if the sitekey does not belong to the secret.
var sitekeyMismatchBody = failureBody("sitekey-secret-mismatch")

// usedTokenBody returns the response to a token that was used before.
func (s *Site) usedTokenBody() string {
	switch s.Provider {
	case captcha.SmartCaptcha:
		return refusalBodiesFor(true).invalid
	case captcha.HCaptcha:
		return failureBody("invalid-or-already-seen-response")
	default:
		return failureBody("timeout-or-duplicate")
	}
}

func failureBody(code string) string {
	return fmt.Sprintf(`{"success": false, "error-codes": [%q]}`, code)
}

// respondJSON returns a handler that responds with a body as JSON.
func respondJSON(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, body)
	}
}

// respondStatus returns a handler that responds with a status and a body that reports success, so that clients that
// ignore the status fail a test.
func respondStatus(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(code)
		fmt.Fprint(w, `{"success": true, "score": 0.9, "status": "ok"}`)
	}
}
