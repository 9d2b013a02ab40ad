package table

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/kit/wire"
)

// decodeLine returns a line in UTF-8. The first line with a byte outside ASCII decides about the character set of the
// whole file. A line that is not UTF-8 in a file that is remains as it is.
func (r *recordReader) decodeLine(line []byte) (string, error) {
	if !r.charsetKnown && !isASCII(line) {
		r.charsetKnown = true
		ahead, err := r.in.Peek(r.in.Size())
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		if err == nil {
			ahead = ahead[:bytes.LastIndexByte(ahead, '\n')+1] // without the line that is cut off
		}
		if isWindows1251(slices.Concat(line, []byte("\n"), ahead)) {
			r.charset = wire.Windows1251
		}
	}

	if r.charset != wire.Windows1251 || isASCII(line) {
		return string(line), nil
	}

	decoded, err := charmap.Windows1251.NewDecoder().Bytes(line)
	return string(decoded), err
}

// isWindows1251 reports whether most lines of a text that have other bytes than ASCII are no UTF-8, and look like
// Windows-1251. A file in UTF-8 may have single lines that are broken.
func isWindows1251(text []byte) bool {
	utf8Lines := 0
	var others [][]byte
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		switch {
		case isASCII(line):
		case utf8.Valid(line):
			utf8Lines++
		default:
			others = append(others, line)
		}
	}
	return len(others) > utf8Lines && wire.DetectCharset(bytes.Join(others, []byte("\n"))) == wire.Windows1251
}

func isASCII(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c >= utf8.RuneSelf })
}
