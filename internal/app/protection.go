package app

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/shop/protection"
)

// newProtection creates the service that checks captchas, at the provider's URL or at --captcha-verify-url. With --dev
// and without that flag, the built-in provider judges test tokens.
func (a *App) newProtection(version string) (*protection.Service, error) {
	client, err := captcha.NewClient(captcha.Config{VerifyURL: a.cfg.CaptchaVerifyURL, UserAgent: "Vitrine/" + version,
		TestTokens: a.judgesTestTokens()})
	if err != nil {
		return nil, fmt.Errorf("--captcha-verify-url: %w", err)
	}
	metrics := newCaptchaMetrics()
	for _, reason := range captcha.UnavailableReasons() {
		metrics.errors.WithLabelValues(reason) // an alert sees the first one only if there was a 0 before
	}
	a.Registry.MustRegister(metrics.decisions, metrics.scores, metrics.seconds, metrics.errors)
	return protection.New(protection.Deps{
		DB: a.DB, Stores: a.Stores, Vault: a.Vault, Client: client, Now: a.Now, Log: a.log, Observe: metrics.observe,
		LogRefusals: a.cfg.Dev, Counts: a.counts,
	}), nil
}

// judgesTestTokens reports whether the built-in provider judges the tokens of all stores.
func (a *App) judgesTestTokens() bool { return a.cfg.Dev && a.cfg.CaptchaVerifyURL == "" }

type captchaMetrics struct {
	decisions *prometheus.CounterVec
	scores    *prometheus.HistogramVec
	seconds   *prometheus.HistogramVec
	errors    *prometheus.CounterVec
}

func newCaptchaMetrics() captchaMetrics {
	return captchaMetrics{
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "vitrine_captcha_decisions_total",
			Help: "Requests for protected actions by result (admitted, refused, or spared by shadow mode or " +
				"on_provider_error) and reason."}, []string{"action", "result", "reason"}),
		scores: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "vitrine_captcha_score",
			Help: "The scores that providers gave; higher is better.", Buckets: prometheus.LinearBuckets(0.1, 0.1, 10)},
			[]string{"action"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "vitrine_captcha_provider_seconds",
			Help:    "Duration of requests to captcha providers, including failed ones.",
			Buckets: []float64{.025, .05, .1, .2, .4, .8, 1.5, 3}}, []string{"action"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "vitrine_captcha_provider_errors_total",
			Help: "Requests to captcha providers that gave no verdict, by reason, such as timeout or not_connected."},
			[]string{"reason"}),
	}
}

func (m captchaMetrics) observe(d protection.Decision) {
	action := string(d.Action)
	m.decisions.WithLabelValues(action, string(d.Result), d.Reason).Inc()
	if d.NoVerdict() {
		m.errors.WithLabelValues(d.Reason).Inc()
	}
	if d.Score != nil {
		m.scores.WithLabelValues(action).Observe(*d.Score)
	}
	if d.Took > 0 {
		m.seconds.WithLabelValues(action).Observe(d.Took.Seconds())
	}
}
