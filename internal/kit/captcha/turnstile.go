package captcha

import "context"

// turnstile is Cloudflare's Turnstile (https://developers.cloudflare.com/turnstile/get-started/server-side-validation). A token lives 5
// minutes. It has no scores: whom it does not believe gets no valid token.
type turnstile struct{ client *Client }

const turnstileAddress = "https://challenges.cloudflare.com/turnstile/v0/siteverify"

func (v turnstile) Verify(ctx context.Context, r Request) (Verdict, error) {
	body, err := v.client.ask(ctx, turnstileAddress, siteverifyForm(r))
	if err != nil {
		return Verdict{}, err
	}
	return readTurnstile(body)
}

func readTurnstile(body []byte) (Verdict, error) {
	verdict, err := readSiteverify(body)
	if err != nil {
		return Verdict{}, err
	}
	if verdict.Action != nil && *verdict.Action == "" {
		verdict.Action = nil // the widget was given none
	}
	return verdict, nil
}
