package pushclient

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxRecordBytes is the most that one line of a table may take, with the line breaks inside its quotes: so much is read to find the end of a
// quote that somebody forgot to close.
const maxRecordBytes = 16 << 20

// record is one line of a table.
type record struct {
	line  int64 // where it begins
	cells []string
	raw   string // as it stands in the file
	// problem says why it cannot be read; then cells are what a plain split gives.
	problem string
}

// recordReader reads a table line by line: cells in quotes may hold separators, line breaks, and quotes written twice. What cannot be read
// costs one line of the file and no more.
type recordReader struct {
	in            *bufio.Reader
	sep           byte
	expectedCells int      // how many cells a line probably has
	line          int64    // how many lines were read
	unread        []string // lines to be read again
}

// next returns the next line that is not empty, or io.EOF.
func (r *recordReader) next() (record, error) {
	for {
		text, err := r.nextLine()
		if err != nil {
			return record{}, err
		}
		if !strings.ContainsFunc(text, func(c rune) bool { return c > ' ' && c != rune(r.sep) }) {
			continue
		}
		return r.parseRecord(text)
	}
}

// nextLine returns one line of the file.
func (r *recordReader) nextLine() (string, error) {
	if len(r.unread) > 0 {
		text := r.unread[0]
		r.unread = r.unread[1:]
		r.line++
		return text, nil
	}
	text, long, err := readLine(r.in, nil, maxRecordBytes)
	if err != nil {
		return "", err
	}
	r.line++
	if long {
		return "\x00" + string(r.sep), nil // not empty, and refused as no text
	}
	return string(text), nil
}

// parseRecord reads a record that begins with this line.
func (r *recordReader) parseRecord(text string) (record, error) {
	rec := record{line: r.line, raw: text}
	s := recordSplitter{sep: r.sep, cells: make([]string, 0, r.expectedCells)}
	complete, problem := s.addLine(text)
	size := len(text)
	var continuation []string
	for !complete && problem == "" {
		line, err := r.nextLine()
		switch {
		case errors.Is(err, io.EOF), err == nil && size > maxRecordBytes:
			problem = "a quote is opened and not closed"
		case err != nil:
			return record{}, err
		}
		if err == nil {
			continuation = append(continuation, line)
			size += len(line) + 1
		}
		if problem == "" {
			complete, problem = s.addLine(line)
		}
	}
	switch {
	case strings.IndexByte(text, 0) >= 0:
		problem = "it holds a character that is no text, or is longer than 16 MiB"
	case problem == "" && slices.ContainsFunc(s.cells, func(cell string) bool { return !utf8.ValidString(cell) }):
		problem = "it is not UTF-8; save the file as UTF-8"
	}
	if problem != "" {
		r.unread = append(continuation, r.unread...)
		r.line = rec.line
		rec.problem, rec.cells = problem, strings.Split(text, string(r.sep))
		return rec, nil
	}
	if continuation != nil {
		rec.raw += "\n" + strings.Join(continuation, "\n")
	}
	rec.cells = s.cells
	return rec, nil
}

// recordSplitter takes the lines of one record apart.
type recordSplitter struct {
	sep      byte
	cells    []string
	cell     strings.Builder
	inQuotes bool // inside quotes at the end of the line before
}

// addLine takes one more line. It reports whether the record ends with it, or why it cannot be read.
func (s *recordSplitter) addLine(line string) (complete bool, problem string) {
	if s.inQuotes {
		s.cell.WriteByte('\n')
	}
	for {
		if !s.inQuotes {
			if rest, ok := strings.CutPrefix(line, `"`); ok {
				s.inQuotes, line = true, rest
			} else {
				end := strings.IndexByte(line, s.sep)
				if end < 0 {
					s.cells = append(s.cells, line)
					return true, ""
				}
				s.cells = append(s.cells, line[:end])
				line = line[end+1:]
				continue
			}
		}
		text, rest, closed := strings.Cut(line, `"`)
		s.cell.WriteString(text)
		if !closed {
			return false, ""
		}
		switch {
		case strings.HasPrefix(rest, `"`):
			s.cell.WriteByte('"')
			line = rest[1:]
			continue
		case rest != "" && rest[0] != s.sep:
			return false, "after a quote that closes a cell there must be a separator; a quote inside a cell is written twice"
		}
		s.cells = append(s.cells, s.cell.String())
		s.cell.Reset()
		s.inQuotes = false
		if rest == "" {
			return true, ""
		}
		line = rest[1:]
	}
}

// detectSeparator is the separator that a line of column names has most of.
func detectSeparator(line string) byte {
	best, most := byte(','), 0
	for _, sep := range []byte{',', ';', '\t'} {
		if n := strings.Count(line, string(sep)); n > most {
			best, most = sep, n
		}
	}
	return best
}
