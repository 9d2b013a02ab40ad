package listener

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Form is how events are printed.
type Form int

const (
	// Pretty is a line that says what came and when, and the payload.
	Pretty Form = iota
	// Heads is that line alone.
	Heads
	// Lines is the whole envelope as it came, one a line, for other programs.
	Lines
)

// Escapes of a terminal.
const (
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	cyan  = "\x1b[36m"
	plain = "\x1b[0m"
)

// memberName is what stands before a value, in JSON with a member a line.
var memberName = regexp.MustCompile(`(?m)^( *)("(?:[^"\\]|\\.)*"):`)

// printer prints events.
type printer struct {
	out    io.Writer
	form   Form
	colour bool
}

// event prints one in a single write, so that whoever reads along sees all of it or nothing; times is how often it has come.
func (p printer) event(at time.Time, e event, envelope jsontext.Value, times int) error {
	if p.form == Lines {
		if err := envelope.Compact(); err != nil {
			return err
		}
		_, err := p.out.Write(append(envelope, '\n'))
		return err
	}
	text := p.head(at, e, times) + "\n"
	if p.form == Pretty {
		if err := e.Payload.Indent(jsontext.WithIndent("  ")); err != nil {
			return err
		}
		text += p.colours(printable(string(e.Payload))) + "\n\n"
	}
	_, err := io.WriteString(p.out, text)
	return err
}

// head says what came and when.
func (p printer) head(at time.Time, e event, times int) string {
	again := ""
	if times > 1 {
		again = fmt.Sprintf("  again (%d times)", times)
	}
	when, what, which := clock(at), printable(e.Type), printable(e.ID)
	if p.colour {
		when, what, which = faint+when+plain, bold+what+plain, faint+which+plain
	}
	return fmt.Sprintf("%s  %s  #%d  %s%s", when, what, e.Sequence, which, again)
}

// colours sets off the names of members.
func (p printer) colours(payload string) string {
	if !p.colour {
		return payload
	}
	return memberName.ReplaceAllString(payload, "${1}"+cyan+"${2}"+plain+":")
}

// clock is a time of this day.
func clock(at time.Time) string { return at.Format(time.TimeOnly) }

// printable escapes the characters that JSON leaves as they are and a terminal may obey: visitors write what payloads hold.
func printable(text string) string {
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
