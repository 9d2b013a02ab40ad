package captchatest

import (
	"encoding/json"
	"fmt"
	"net/http"

	"vitrine/internal/kit/captcha"
)

// Answer is what a provider says of a token, as far as it says such things.
type Answer struct {
	Failed bool
	// Score is JSON; empty leaves it out. hCaptcha's is a risk, and lower is better.
	Score string
	// Action and Host are left out, or told to be empty, where the provider does so.
	Action, Host string
	// Codes are complaints; of SmartCaptcha the first is the message.
	Codes []string
}

// Good is what is said of a person's token.
func (s *Site) Good(action string) Answer {
	a := Answer{Action: action, Host: s.Host}
	if s.Provider == captcha.RecaptchaV3 {
		a.Score = "0.9"
	}
	return a
}

// ChallengeTime is when all challenges were solved.
const ChallengeTime = "2026-11-14T12:00:05Z"

// renderAnswer writes an answer as the provider documents it.
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
		members["challenge_ts"] = ChallengeTime
		put("hostname", a.Host)
	}
	switch s.Provider {
	case captcha.Turnstile:
		members["error-codes"] = append([]string{}, a.Codes...)
		if !a.Failed {
			members["action"], members["cdata"] = a.Action, ""
		}
	case captcha.HCaptcha:
		if a.Score != "" {
			members["score"], members["score_reason"] = json.RawMessage(a.Score), []string{}
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

// refusalBodies are the ways in which a provider says no to what it was sent.
type refusalBodies struct{ secret, missing, invalid string }

func refusalBodiesFor(smart bool) refusalBodies {
	if smart {
		return refusalBodies{
			secret:  `{"status": "failed", "message": "Authentication failed. Invalid secret."}`,
			missing: `{"status": "failed", "message": "Invalid or expired Token."}`,
			invalid: `{"status": "failed", "message": "Invalid or expired Token."}`,
		}
	}
	return refusalBodies{secret: failureBody("invalid-input-secret"), missing: failureBody("missing-input-response"), invalid: failureBody("invalid-input-response")}
}

// sitekeyMismatchBody is what hCaptcha says when the sitekey is not that of the secret.
var sitekeyMismatchBody = failureBody("sitekey-secret-mismatch")

// usedTokenBody is what is said of a token the second time.
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

// respondJSON answers with a text as JSON.
func respondJSON(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, body)
	}
}

// respondStatus answers with a status, and success in the body: whoever looks at that alone is wrong.
func respondStatus(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(code)
		fmt.Fprint(w, `{"success": true, "score": 0.9, "status": "ok"}`)
	}
}
