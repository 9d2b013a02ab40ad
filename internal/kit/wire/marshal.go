package wire

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AppendJSON appends v as JSON, with strings as AppendString writes them. It panics if v cannot be marshalled, which is
// a bug in the type of v.
func AppendJSON(dst []byte, v any) []byte {
	text, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		panic(fmt.Sprintf("wire: marshal %T: %v", v, err))
	}
	return append(dst, text...)
}
