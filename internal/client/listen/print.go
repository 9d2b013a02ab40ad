package listen

import (
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Format is the output format of events.
type Format int

const (
	// Pretty prints a line with time, type, sequence and id, and the indented payload.
	Pretty Format = iota
	// Summary prints only the line of Pretty, without the payload.
	Summary
	// JSONLines prints the unchanged envelope as one line of JSON, for other programs.
	JSONLines
)

// ANSI escape sequences.
const (
	ansiBold  = "\x1b[1m"
	ansiFaint = "\x1b[2m"
	ansiCyan  = "\x1b[36m"
	ansiReset = "\x1b[0m"
)

var (
	// memberNamePattern matches the name of a member in indented JSON, which has one member per line.
	memberNamePattern = regexp.MustCompile(`(?m)^( *)("(?:[^"\\]|\\.)*"):`)
	// controlPattern matches a control character other than a line feed.
	controlPattern = regexp.MustCompile(`[\x00-\x09\x0b-\x1f\x7f-\x{9f}]`)
)

type eventPrinter struct {
	out    io.Writer
	format Format
	colour bool
}

// print prints an event with a single write: a reader sees all of it or nothing. times is how often it was received.
func (p eventPrinter) print(at time.Time, e event, envelope jsontext.Value, times int) error {
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
		payload := escapeControl(string(e.Payload))
		if p.colour {
			payload = memberNamePattern.ReplaceAllString(payload, "${1}"+ansiCyan+"${2}"+ansiReset+":")
		}
		text += payload + "\n\n"
	}

	_, err := io.WriteString(p.out, text)
	return err
}

func (p eventPrinter) headline(at time.Time, e event, times int) string {
	again := ""
	if times > 1 {
		again = fmt.Sprintf("  again (%d times)", times)
	}
	when := timeOfDay(at)
	what := escapeControl(e.Type)
	which := escapeControl(e.ID)
	if p.colour {
		when = ansiFaint + when + ansiReset
		what = ansiBold + what + ansiReset
		which = ansiFaint + which + ansiReset
	}
	return fmt.Sprintf("%s  %s  #%d  %s%s", when, what, e.Sequence, which, again)
}

func timeOfDay(at time.Time) string { return at.Format(time.TimeOnly) }

// escapeControl escapes control characters, because a terminal would interpret them and events contain text that
// visitors of the shop have entered.
func escapeControl(text string) string {
	return controlPattern.ReplaceAllStringFunc(text, func(c string) string {
		return fmt.Sprintf(`\u%04x`, []rune(c)[0])
	})
}
