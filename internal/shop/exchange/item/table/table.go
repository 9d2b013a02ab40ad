// Package table reads the items of a push from a CSV table: the first line names the columns, and each line is an item
// or a part of one, such as a variant. It converts the lines to the JSON of items, which package item decodes. The
// columns are described in docs/push.md.
package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// headBytes is how much of the file is looked at to find the separator of cells.
const headBytes = 64 << 10

// Item is one item of a table.
type Item struct {
	// Body is the item as JSON on one line. It is valid until the next call of Next. It is nil if Issue is set.
	Body []byte
	// Line is the number of the item's first line, from 1.
	Line int64
	// Lines are the lines of the item; nil if the names of the columns are too long to show them with the lines.
	Lines []Line
	// Place tells where the members of Body stand in the file; nil if Issue is set.
	Place *Place
	// Issue says why the lines of the item cannot be read; nil if they can. Reject is then the JSON that shows them.
	Issue  *Issue
	Reject []byte
}

// Issue says what is wrong with a line.
type Issue struct {
	Line    int64
	ID      string // the id of the item; empty if it cannot be read
	Field   string // the name of the column; empty for the line itself
	Message string
}

// IssueCode is the code of all issues.
const IssueCode = "unreadable_line"

// readLine reads the next line without its line end, or returns io.EOF. A line over maxBytes is discarded.
func readLine(in *bufio.Reader, maxBytes int) (line []byte, tooLong bool, err error) {
	gotBytes := false
	for {
		chunk, err := in.ReadSlice('\n')
		gotBytes = gotBytes || len(chunk) > 0
		if tooLong = tooLong || len(line)+len(chunk) > maxBytes; !tooLong {
			line = append(line, chunk...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil, errors.Is(err, io.EOF) && gotBytes:
			return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), tooLong, nil
		}
		return nil, false, err
	}
}
