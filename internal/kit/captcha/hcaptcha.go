package captcha

import (
	"context"
	"math"
)

// hcaptcha is hCaptcha (https://docs.hcaptcha.com). It knows no actions, and scores are for its Enterprise customers.
type hcaptcha struct{ client *Client }

const hcaptchaURL = "https://api.hcaptcha.com/siteverify"

// hostWithheld is what hCaptcha says instead of a host when it has too much to do.
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

// scoreFromRisk turns hCaptcha's score around, which denotes malice: 0 is a person, 1 a bot. So a threshold means the same whoever the provider
// is. It is rounded, since 1 − 0.9 as floats is less than 0.1.
func scoreFromRisk(risk float64) float64 {
	const precision = 1e9
	return math.Round((1-risk)*precision) / precision
}
