package pricing

import (
	"strconv"
	"strings"
)

// Chain names the price lists whose prices a reader gets, the first that has a price of a variant. The zero value is
// the chain of a reader who gets the prices of the variants themselves. Readers with equal chains get equal prices.
//
// The text is that of ChainSQL: the row key and the time of creation of each list. SQLite uses the row key of a deleted
// list again, so a row key alone would not tell the prices of two lists apart.
type Chain string

// IsBase reports whether the reader gets the prices of the variants themselves.
func (c Chain) IsBase() bool { return c == "" }

// Lists returns the row keys of the lists, in the order of the chain.
func (c Chain) Lists() []int64 {
	if c == "" {
		return nil
	}
	var keys []int64
	for list := range strings.SplitSeq(string(c), ",") {
		text, _, _ := strings.Cut(list, ":")
		if key, err := strconv.ParseInt(text, 10, 64); err == nil { // always: the database has written it
			keys = append(keys, key)
		}
	}
	return keys
}
