package captcha

import "context"

// recaptcha verifies tokens of Google's reCAPTCHA v3 (https://developers.google.com/recaptcha/docs/v3). A token is
// valid for 2 minutes.
type recaptcha struct{ client *Client }

const recaptchaURL = "https://www.google.com/recaptcha/api/siteverify"

func (v recaptcha) Verify(ctx context.Context, r Request) (Verdict, error) {
	body, err := v.client.postWithRetry(ctx, recaptchaURL, siteverifyForm(r))
	if err != nil {
		return Verdict{}, err
	}
	return parseSiteverify(body)
}
