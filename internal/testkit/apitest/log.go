package apitest

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// Log collects log output, one JSON object per line. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
	// of is the log of a shared server, of which this log shows the lines from an offset on that belong to the test.
	of    *Log
	from  int
	shows func(line string) bool
}

// view returns the lines from now on for which shows returns true.
func (l *Log) view(shows func(line string) bool) *Log {
	return &Log{of: l, from: l.size(), shows: shows}
}

func (l *Log) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Len()
}

// after returns the output from an offset on.
func (l *Log) after(from int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text.Bytes()[from:])
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all output.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		return l.text.String()
	}

	var text strings.Builder
	for line := range strings.Lines(l.of.after(l.from)) {
		if l.shows(line) {
			text.WriteString(line)
		}
	}
	return text.String()
}

// Reset removes the output so far.
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of != nil {
		l.from = l.of.size()
	}
	l.text.Reset()
}

// Lines returns the records with this message.
func (l *Log) Lines(message string) (lines []map[string]any) {
	for text := range strings.Lines(l.String()) {
		var line map[string]any
		if json.Unmarshal([]byte(text), &line) == nil && line["msg"] == message {
			lines = append(lines, line)
		}
	}
	return lines
}

// WarningsAndErrors returns the lines of the levels WARN and ERROR.
func (l *Log) WarningsAndErrors() (lines []string) {
	for text := range strings.Lines(l.String()) {
		if strings.Contains(text, `"level":"WARN"`) || strings.Contains(text, `"level":"ERROR"`) {
			lines = append(lines, strings.TrimSpace(text))
		}
	}
	return lines
}
