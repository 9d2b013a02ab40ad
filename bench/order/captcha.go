package order

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/bench/harness"
	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/config"
	"vitrine/internal/shop/protection"
	"vitrine/internal/testkit/captchatest"
)

const (
	captchaLatency = 50 * time.Millisecond
	captchaRounds  = 5
	captchaHost    = "shop.example"
	// submitsPerClient is the number of orders that each client submits per turn.
	submitsPerClient = 6
)

// Captcha compares submissions to a store with a captcha, whose provider takes 50 ms on loopback, with submissions
// to a store without one, from as many clients and in turn. The server holds no resources while it waits for the
// provider, so with enough clients both rates should be about equal. The remaining difference is the CPU time of the
// verification requests, since the provider runs on the same machine. The last figure therefore compares with a
// provider that takes 0 ms. With 256 clients a request waits for more than a second, so admission is off.
func Captcha(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	provider := captchatest.Start()
	defer provider.Close()

	g, err := StartOrderServer(ctx, e, config.Serve{CaptchaVerifyURL: provider.URL(), AdmissionWait: -1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Stop()) }()

	site := provider.Site(captcha.RecaptchaV3, captchaHost)
	token := func() string { return site.Token(string(protection.OrderSubmission)) }

	side := func(clients int, how Submission, latency time.Duration) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			provider.SetLatency(latency)
			if err := g.setCaptcha(ctx, site, how.token != nil); err != nil {
				return 0, err
			}
			return g.SubmitDrafts(ctx, how, clients, submitsPerClient*clients)
		}
	}

	open := Submission{Idempotent: true}
	guarded := Submission{Idempotent: true, token: token}
	for _, against := range []struct {
		clients int
		name    string
		side    func() (time.Duration, error)
		aim     float64
	}{
		{16, "without", side(16, open, 0), 0},
		{64, "without", side(64, open, 0), 0},
		{256, "without", side(256, open, 0), 0.8},
		{256, "with one of 0 ms", side(256, guarded, 0), 0.8},
	} {
		ours := side(against.clients, guarded, captchaLatency)
		o, r, err := harness.MeasureAlternately(captchaRounds, ours, against.side)
		if err != nil {
			return nil, err
		}

		f := harness.Figure{
			Name: fmt.Sprintf("submit with a captcha of 50 ms, %d clients", against.clients), Engine: e.Engine,
			Ours:  harness.FormatRate(submitsPerClient*against.clients, o) + " submits/s",
			Raw:   harness.FormatRate(submitsPerClient*against.clients, r) + " " + against.name,
			Ratio: r.Seconds() / o.Seconds(),
		}
		if against.aim > 0 {
			f.Aim, f.Met = fmt.Sprintf("≥ %g", against.aim), f.Ratio >= against.aim
		}

		figures = append(figures, f)
	}

	return figures, nil
}

// setCaptcha enables or disables the captcha for submissions.
func (g *OrderServer) setCaptcha(ctx context.Context, site *captchatest.Site, active bool) error {
	settings := map[string]any{"recaptcha": map[string]any{
		"active": active, "provider": site.Provider, "public_key": site.PublicKey, "secret_key": site.SecretKey,
		"site_url": "https://" + captchaHost,
		"actions":  []map[string]any{{"id": protection.OrderSubmission}},
	}}
	body, err := json.Marshal(settings)
	if err != nil {
		return err
	}

	r, err := http.NewRequestWithContext(ctx, http.MethodPut, g.Admin+"/api/store/settings", bytes.NewReader(body))
	if err != nil {
		return err
	}

	r.Header.Set("Authorization", "Bearer "+g.Keys.SecretKey)
	r.Header.Set("Content-Type", "application/json")
	res, err := g.Client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()

	respBody, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("PUT settings answered %d: %.300s", res.StatusCode, respBody)
	}

	return err
}
