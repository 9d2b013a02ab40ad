package captcha

import (
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// siteverifyResponse is the answer that Google gave its form and others took over, each with what it adds. Members that are not listed mean nothing
// here; names match exactly, and one that comes twice makes the answer nonsense.
type siteverifyResponse struct {
	Success     bool           `json:"success"`
	Score       jsontext.Value `json:"score"`
	Action      *string        `json:"action"`
	ChallengeTS string         `json:"challenge_ts"`
	Hostname    string         `json:"hostname"`
	ErrorCodes  jsontext.Value `json:"error-codes"`
}

// parseSiteverify reads an answer. It fails with an *Unavailable.
func parseSiteverify(body []byte) (Verdict, error) {
	var a siteverifyResponse
	if err := parseObject(body, &a); err != nil {
		return Verdict{}, err
	}
	score, ok := parseScore(a.Score)
	if !ok {
		return Verdict{}, invalidResponse()
	}
	return Verdict{OK: a.Success, Score: score, Action: a.Action, Host: a.Hostname, At: parseChallengeTime(a.ChallengeTS), Codes: parseErrorCodes(a.ErrorCodes)}, nil
}

// parseObject reads a JSON object, and nothing else.
func parseObject(body []byte, target any) error {
	if jsontext.Value(body).Kind() != '{' || json.Unmarshal(body, target) != nil {
		return invalidResponse()
	}
	return nil
}

// siteverifyForm is what is asked; remoteip only if it is known.
func siteverifyForm(r Request) url.Values {
	form := url.Values{"secret": {r.Secret}, "response": {r.Token}}
	if r.RemoteIP.IsValid() {
		form.Set("remoteip", r.RemoteIP.Unmap().String())
	}
	return form
}

// parseChallengeTime reads yyyy-MM-dd'T'HH:mm:ssZZ, whose zone comes with and without a colon.
func parseChallengeTime(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}
