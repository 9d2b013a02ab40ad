package captcha

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxCodes and maxCode limit the number and the length of error codes that are kept.
	maxCodes = 8
	maxCode  = 64
	// unreadableCode replaces an error code that is not a string.
	unreadableCode = "unreadable"
)

// parseScore parses a score. A number beyond the range of float64 becomes infinite, which Judge rejects. An absent or
// null score is nil. ok is false for any other type.
func parseScore(raw jsontext.Value) (score *float64, ok bool) {
	switch raw.Kind() {
	case jsontext.KindInvalid, jsontext.KindNull:
		return nil, true
	case jsontext.KindNumber:
		number, err := strconv.ParseFloat(string(raw), 64)
		return &number, err == nil || errors.Is(err, strconv.ErrRange)
	default:
		return nil, false
	}
}

// parseErrorCodes parses error codes of any JSON type. An absent value, null and an empty list give no codes; anything
// else gives at least one code.
func parseErrorCodes(raw jsontext.Value) []string {
	var list []jsontext.Value
	switch raw.Kind() {
	case jsontext.KindInvalid, jsontext.KindNull:
		return nil
	case jsontext.KindBeginArray:
		if err := json.Unmarshal(raw, &list); err != nil {
			return []string{unreadableCode}
		}
	default:
		list = []jsontext.Value{raw}
	}

	var codes []string
	for _, v := range list[:min(len(list), maxCodes)] {
		var text string
		if err := json.Unmarshal(v, &text); err != nil {
			text = unreadableCode
		}
		codes = append(codes, sanitizeErrorCode(text))
	}

	return codes
}

// sanitizeErrorCode makes a provider's text safe for a log: printable ASCII, at most maxCode bytes.
func sanitizeErrorCode(text string) string {
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, text)
	return text[:min(len(text), maxCode)]
}
