package table

import (
	"io"
	"iter"

	"vitrine/internal/kit/xlsx"
)

// Sheet is an io.ReadCloser of the lines that NewRowReader reads, made of the sheet of a workbook.
type Sheet struct {
	next func() (xlsx.Row, error, bool)
	stop func()
	line []byte // the lines of the last row
	text []byte // what of them is to be read
	last int    // the number of the last line that was made
	err  error
}

// NewSheet reads the sheet with the name, or the first visible one if the name is empty. Read returns the faults of
// xlsx.File.Rows. Close must be called; the file may be closed after it.
func NewSheet(file *xlsx.File, name string) *Sheet {
	next, stop := iter.Pull2(file.Rows(name))
	return &Sheet{next: next, stop: stop}
}

func (s *Sheet) Read(p []byte) (int, error) {
	for len(s.text) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		row, err, ok := s.next()
		switch {
		case !ok:
			s.err = io.EOF
		case err != nil:
			s.err = err
		default:
			s.line = s.line[:0]
			for s.last++; s.last < row.Number; s.last++ {
				s.line = append(s.line, '\n')
			}
			s.line = append(AppendRow(s.line, row.Cells), '\n')
			s.text = s.line
		}
	}

	n := copy(p, s.text)
	s.text = s.text[n:]
	return n, nil
}

// Close ends the reading.
func (s *Sheet) Close() error {
	s.stop()
	return nil
}
