package push

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ndjsonReader reads one item per line and skips empty lines. It does not parse the JSON, which the gate does.
type ndjsonReader struct {
	in   *bufio.Reader
	line int64
	buf  []byte
}

func (n *ndjsonReader) next() (item, error) {
	for {
		text, tooLong, err := readLine(n.in, n.buf[:0], maxItemBytes)
		if err != nil {
			return item{}, err
		}
		n.line++
		n.buf = text
		if tooLong {
			f := itemTooLong("This line")
			return item{
				line:       n.line,
				unreadable: &unreadableEntry{issue: Issue{Line: n.line, Code: f.Code, Message: f.Message}},
			}, nil
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			return item{body: text, line: n.line}, nil
		}
	}
}

// readLine appends the next line to buf, without its line end, or returns io.EOF. It discards a line over maxBytes.
func readLine(in *bufio.Reader, buf []byte, maxBytes int) (line []byte, tooLong bool, err error) {
	gotBytes := false
	for {
		chunk, err := in.ReadSlice('\n')
		gotBytes = gotBytes || len(chunk) > 0
		if tooLong = tooLong || len(buf)+len(chunk) > maxBytes; !tooLong {
			buf = append(buf, chunk...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil, errors.Is(err, io.EOF) && gotBytes:
			buf = bytes.TrimSuffix(bytes.TrimSuffix(buf, []byte("\n")), []byte("\r"))
			return buf, tooLong, nil
		}
		return nil, false, err
	}
}
