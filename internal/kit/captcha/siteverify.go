package captcha

import (
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// siteverifyResponse is the response format of Google's siteverify, which other providers adopted and extended. Unknown
// members are ignored. Names must match exactly, and a duplicate member makes the response invalid.
type siteverifyResponse struct {
	Success    bool           `json:"success"`
	Score      jsontext.Value `json:"score"`
	Action     *string        `json:"action"`
	Hostname   string         `json:"hostname"`
	ErrorCodes jsontext.Value `json:"error-codes"`
}

// parseSiteverify parses a response body. Its error is an *Unavailable.
func parseSiteverify(body []byte) (Verdict, error) {
	var a siteverifyResponse
	if err := parseJSONObject(body, &a); err != nil {
		return Verdict{}, err
	}
	score, ok := parseScore(a.Score)
	if !ok {
		return Verdict{}, invalidProviderResponse()
	}
	return Verdict{OK: a.Success, Score: score, Action: a.Action, Host: a.Hostname,
		Codes: parseErrorCodes(a.ErrorCodes)}, nil
}

// parseJSONObject parses a body that must be a JSON object.
func parseJSONObject(body []byte, target any) error {
	if jsontext.Value(body).Kind() != '{' || json.Unmarshal(body, target) != nil {
		return invalidProviderResponse()
	}
	return nil
}

// siteverifyForm returns the form of a request, with remoteip if the client's address is known.
func siteverifyForm(r Request) url.Values {
	form := url.Values{"secret": {r.Secret}, "response": {r.Token}}
	if r.RemoteIP.IsValid() {
		form.Set("remoteip", r.RemoteIP.Unmap().String())
	}
	return form
}
