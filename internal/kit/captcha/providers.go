package captcha

import (
	"math"
	"net/url"
)

// protocol defines how a provider verifies a token.
type protocol struct {
	url   string
	form  func(Request) url.Values
	parse func(body []byte) (Verdict, error) // its error is an *Unavailable
}

var protocols = map[Provider]protocol{
	// https://developers.google.com/recaptcha/docs/v3. A token is valid for 2 minutes.
	RecaptchaV3: {"https://www.google.com/recaptcha/api/siteverify", siteverifyForm, parseSiteverify},

	// https://developers.cloudflare.com/turnstile/get-started/server-side-validation. A token is valid for 5 minutes.
	// There are no scores: a suspected bot gets no valid token.
	Turnstile: {"https://challenges.cloudflare.com/turnstile/v0/siteverify", siteverifyForm, parseTurnstile},

	// https://docs.hcaptcha.com. There are no actions. Only Enterprise customers get scores.
	HCaptcha: {"https://api.hcaptcha.com/siteverify", hcaptchaForm, parseHCaptcha},

	// https://yandex.cloud/docs/smartcaptcha. A token is valid for 5 minutes. There are no scores and no actions. The
	// documentation recommends treating failed requests as success; here they give no verdict, as for all providers.
	SmartCaptcha: {"https://smartcaptcha.cloud.yandex.ru/validate", smartCaptchaForm, parseSmartCaptcha},
}

func parseTurnstile(body []byte) (Verdict, error) {
	verdict, err := parseSiteverify(body)
	if verdict.Action != nil && *verdict.Action == "" {
		verdict.Action = nil // the widget was configured without an action
	}
	return verdict, err
}

func hcaptchaForm(r Request) url.Values {
	form := siteverifyForm(r)
	if r.SiteKey != "" {
		form.Set("sitekey", r.SiteKey)
	}
	return form
}

// hostWithheld is the value that hCaptcha sends instead of the host under high load.
const hostWithheld = "not-provided"

func parseHCaptcha(body []byte) (Verdict, error) {
	verdict, err := parseSiteverify(body)
	if verdict.Host == hostWithheld {
		verdict.Host = ""
	}
	if verdict.Score != nil {
		verdict.Score = new(scoreFromRisk(*verdict.Score))
	}
	return verdict, err
}

// scoreFromRisk converts hCaptcha's risk score (0 is human, 1 is a bot) to a score, so that a threshold means the same
// for every provider. The result is rounded, because 1 − 0.9 is less than 0.1 in floating point.
func scoreFromRisk(risk float64) float64 {
	const precision = 1e9
	return math.Round((1-risk)*precision) / precision
}

func smartCaptchaForm(r Request) url.Values {
	form := url.Values{"secret": {r.Secret}, "token": {r.Token}}
	if r.RemoteIP.IsValid() {
		form.Set("ip", r.RemoteIP.Unmap().String())
	}
	return form
}

func parseSmartCaptcha(body []byte) (Verdict, error) {
	var a struct {
		Status  string `json:"status"`
		Message string `json:"message"`
		Host    string `json:"host"` // may include a port
	}
	if err := parseJSONObject(body, &a); err != nil {
		return Verdict{}, err
	}
	verdict := Verdict{OK: a.Status == "ok", Host: a.Host}
	if a.Message != "" {
		verdict.Codes = []string{sanitizeErrorCode(a.Message)}
	}
	return verdict, nil
}
