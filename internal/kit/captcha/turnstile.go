package captcha

import "context"

// turnstile verifies tokens of Cloudflare's Turnstile
// (https://developers.cloudflare.com/turnstile/get-started/server-side-validation). A token is valid for 5 minutes.
// There are no scores: a suspected bot gets no valid token.
type turnstile struct{ client *Client }

const turnstileURL = "https://challenges.cloudflare.com/turnstile/v0/siteverify"

func (v turnstile) Verify(ctx context.Context, r Request) (Verdict, error) {
	body, err := v.client.postWithRetry(ctx, turnstileURL, siteverifyForm(r))
	if err != nil {
		return Verdict{}, err
	}
	return parseTurnstile(body)
}

func parseTurnstile(body []byte) (Verdict, error) {
	verdict, err := parseSiteverify(body)
	if err != nil {
		return Verdict{}, err
	}
	if verdict.Action != nil && *verdict.Action == "" {
		verdict.Action = nil // the widget was configured without an action
	}
	return verdict, nil
}
