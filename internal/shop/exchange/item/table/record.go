package table

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// maxRecordBytes limits the size of a record, including the line breaks inside quotes. If a quote is not closed,
// recordReader reads at most this much to find the closing quote.
const maxRecordBytes = 16 << 20

const tooLongProblem = "it contains a NUL character or is longer than 16 MiB"

const (
	// maxRepeatedBytes limits what is read again after records that cannot be read. The lines after a quote that is not
	// closed are records of their own, so each of them may again be read up to maxRecordBytes.
	maxRepeatedBytes = 64 << 20
	// lineMemory is what a line takes besides its bytes.
	lineMemory = 32
)

// record is one record of a table. It spans several lines if a quoted cell contains line breaks.
type record struct {
	line  int64    // number of its first line
	cells []string // at most one more than the header has
	count int      // number of cells
	raw   string   // as in the file
	// problem says why the record cannot be read; cells is then the line split at every separator.
	problem string
}

// recordReader reads the records of a table. Quoted cells may contain separators, line breaks and doubled quotes.
// Unlike encoding/csv it continues after a malformed record: the problem affects a single line of the file.
type recordReader struct {
	in       *bufio.Reader
	sep      byte
	maxCells int   // of a record that are kept
	line     int64 // number of lines read
	// lines are those after the first line of a record that goes on; from the index position on they are to be read.
	lines    []string
	position int
	repeated int64 // bytes of the lines that were to be read again
	// charset is Windows1251 if the lines are decoded from it. It is known after the first line that is not ASCII.
	charset      wire.Encoding
	charsetKnown bool
	// isRows says that each line is a row. Rows have at least width cells: empty cells at their ends are not in the
	// file.
	isRows bool
	width  int
}

// next returns the next record that is not empty, or io.EOF.
func (r *recordReader) next() (record, error) {
	if r.isRows {
		return r.nextRow()
	}

	for {
		if r.position == len(r.lines) {
			r.lines = nil
			r.position = 0
		}
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
	if r.position < len(r.lines) {
		text := r.lines[r.position]
		r.position++
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

	return r.decodeLine(text)
}

// nextContinuation is like nextLine. It keeps the line, so that it can be read again.
func (r *recordReader) nextContinuation() (string, error) {
	isKept := r.position < len(r.lines)
	line, err := r.nextLine()
	if err == nil && !isKept {
		r.lines = append(r.lines, line)
		r.position++
	}
	return line, err
}

func (r *recordReader) parseRecord(text string) (record, error) {
	rec := record{line: r.line, raw: text}
	s := recordSplitter{sep: r.sep, limit: r.maxCells,
		cells: make([]string, 0, min(r.maxCells, strings.Count(text, string(r.sep))+1))}
	complete, problem := s.addLine(text)
	size := len(text)
	first := r.position
	for !complete && problem == "" {
		line, err := r.nextContinuation()
		switch {
		case errors.Is(err, io.EOF), err == nil && size > maxRecordBytes:
			problem = "a quote is opened and not closed"
		case err != nil:
			return record{}, err
		}

		size += len(line) + lineMemory
		if problem == "" {
			complete, problem = s.addLine(line)
		}
	}

	switch {
	case strings.IndexByte(text, 0) >= 0:
		problem = tooLongProblem
	case problem == "" && slices.ContainsFunc(s.cells, func(cell string) bool { return !utf8.ValidString(cell) }):
		problem = "it is not UTF-8; save the file as UTF-8"
		if charset := wire.DetectCharset([]byte(text)); charset != "" {
			problem = "it looks like " + string(charset) + ", not UTF-8; save the file as UTF-8"
		}
	}

	if problem != "" {
		if r.repeated += int64(size - len(text)); r.repeated > maxRepeatedBytes {
			return record{}, fault.New(fault.Malformed, "broken_file",
				"Line %d: %s. The file has too many such lines; correct the quotes, and send it again.", rec.line,
				problem)
		}

		r.position = first
		r.line = rec.line
		rec.problem, rec.cells = problem, strings.SplitN(text, string(r.sep), r.maxCells)

		return rec, nil
	}

	if r.position > first {
		rec.raw += "\n" + strings.Join(r.lines[first:r.position], "\n")
	}

	for i, cell := range s.cells {
		s.cells[i] = unguard(cell)
	}
	rec.cells, rec.count = s.cells, s.count
	return rec, nil
}

type recordSplitter struct {
	sep      byte
	limit    int      // of cells
	cells    []string // the first ones
	count    int      // of all cells
	cell     strings.Builder
	inQuotes bool // the previous line ended inside quotes
}

// addCell counts a cell, and keeps it up to the limit.
func (s *recordSplitter) addCell(text string) {
	if s.count++; s.count <= s.limit {
		s.cells = append(s.cells, text)
	}
}

// addLine adds a line. complete reports whether the record ends with it; problem says why the record is malformed.
func (s *recordSplitter) addLine(line string) (complete bool, problem string) {
	if s.inQuotes {
		s.cell.WriteByte('\n')
	}

	for {
		if !s.inQuotes {
			if rest, ok := strings.CutPrefix(line, `"`); ok {
				s.inQuotes = true
				line = rest
			} else {
				end := strings.IndexByte(line, s.sep)
				if end < 0 {
					s.addCell(line)
					return true, ""
				}
				s.addCell(line[:end])
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

		s.addCell(s.cell.String())
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
