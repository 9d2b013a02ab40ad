package pushclient

import "github.com/go-json-experiment/json/jsontext"

// Issue is an error or a warning about one item.
type Issue struct {
	// Index is the item's place among those of the file, from 0; nil if the issue is of none, or of one that was not sent.
	Index *int64 `json:"index"`
	// Line is where the item begins in the file; 0 if that is not known.
	Line    int64          `json:"line,omitzero"`
	ID      jsontext.Value `json:"id"` // as the gate says it: a string, a number or null
	Field   string         `json:"field"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
}

// IDText is the item's id for people; "" if it has none.
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

// maxItemLines is for how many items of a request it is known at which line they begin.
const maxItemLines = 1 << 20

// itemLines are where the items of a request begin in the file.
type itemLines []int64

func (l *itemLines) add(line int64) {
	if len(*l) < maxItemLines {
		*l = append(*l, line)
	}
}

// at is the line of an item of the request; 0 if it is not known.
func (l itemLines) at(index int64) int64 {
	if index < 0 || index >= int64(len(l)) {
		return 0
	}
	return l[index]
}
