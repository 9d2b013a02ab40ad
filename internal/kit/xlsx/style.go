package xlsx

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// cellStyle is what a number format says about the value of a cell.
type cellStyle struct {
	isDate bool
	// digits is the least number of digits of a whole number, such as that of a barcode; 0 if there is none.
	digits int
}

// readStyles reads the number formats of cells.
func (f *File) readStyles(part string) error {
	if f.parts[partKey(part)] == nil {
		return nil
	}

	formats := map[string]cellStyle{}
	inCells := false
	return f.eachToken(part, maxPartBytes, func(token xml.Token) error {
		switch token := token.(type) {
		case xml.EndElement:
			inCells = inCells && token.Name.Local != "cellXfs"
		case xml.StartElement:
			switch token.Name.Local {
			case "numFmt":
				if len(formats) < maxStyles {
					formats[attribute(token, "numFmtId")] = styleOf(attribute(token, "formatCode"))
				}
			case "cellXfs":
				inCells = true
			case "xf":
				if !inCells || len(f.styles) >= maxStyles {
					return nil
				}
				id := attribute(token, "numFmtId")
				style, ok := formats[id]
				if !ok {
					number, _ := strconv.Atoi(id)
					style = cellStyle{isDate: isDateFormat(number)}
				}
				f.styles = append(f.styles, style)
			}
		}

		return nil
	})
}

// isDateFormat reports whether a format that every program knows is that of a date or a time.
func isDateFormat(id int) bool {
	return id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58
}

// styleOf returns the style of a format such as DD.MM.YYYY. Texts in quotes, after a backslash or in brackets, such as
// a currency, do not count.
func styleOf(code string) cellStyle {
	code, _, _ = strings.Cut(code, ";")
	if len(code) > 1 && len(code) < 32 && strings.Trim(code, "0") == "" {
		return cellStyle{digits: len(code)}
	}

	skipped := byte(0) // ends what is skipped
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case skipped != 0:
			if c == skipped {
				skipped = 0
			}
		case c == '"':
			skipped = '"'
		case c == '[':
			end := strings.IndexByte(code[i:], ']')
			if end > 0 && strings.Trim(strings.ToLower(code[i+1:i+end]), "hms") == "" {
				return cellStyle{isDate: true} // [h]:mm
			}
			skipped = ']'
		case c == '\\' || c == '_' || c == '*':
			i++
		case strings.IndexByte("yYmMdDhHsS", c) >= 0:
			return cellStyle{isDate: true}
		}
	}
	return cellStyle{}
}
