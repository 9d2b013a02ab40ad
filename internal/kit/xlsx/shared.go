package xlsx

import (
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// sharedStrings are the texts that cells refer to by their positions. All are in one piece of memory.
type sharedStrings struct {
	text []byte
	ends []uint32
}

func (s *sharedStrings) at(i int) (string, bool) {
	if i < 0 || i >= len(s.ends) {
		return "", false
	}
	start := uint32(0)
	if i > 0 {
		start = s.ends[i-1]
	}
	return string(s.text[start:s.ends[i]]), true
}

// readShared reads the shared strings, once. A text of several formats consists of several elements t; those in rPh
// tell how it is pronounced.
func (f *File) readShared() error {
	if f.strings == "" || f.shared.ends != nil || f.parts[partKey(f.strings)] == nil {
		return nil // a file with numbers alone may have none
	}

	inText, phonetic := false, 0
	return f.eachToken(f.strings, maxSharedBytes, func(token xml.Token) error {
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "t"
			if token.Name.Local == "rPh" {
				phonetic++
			}

		case xml.CharData:
			if inText && phonetic == 0 {
				f.shared.text = append(f.shared.text, token...)
			}

		case xml.EndElement:
			inText = false
			switch token.Name.Local {
			case "rPh":
				phonetic--
			case "si":
				f.shared.ends = append(f.shared.ends, uint32(len(f.shared.text)))
			}
			if len(f.shared.text)+8*len(f.shared.ends) > f.sharedLimit {
				return tooLarge("it has too many different texts")
			}
		}
		return nil
	})
}

// escapedRune is how a character is written that XML cannot have.
var escapedRune = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// cleanText returns the text of a cell: with line feeds as line ends, and without characters that XML cannot have.
func cleanText(text string) string {
	if strings.Contains(text, "_x") {
		text = escapedRune.ReplaceAllStringFunc(text, func(s string) string {
			code, err := strconv.ParseUint(s[2:6], 16, 32)
			switch {
			case err != nil || !utf8.ValidRune(rune(code)):
				return s
			case code == '\n' || code == '\t' || code == '\r' || code >= ' ':
				return string(rune(code))
			}
			return ""
		})
	}

	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	return text
}
