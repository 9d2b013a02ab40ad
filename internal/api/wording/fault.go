package wording

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Faults has the messages of faults in one language. A fault has a finished English message, since it is written for
// API clients, and runs store such messages. Therefore a message is found by matching the format string that it was
// made from.
type Faults struct {
	tag      language.Tag
	exact    map[string]Text
	patterns []faultPattern // in the order in which they are tried
}

// faultPattern is a format string with verbs. counts has the numbers of the values that are integers.
type faultPattern struct {
	expression *regexp.Regexp
	own        int  // bytes outside verbs
	open       bool // begins with a verb
	counts     []int
	text       Text
}

// faultVerb matches a verb of a format string, such as %d and %.100s, and in a translation also one with the number of
// its value.
var faultVerb = regexp.MustCompile(`%(?:\[(\d)\])?(?:\.\d+)?(04X|[dsqg])`)

func newFaults(tag language.Tag, texts map[string]Text) *Faults {
	all := &Faults{tag: tag, exact: texts}
	for english, text := range texts {
		verbs := faultVerb.FindAllStringSubmatchIndex(english, -1)
		if len(verbs) == 0 {
			continue
		}

		p := faultPattern{text: text, open: verbs[0][0] == 0}
		expression := `(?s)^`
		end := 0
		for i, at := range verbs {
			own := english[end:at[0]]
			expression += regexp.QuoteMeta(own)
			p.own += len(own)
			end = at[1]

			if english[at[4]:at[5]] == "d" {
				p.counts = append(p.counts, i)
				expression += `(-?\d+)`
			} else {
				expression += `(.+?)`
			}
		}

		p.own += len(english) - end
		p.expression = regexp.MustCompile(expression + regexp.QuoteMeta(english[end:]) + `$`)
		all.patterns = append(all.patterns, p)
	}

	// The pattern that says the most comes first. One that begins with a verb also matches messages around its own.
	slices.SortFunc(all.patterns, func(a, b faultPattern) int {
		if a.open != b.open {
			return map[bool]int{false: -1, true: 1}[a.open]
		}
		return cmp.Or(b.own-a.own, strings.Compare(a.expression.String(), b.expression.String()))
	})

	return all
}

// Find returns a message in the language. The values in a message may be messages, too. It returns the message itself
// if it is not known.
func (all *Faults) Find(message string) string {
	if trimmed := strings.TrimLeft(message, " "); trimmed != message && trimmed != "" {
		return message[:len(message)-len(trimmed)] + all.Find(trimmed)
	}
	if m, ok := all.exact[message]; ok {
		return m[plural.Other]
	}

	for _, p := range all.patterns {
		values := p.expression.FindStringSubmatch(message)
		if values == nil {
			continue
		}

		values = values[1:]
		form := plural.Other
		if len(p.counts) > 0 {
			n, _ := strconv.Atoi(values[p.counts[0]])
			form = plural.Cardinal.MatchPlural(all.tag, n, 0, 0, 0, 0)
		}

		for i, v := range values {
			values[i] = all.Find(v)
		}

		return fillFaultText(cmp.Or(p.text[form], p.text[plural.Other]), values)
	}

	return message
}

// fillFaultText puts the values in place of the verbs of a translation, which may leave values out and, with %[2]s,
// change their order.
func fillFaultText(text string, values []string) string {
	next := 0
	return faultVerb.ReplaceAllStringFunc(text, func(verb string) string {
		if n := faultVerb.FindStringSubmatch(verb)[1]; n != "" {
			next, _ = strconv.Atoi(n)
		} else {
			next++
		}
		if next > len(values) {
			return ""
		}
		return values[next-1]
	})
}
