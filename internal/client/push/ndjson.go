package pushclient

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ndjsonItems reads an item a line; empty lines are none. Whether a line is JSON is the gate's to say.
type ndjsonItems struct {
	in   *bufio.Reader
	line int64
	buf  []byte
}

func (n *ndjsonItems) ignored() []string { return nil }

func (n *ndjsonItems) next() (item, error) {
	for {
		text, long, err := readLine(n.in, n.buf[:0], maxItem)
		if err != nil {
			return item{}, err
		}
		n.line++
		n.buf = text
		if long {
			f := tooLong("This line")
			return item{line: n.line, unreadable: &unreadable{issue: Issue{Line: n.line, Code: f.Code, Message: f.Message}}}, nil
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			return item{body: text, line: n.line}, nil
		}
	}
}

// readLine appends the next line to buf, without its end. Of a line longer than most it keeps nothing and says so. It returns io.EOF
// when there is no line left.
func readLine(in *bufio.Reader, buf []byte, most int) (line []byte, long bool, err error) {
	read := false
	for {
		part, err := in.ReadSlice('\n')
		read = read || len(part) > 0
		if long = long || len(buf)+len(part) > most; !long {
			buf = append(buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil, errors.Is(err, io.EOF) && read:
			buf = bytes.TrimSuffix(bytes.TrimSuffix(buf, []byte("\n")), []byte("\r"))
			return buf, long, nil
		}
		return nil, false, err
	}
}
