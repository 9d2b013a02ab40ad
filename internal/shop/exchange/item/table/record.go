package table

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/wire"
)

// maxRecordBytes limits the size of a record, including the line breaks inside quotes. If a quote is not closed,
// recordReader reads at most this much to find the closing quote.
const maxRecordBytes = 16 << 20

// record is one record of a table. It spans several lines if a quoted cell contains line breaks.
type record struct {
	line  int64 // number of its first line
	cells []string
	raw   string // as in the file
	// problem says why the record cannot be read; cells is then the line split at every separator.
	problem string
}

// recordReader reads the records of a table. Quoted cells may contain separators, line breaks and doubled quotes.
// Unlike encoding/csv it continues after a malformed record: the problem affects a single line of the file.
type recordReader struct {
	in            *bufio.Reader
	sep           byte
	expectedCells int      // capacity hint
	line          int64    // number of lines read
	unread        []string // lines to read again
}

// next returns the next record that is not empty, or io.EOF.
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

func (r *recordReader) nextLine() (string, error) {
	if len(r.unread) > 0 {
		text := r.unread[0]
		r.unread = r.unread[1:]
		r.line++
		return text, nil
	}
	text, long, err := readLine(r.in, maxRecordBytes)
	if err != nil {
		return "", err
	}
	r.line++
	if long {
		// The line is too long. The NUL byte makes parseRecord report it.
		return "\x00" + string(r.sep), nil
	}
	return string(text), nil
}

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
		problem = "it contains a NUL character or is longer than 16 MiB"
	case problem == "" && slices.ContainsFunc(s.cells, func(cell string) bool { return !utf8.ValidString(cell) }):
		problem = "it is not UTF-8; save the file as UTF-8"
		if charset := wire.DetectCharset([]byte(text)); charset != "" {
			problem = "it looks like " + string(charset) + ", not UTF-8; save the file as UTF-8"
		}
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

type recordSplitter struct {
	sep      byte
	cells    []string
	cell     strings.Builder
	inQuotes bool // the previous line ended inside quotes
}

// addLine adds a line. complete reports whether the record ends with it; problem says why the record is malformed.
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
			return false, "after a quote that closes a cell there must be a separator; " +
				"a quote inside a cell is written twice"
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

// detectSeparator returns the most frequent separator in the line of column names.
func detectSeparator(line string) byte {
	count := func(sep byte) int { return strings.Count(line, string(sep)) }
	return slices.MaxFunc([]byte{',', ';', '\t'}, func(a, b byte) int { return cmp.Compare(count(a), count(b)) })
}
