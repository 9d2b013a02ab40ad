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
	return l.text.String()
}

// Reset removes the output so far.
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
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
