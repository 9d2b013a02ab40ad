package captcha

import "slices"

// Policy is what a verdict must fulfil.
type Policy struct {
	// Provider is who gave the verdict. One that is not known is held to the rules of all.
	Provider Provider
	// Action is what the token must be for, where the provider tells that.
	Action string
	// Threshold is the lowest score that is accepted, where there is one.
	Threshold float64
	// Hosts are those of the site, in any form that Host takes. The token must come from one of them, where the provider tells that.
	Hosts []string
}

// Judgement is whether a verdict is accepted, and the first of the reasons why not.
type Judgement struct {
	Accepted bool
	Reason   string
}

// The reasons of judgements, short enough to count by.
const (
	Accepted      = "accepted"
	NotSuccessful = "not_successful" // the provider says no: invalid, expired, used before, of another site
	ErrorCodes    = "error_codes"    // success with a complaint, as over quota: nothing was looked at, and the operator should know
	NoScore       = "no_score"
	BadScore      = "bad_score" // not between 0 and 1
	LowScore      = "low_score"
	WrongAction   = "wrong_action"
	NoHost        = "no_host"
	WrongHost     = "wrong_host"
)

// Judge accepts a verdict that says success and complains of nothing, whose score is there if the provider has scores and reaches the
// threshold if it is there, and whose action and host are the right ones if they are there.
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
	case v.Score != nil && !(*v.Score >= 0 && *v.Score <= 1): // NaN is neither
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

// requiresScore tells that a verdict without a score is none that the provider should have given. hCaptcha gives scores to its Enterprise
// customers only, the last two to nobody.
func (p Provider) requiresScore() bool {
	return p != HCaptcha && p != Turnstile && p != SmartCaptcha
}

// requiresHost tells that success without a host means no check: so SmartCaptcha answers everybody, bots too, when the account is blocked.
func (p Provider) requiresHost() bool {
	return p != RecaptchaV3 && p != HCaptcha && p != Turnstile
}

// isAllowedHost compares hosts in their one form; what is none equals nothing.
func isAllowedHost(host string, hosts []string) bool {
	name, ok := Host(host)
	return ok && slices.ContainsFunc(hosts, func(h string) bool {
		other, ok := Host(h)
		return ok && other == name
	})
}
