package item

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
)

// The positions in messages about malformed items are those in the whole body, however it arrives. They were relative
// to the item, or a number of bytes.
func TestRegression_positionsAreThoseInTheWholeBody(t *testing.T) {
	const count = 2000
	var before, members strings.Builder
	for i := range count {
		fmt.Fprintf(&before, "  {\"id\": %d,\r\n    \"name\": \"Склад\"},\n", i)
	}

	for i := range wire.MaxMembers + 1 {
		fmt.Fprintf(&members, "\"m%d\": 1,\n", i)
	}

	longName := strings.Repeat("ж", 600)
	head := "{\"payload\": [\n" + before.String() // 1+2*count lines
	next := 2 + 2*count
	for _, c := range []struct{ body, want string }{
		{head + "  {\"id\": 1,\n    \"имя\": 1, \"имя\": 2}]}",
			fmt.Sprintf("the same member twice in one object, at line %d, "+
				"column 15. It is in the item with the index %d,", next+1, count)},
		{head + "  {\"имя\": 1, \"имя\": 2,\n \"id\": 1}]}",
			fmt.Sprintf("the same member twice in one object, at line %d, "+
				"column 14. It is in the item with the index %d,", next, count)},
		{head + "  {\"id\": 1,\n" + members.String() + "\"x\": 1}]}",
			fmt.Sprintf("more than 1000 members, at line %d, column 1. It is in the item", next+wire.MaxMembers)},
		{head + "  {\"id\": 1,\n  \"" + longName + "\": 1}]}",
			fmt.Sprintf("longer than 1022 bytes, at line %d, column 3. It is in the item", next+1)},
		{head + "  {\"id\": 1,\n  \"name\": \"x\" 2}]}", fmt.Sprintf("at line %d, column 15, at the character '2'",
			next+1)},
		{head + "  {\"id\": 1}],\n \"ж\": 1, \"payload\": []}",
			fmt.Sprintf("the same member twice in one object, at line %d, column 10.", next+1)},
		{head + "  {\"id\": 1}],\n \"" + longName + "\": 1}",
			fmt.Sprintf("longer than 1022 bytes, at line %d, column 2.", next+1)},
		{"[{\"id\": 1},\n\n  {\"a\": 1, \"a\": 2}]", "at line 3, column 12. It is in the item with the index 1,"},
		// All on one line.
		{"{\"payload\":[" + strings.Repeat(`{"id":1,"name":"ж"},`, count) + `{"id":1,"id":2}]}`,
			fmt.Sprintf("at line 1, column %d. It is in the item", 13+20*count+8)},
	} {
		for name, body := range map[string]io.Reader{
			"whole": strings.NewReader(c.body), "half": iotest.HalfReader(strings.NewReader(c.body)),
			"byte by byte": iotest.OneByteReader(strings.NewReader(c.body)),
		} {
			var err error
			d := &Decoder[catalog.StockPush]{Type: Stock(), Ignored: &Ignored{}}
			for _, err = range d.Decode(JSON, body) {
			}
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.Malformed || !strings.Contains(f.Message, c.want) {
				t.Errorf("%s: …%.60q: got %v, want %q", name, c.body[max(0, len(c.body)-60):], err, c.want)
			}
		}
	}

	body := "{\"id\": 1}\n\n\t \"x\n  {\"ж\": 1, \"ж\": 2}\r\n {\"id\": 3, "
	ids, _, err := decodeStocks(NDJSON, body)
	for i, want := range []string{"1", "at line 3, column 5.", "at line 4, column 12.",
		"ends in the middle, at line 5, column 11."} {
		if err != nil || len(ids) != 4 || !strings.Contains(ids[i], want) {
			t.Errorf("NDJSON: got %q, %v, want %q", ids, err, want)
		}
	}
}
