package mailing

import (
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
)

// Template is the subject and the text of a kind of mail, with placeholders such as {{number}}. It is no code: a
// placeholder is replaced by its value, and nothing else happens.
type Template struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// The maximum lengths of templates, in characters.
const (
	MaxTemplateSubject = 150
	MaxTemplateText    = 5000
)

// The placeholders.
const (
	placeName             = "name"
	placeNumber           = "number"
	placeDate             = "date"
	placeLines            = "lines"
	placeTotal            = "total"
	placeAddress          = "address"
	placeDeliveryComment  = "delivery_comment"
	placeComment          = "comment"
	placeOrderPage        = "order_page"
	placePhone            = "phone"
	placeEmail            = "email"
	placeMessage          = "message"
	placePreferredTime    = "preferred_time"
	placeEntity           = "entity"
	placeProblem          = "problem"
	placeShop             = "shop"
	placeAdministration   = "administration"
	placeUnsubscribe      = "unsubscribe" // only at the end of mails that can be unsubscribed
	maxSuggestionDistance = 3
)

// Placeholders returns the names of the placeholders of a kind.
func (k Kind) Placeholders() []string {
	switch k {
	case OrderReceived, OrderConfirmed, OrderCompleted, OrderCancelled:
		return []string{placeNumber, placeName, placeDate, placeLines, placeTotal, placeAddress, placeOrderPage,
			placeShop}
	case NewOrder:
		return []string{placeNumber, placeName, placeDate, placeLines, placeTotal, placePhone, placeEmail, placeAddress,
			placeDeliveryComment, placeComment, placeAdministration, placeShop}
	case NewInquiry:
		return []string{placeName, placeDate, placePhone, placeEmail, placePreferredTime, placeMessage,
			placeAdministration, placeShop}
	case ExchangeFailed:
	}
	return []string{placeEntity, placeProblem, placeDate, placeAdministration, placeShop}
}

// piece is a part of a template's line: a text, or the name of a placeholder.
type piece struct{ text, name string }

// CheckTemplate returns the template of a kind without blanks around it, or fault.Invalid for the fields subject and
// text.
func CheckTemplate(kind Kind, t Template) (Template, error) {
	t.Subject = strings.TrimSpace(t.Subject)
	t.Text = strings.TrimSpace(strings.ReplaceAll(t.Text, "\r\n", "\n")) + "\n"

	var problems []fault.Field
	for _, part := range []struct {
		field, text string
		most        int
	}{{"subject", t.Subject, MaxTemplateSubject}, {"text", t.Text, MaxTemplateText}} {
		broken := checkTemplateText(kind, part.text, part.most)
		if broken == nil && part.field == "subject" {
			broken = checkSubject(part.text)
		}
		if broken != nil {
			problems = append(problems, broken.At(part.field))
		}
	}

	return t, fault.Fields(problems)
}

func checkTemplateText(kind Kind, text string, most int) *fault.Field {
	n := utf8.RuneCountInString(text)
	switch {
	case strings.TrimSpace(text) == "":
		return fault.Broken("required", "Write a text.")
	case n > most:
		return fault.Broken("too_long", "The text has %d characters; at most %d are allowed.", n, most)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, isControl):
		return fault.Broken("invalid_characters", "The text holds control characters; write plain text.")
	}

	pieces, ok := parseTemplate(text)
	if !ok {
		return fault.Broken("unclosed_placeholder", "A placeholder that begins with {{ does not end with }}.")
	}
	for _, p := range pieces {
		if p.name != "" && !slices.Contains(kind.Placeholders(), p.name) {
			return unknownPlaceholder(kind, p.name)
		}
	}
	return nil
}

func isControl(c rune) bool { return c < ' ' && c != '\n' && c != '\t' }

func checkSubject(subject string) *fault.Field {
	if strings.ContainsRune(subject, '\n') {
		return fault.Broken("invalid_characters", "A subject has one line.")
	}
	pieces, _ := parseTemplate(subject)
	if slices.ContainsFunc(pieces, func(p piece) bool { return p.name == placeLines }) {
		return fault.Broken("placeholder_not_here", "{{lines}} can stand in the text only.")
	}
	return nil
}

// unknownPlaceholder returns the broken rule of a placeholder that the kind does not have, with the one that is meant.
func unknownPlaceholder(kind Kind, name string) *fault.Field {
	best := slices.MinFunc(kind.Placeholders(), func(a, b string) int {
		return fault.EditDistance(name, a) - fault.EditDistance(name, b)
	})
	if runes := []rune(name); len(runes) > maxShownName {
		name = string(runes[:maxShownName]) + "…"
	} else if fault.EditDistance(name, best) <= maxSuggestionDistance {
		return fault.Broken("unknown_placeholder", "There is no placeholder {{%s}}. Did you mean {{%s}}?", name, best)
	}
	return fault.Broken("unknown_placeholder", "There is no placeholder {{%s}} in this mail. It has these: %s.", name,
		"{{"+strings.Join(kind.Placeholders(), "}}, {{")+"}}")
}

const maxShownName = 40

// parseTemplate splits a text into its pieces. It returns false if a placeholder is not closed on its line.
func parseTemplate(text string) (pieces []piece, ok bool) {
	for {
		before, rest, found := strings.Cut(text, "{{")
		if before != "" {
			pieces = append(pieces, piece{text: before})
		}
		if !found {
			return pieces, true
		}
		name, after, closed := strings.Cut(rest, "}}")
		if !closed || strings.ContainsRune(name, '\n') {
			return nil, false
		}
		pieces = append(pieces, piece{name: strings.TrimSpace(name)})
		text = after
	}
}

// value is what stands in place of a placeholder. html is its form in HTML; "" is the escaped text.
type value struct{ text, html string }

// fillLines replaces the placeholders of a text, line by line. A line whose placeholders are all empty is left out, and
// of several blank lines one stays.
func fillLines(text string, values map[string]value, line func(pieces []piece) string) (lines []string) {
	for one := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		pieces, ok := parseTemplate(one)
		if !ok {
			pieces = []piece{{text: one}} // never: CheckTemplate has refused it
		}

		if isLeftOut(pieces, values) {
			continue
		}
		filled := line(pieces)
		if filled == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, filled)
	}

	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// isLeftOut reports whether a line has placeholders and all of them are empty.
func isLeftOut(pieces []piece, values map[string]value) bool {
	named := false
	for _, p := range pieces {
		if p.name == "" {
			continue
		}
		if values[p.name].text != "" {
			return false
		}
		named = true
	}
	return named
}

// fillText returns a template with its values, as plain text.
func fillText(text string, values map[string]value) string {
	lines := fillLines(text, values, func(pieces []piece) string {
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(p.text)
			if p.name != "" {
				b.WriteString(values[p.name].text)
			}
		}
		return strings.TrimRight(b.String(), " \t")
	})
	return strings.Join(lines, "\n") + "\n"
}
