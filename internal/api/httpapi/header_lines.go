package httpapi

import (
	"bytes"
	"errors"
)

// maxHeaderLines is how many header lines a request may have. Browsers and proxies send some dozens. Thousands of short
// ones take net/http long to parse, and there is no credential to limit them by.
const maxHeaderLines = 200

// errHeaderLines is what Read returns if a request has more than maxHeaderLines.
var errHeaderLines = errors.New("the request has too many header lines")

// headerLines counts the lines of a request's headers while they arrive, before net/http parses them. The zero value is
// for the next request on a connection. If a client sends a request before the response to the previous one, the lines
// that arrived until then are not counted: net/http has them in its buffer of 4 KiB.
type headerLines struct {
	lines  int  // complete lines, including the request line
	inLine bool // the current line has a character
	ended  bool // the empty line after the headers has arrived; what follows is a body, or another request
}

// add counts the lines in b, which continues the request. It returns false if there are too many.
func (h *headerLines) add(b []byte) bool {
	for len(b) > 0 && !h.ended {
		line, rest, complete := bytes.Cut(b, []byte{'\n'})
		h.inLine = h.inLine || len(line) > 1 || len(line) == 1 && line[0] != '\r'
		if !complete {
			break
		}
		h.ended = !h.inLine
		h.lines++
		h.inLine = false
		b = rest
		if h.lines > 1+maxHeaderLines && !h.ended {
			return false
		}
	}
	return true
}
