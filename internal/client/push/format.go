package pushclient

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
)

// Format is how a file holds its items.
type Format string

// The formats. Auto looks at the file.
const (
	Auto   Format = "auto"
	JSON   Format = "json"   // {"payload": […]}, […], or objects one after the other
	NDJSON Format = "ndjson" // an item a line
	CSV    Format = "csv"    // separated by commas, semicolons or tabs
)

// maxItemBytes is the most that one item may take: an option of some million values. What is longer is not held in memory.
const maxItemBytes = 256 << 20

// item is one item of a file, or a place of it that could not be read.
type item struct {
	// body is the item as JSON on one line. It holds until the next item is read.
	body []byte
	// line is where the item begins, from 1; 0 if the format has no lines.
	line int64
	// unreadable is set, and body nil, if there is no item to be sent.
	unreadable *unreadableEntry
}

// unreadableEntry is a place of a file that makes no item: what is said of it, and what of it goes to the rejects.
type unreadableEntry struct {
	issue  Issue
	reject []byte
}

// itemReader reads a file item by item. After the last, next returns io.EOF; after another error there is nothing more to be read.
type itemReader interface {
	next() (item, error)
	// ignored are the parts of the file that are not sent, as far as they are known by now.
	ignored() []string
}

func newItemReader(src *source, format Format, entity string) (itemReader, error) {
	head, err := src.head()
	if err != nil {
		return nil, err
	}
	if format == Auto || format == "" {
		if format, err = detectFormat(head); err != nil {
			return nil, err
		}
	}
	switch format {
	case NDJSON:
		return &ndjsonReader{in: src.text}, nil
	case CSV:
		return newCSVReader(src.text, entity)
	case JSON:
		return newJSONReader(src.text, head)
	}
	return nil, fault.New(fault.Invalid, "invalid_format", "The format must be auto, json, ndjson or csv; %s is not.", format)
}

// detectFormat tells the format from the beginning of the text.
func detectFormat(head []byte) (Format, error) {
	text := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(text) == 0:
		return NDJSON, nil // without any line
	case text[0] == '[':
		return JSON, nil
	case text[0] == '{':
		if shape, lines := detectShape(text); shape == shapeDocument || lines > 1 {
			return JSON, nil
		}
		return NDJSON, nil
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.ContainsAny(first, ",;\t") && text[0] != '<' {
		return CSV, nil
	}
	return "", fault.New(fault.Invalid, "unknown_format",
		"The file is neither JSON nor NDJSON nor CSV with a line of column names; it begins with %s. --format says which it is.", quotePrefix(first))
}

func quotePrefix(line []byte) string {
	const maxBytes = 40
	if len(line) > maxBytes {
		return fmt.Sprintf("%q…", line[:maxBytes])
	}
	return fmt.Sprintf("%q", line)
}

// jsonShape is how a JSON file holds its items.
type jsonShape int

const (
	shapeSequence jsonShape = iota // objects, one after the other
	shapeList                      // […]
	shapeDocument                  // {"payload": […]}
)

// detectShape tells the shape of a text, and how many lines its first value takes as far as it is there. An object that has no member
// payload up to the end of the text is taken for an item.
func detectShape(text []byte) (jsonShape, int) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() == '[' {
		return shapeList, 1
	}
	if _, err := d.ReadToken(); err != nil {
		return shapeSequence, 1
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			break
		}
		if name.String() == "payload" && d.PeekKind() == '[' {
			return shapeDocument, 1
		}
		if d.SkipValue() != nil {
			break
		}
	}
	if d.PeekKind() == '}' {
		_, _ = d.ReadToken()
	}
	// Not beyond what was understood: after a broken line there are others.
	return shapeSequence, 1 + bytes.Count(text[:d.InputOffset()], []byte("\n"))
}
