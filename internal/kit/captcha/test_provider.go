package captcha

import "strings"

// testPrefix is the beginning of all test tokens.
const testPrefix = "test-"

// testVerdict returns what the built-in provider says about a token. It makes no request. A known test token may be
// followed by a dot and any text. The built-in provider is for development: any client that knows its tokens passes.
func testVerdict(r Request) (Verdict, error) {
	human := Verdict{OK: true, Score: new(0.9), Host: r.SiteHost}
	name, _, _ := strings.Cut(r.Token, ".")
	switch name {
	case testPrefix + "pass":
		return human, nil
	case testPrefix + "low-score":
		human.Score = new(0.1)
		return human, nil
	case testPrefix + "wrong-action":
		human.Action = new("another_action")
		return human, nil
	case testPrefix + "wrong-host":
		human.Host = "elsewhere.example"
		return human, nil
	case testPrefix + "quota":
		human.Codes = []string{"over-quota"}
		return human, nil
	case testPrefix + "duplicate":
		return Verdict{Codes: []string{"timeout-or-duplicate"}}, nil
	case testPrefix + "error":
		return Verdict{}, providerStatusError(500)
	case testPrefix + "timeout":
		return Verdict{}, &Unavailable{Transient: true, Reason: Timeout}
	}

	return Verdict{Codes: []string{"invalid-input-response"}}, nil
}

// Reusable reports whether a token may be used more than once: the client uses the built-in provider and this is one of
// its tokens.
func (c *Client) Reusable(token string) bool {
	return c.cfg.TestTokens && strings.HasPrefix(token, testPrefix)
}
