package listener

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Format is how events are printed.
type Format int

const (
	// Pretty is a line that says what came and when, and the payload.
	Pretty Format = iota
	// Summary is that line alone.
	Summary
	// JSONLines is the whole envelope as it came, one a line, for other programs.
	JSONLines
)

// Escapes of a terminal.
const (
	ansiBold  = "\x1b[1m"
	ansiFaint = "\x1b[2m"
	ansiCyan  = "\x1b[36m"
	ansiReset = "\x1b[0m"
)

// memberNamePattern is what stands before a value, in JSON with a member a line.
var memberNamePattern = regexp.MustCompile(`(?m)^( *)("(?:[^"\\]|\\.)*"):`)

// printer prints events.
type printer struct {
	out    io.Writer
	format Format
	colour bool
}

// print prints one in a single write, so that whoever reads along sees all of it or nothing; times is how often it has come.
func (p printer) print(at time.Time, e event, envelope jsontext.Value, times int) error {
	if p.format == JSONLines {
		if err := envelope.Compact(); err != nil {
			return err
		}
		_, err := p.out.Write(append(envelope, '\n'))
		return err
	}
	text := p.headline(at, e, times) + "\n"
	if p.format == Pretty {
		if err := e.Payload.Indent(jsontext.WithIndent("  ")); err != nil {
			return err
		}
		text += p.colourize(escapeControl(string(e.Payload))) + "\n\n"
	}
	_, err := io.WriteString(p.out, text)
	return err
}

// headline says what came and when.
func (p printer) headline(at time.Time, e event, times int) string {
	again := ""
	if times > 1 {
		again = fmt.Sprintf("  again (%d times)", times)
	}
	when, what, which := timeOfDay(at), escapeControl(e.Type), escapeControl(e.ID)
	if p.colour {
		when, what, which = ansiFaint+when+ansiReset, ansiBold+what+ansiReset, ansiFaint+which+ansiReset
	}
	return fmt.Sprintf("%s  %s  #%d  %s%s", when, what, e.Sequence, which, again)
}

// colourize sets off the names of members.
func (p printer) colourize(payload string) string {
	if !p.colour {
		return payload
	}
	return memberNamePattern.ReplaceAllString(payload, "${1}"+ansiCyan+"${2}"+ansiReset+":")
}

// timeOfDay is a time of this day.
func timeOfDay(at time.Time) string { return at.Format(time.TimeOnly) }

// escapeControl escapes the characters that JSON leaves as they are and a terminal may obey: visitors write what payloads hold.
func escapeControl(text string) string {
	isControl := func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 }
	if !strings.ContainsFunc(text, isControl) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
