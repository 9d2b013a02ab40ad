package captcha

import (
	"context"
	"net/url"
)

// smartcaptcha verifies tokens of Yandex SmartCaptcha (https://yandex.cloud/docs/smartcaptcha). A token is valid for 5
// minutes. There are no scores and no actions. The documentation recommends to treat failed requests as success; here
// they are no verdict, as for all providers.
type smartcaptcha struct{ client *Client }

const smartcaptchaURL = "https://smartcaptcha.cloud.yandex.ru/validate"

func (v smartcaptcha) Verify(ctx context.Context, r Request) (Verdict, error) {
	form := url.Values{"secret": {r.Secret}, "token": {r.Token}}
	if r.RemoteIP.IsValid() {
		form.Set("ip", r.RemoteIP.Unmap().String())
	}
	body, err := v.client.postWithRetry(ctx, smartcaptchaURL, form)
	if err != nil {
		return Verdict{}, err
	}
	return parseSmartCaptcha(body)
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
		verdict.Codes = []string{sanitizeCode(a.Message)}
	}
	return verdict, nil
}
