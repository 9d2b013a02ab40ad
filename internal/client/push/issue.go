package push

import "github.com/go-json-experiment/json/jsontext"

// Issue is an error or a warning about one item.
type Issue struct {
	// Index is the item's index in the file, from 0. It is nil if the issue is not about an item, or the item was not
	// sent.
	Index *int64 `json:"index"`
	// Line is the number of the item's first line in the file; 0 if it is not known.
	Line    int64          `json:"line,omitzero"`
	ID      jsontext.Value `json:"id"` // as in the gate's response: a string, a number or null
	Field   string         `json:"field"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
}

// IDText returns the item's id as text; "" if it has none.
func (i Issue) IDText() string {
	switch i.ID.Kind() {
	case '"':
		text, _ := jsontext.AppendUnquote(nil, i.ID)
		return string(text)
	case '0':
		return string(i.ID)
	}
	return ""
}

// maxItemLines limits the line numbers that are kept for the items of a request.
const maxItemLines = 1 << 20

// itemLines are the line numbers of the items of a request.
type itemLines []int64

func (l *itemLines) add(line int64) {
	if len(*l) < maxItemLines {
		*l = append(*l, line)
	}
}

// at returns the line number of an item; 0 if it is not known.
func (l itemLines) at(index int64) int64 {
	if index < 0 || index >= int64(len(l)) {
		return 0
	}
	return l[index]
}
