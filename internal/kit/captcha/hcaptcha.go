package captcha

import (
	"context"
	"math"
)

// hcaptcha verifies tokens of hCaptcha (https://docs.hcaptcha.com). It has no actions. Only Enterprise customers get
// scores.
type hcaptcha struct{ client *Client }

const hcaptchaURL = "https://api.hcaptcha.com/siteverify"

// hostWithheld is the host that hCaptcha reports under high load.
const hostWithheld = "not-provided"

func (v hcaptcha) Verify(ctx context.Context, r Request) (Verdict, error) {
	form := siteverifyForm(r)
	if r.SiteKey != "" {
		form.Set("sitekey", r.SiteKey)
	}
	body, err := v.client.postWithRetry(ctx, hcaptchaURL, form)
	if err != nil {
		return Verdict{}, err
	}
	return parseHCaptcha(body)
}

func parseHCaptcha(body []byte) (Verdict, error) {
	verdict, err := parseSiteverify(body)
	if err != nil {
		return Verdict{}, err
	}
	if verdict.Host == hostWithheld {
		verdict.Host = ""
	}
	if verdict.Score != nil {
		score := scoreFromRisk(*verdict.Score)
		verdict.Score = &score
	}
	return verdict, nil
}

// scoreFromRisk converts hCaptcha's risk score (0 is human, 1 is a bot) to a score, so that a threshold means the same
// for every provider. The result is rounded, because 1 − 0.9 is less than 0.1 in floating point.
func scoreFromRisk(risk float64) float64 {
	const precision = 1e9
	return math.Round((1-risk)*precision) / precision
}
