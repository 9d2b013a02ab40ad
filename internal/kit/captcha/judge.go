package captcha

import "slices"

// Policy holds the conditions that a verdict must meet.
type Policy struct {
	// Provider is the provider of the verdict. For an unknown provider, the conditions of all providers apply.
	Provider Provider
	// Action is the expected action. It is checked if the verdict has an action.
	Action string
	// Threshold is the lowest accepted score. It is checked if the verdict has a score.
	Threshold float64
	// Hosts are the hosts of the site, in any form that can be normalized. The host of the verdict, if any, must be one
	// of them.
	Hosts []string
}

// Judgement says whether a verdict is accepted. Reason is the first reason for a rejection, or Accepted.
type Judgement struct {
	Accepted bool
	Reason   string
}

// Reasons of judgements. There are few of them and they are short, so that they can be metric labels.
const (
	Accepted = "accepted"
	// NotSuccessful means that the provider rejects the token as invalid, expired, used before, or of another site.
	NotSuccessful = "not_successful"
	// ErrorCodes means that the provider reports success together with error codes, such as an exceeded quota. It did
	// not check the token. The operator should be notified.
	ErrorCodes  = "error_codes"
	NoScore     = "no_score"
	BadScore    = "bad_score" // not between 0 and 1
	LowScore    = "low_score"
	WrongAction = "wrong_action"
	NoHost      = "no_host"
	WrongHost   = "wrong_host"
)

// Judge accepts a verdict that reports success without error codes. The score must be present if the provider always
// sends one, and must reach the threshold if present. The action and the host must match if present. The host must be
// present if the provider always sends one.
func Judge(v Verdict, p Policy) Judgement {
	if reason := rejectionReason(v, p); reason != "" {
		return Judgement{Reason: reason}
	}
	return Judgement{Accepted: true, Reason: Accepted}
}

func rejectionReason(v Verdict, p Policy) string {
	switch {
	case !v.OK:
		return NotSuccessful
	case len(v.Codes) > 0:
		return ErrorCodes
	case v.Score == nil && p.Provider.requiresScore():
		return NoScore
	case v.Score != nil && !(*v.Score >= 0 && *v.Score <= 1): // also true for NaN
		return BadScore
	case v.Score != nil && !(*v.Score >= p.Threshold):
		return LowScore
	case v.Action != nil && *v.Action != p.Action:
		return WrongAction
	case v.Host == "" && p.Provider.requiresHost():
		return NoHost
	case v.Host != "" && !isAllowedHost(v.Host, p.Hosts):
		return WrongHost
	}

	return ""
}

// requiresScore reports whether a verdict without a score is invalid. This holds for reCAPTCHA v3 and for unknown
// providers. hCaptcha sends scores to Enterprise customers only; Turnstile and SmartCaptcha send no scores.
func (p Provider) requiresScore() bool {
	return p != HCaptcha && p != Turnstile && p != SmartCaptcha
}

// requiresHost reports whether a verdict without a host is invalid. This holds for SmartCaptcha and for unknown
// providers: if the account is blocked, SmartCaptcha reports success without a host for everybody, bots included.
func (p Provider) requiresHost() bool {
	return p != RecaptchaV3 && p != HCaptcha && p != Turnstile
}

// isAllowedHost reports whether host equals one of hosts after normalization. An invalid host is not equal to any host.
func isAllowedHost(host string, hosts []string) bool {
	name, ok := NormalizeHost(host)
	return ok && slices.ContainsFunc(hosts, func(h string) bool {
		other, ok := NormalizeHost(h)
		return ok && other == name
	})
}
