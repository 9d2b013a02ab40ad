package captcha

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxCodes and maxCode bound what is kept of a provider's complaints.
	maxCodes = 8
	maxCode  = 64
	// unreadableCode stands for a complaint that is no text.
	unreadableCode = "unreadable"
)

// parseScore reads a number; one beyond what a float holds is infinite, which Judge refuses. Absent and null are no score, and anything
// else is not ok.
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

// parseErrorCodes reads complaints in whatever form they come: what is neither absent nor null nor an empty list is at least one.
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
		codes = append(codes, sanitizeCode(text))
	}
	return codes
}

// sanitizeCode shortens a provider's text to what may stand in a log.
func sanitizeCode(text string) string {
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, text)
	return text[:min(len(text), maxCode)]
}
