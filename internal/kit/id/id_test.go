package id_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/id"
)

type entity struct{}

const uuidText = "01890a5d-ac96-774b-bcce-b302099a8057"

func TestParse_acceptsTheCanonicalFormInEitherCase(t *testing.T) {
	want := id.Of[entity]{0x01, 0x89, 0x0a, 0x5d, 0xac, 0x96, 0x77, 0x4b, 0xbc, 0xce, 0xb3, 0x02,
		0x09, 0x9a, 0x80, 0x57}
	for _, s := range []string{uuidText, strings.ToUpper(uuidText), "01890A5d-ac96-774B-bcce-b302099a8057"} {
		if got, err := id.Parse[entity](s); err != nil || got != want {
			t.Errorf("Parse(%s) = %v, %v", s, got, err)
		}
	}
	if want.String() != uuidText {
		t.Errorf("String = %s, want lower case", want)
	}
}

func TestParse_refusesEveryOtherForm(t *testing.T) {
	bare := strings.ReplaceAll(uuidText, "-", "")

	for _, s := range []string{
		"", "x", uuidText[:35], uuidText + "0", uuidText + " ", " " + uuidText, uuidText + "\n", bare,
		"{" + uuidText + "}", "urn:uuid:" + uuidText, "{" + bare + "}",
		strings.Replace(uuidText, "-", "_", 1), strings.Replace(uuidText, "a", "g", 1),
		strings.Replace(uuidText, "0", "O", 1),
		"01890a5da-c96-774b-bcce-b302099a8057",    // hyphen at a wrong position
		"-1890a5d-ac96-774b-bcce-b302099a8057",    // one hyphen too many
		"01890a5d-ac96-774b-bcce-b302099a805\x00", // right length, but with a NUL
		"{1890a5d-ac96-774b-bcce-b302099a805}",
		"urn:uuid:890a5dac96774bbcceb30209957",
		"01890а5d-ac96-774b-bcce-b302099a805", // 35 characters with a Cyrillic а: 36 bytes
		"+1890a5d-ac96-774b-bcce-b302099a8057", "0x890a5d-ac96-774b-bcce-b302099a8057",
	} {
		if got, err := id.Parse[entity](s); !errors.Is(err, id.ErrNotUUID) || !got.IsZero() {
			t.Errorf("Parse(%q) = %v, %v, want ErrNotUUID", s, got, err)
		}
	}
}

func TestNew_sortsAfterEveryEarlierOne(t *testing.T) {
	const each = 5000
	all := make([][]id.Of[entity], 4)
	var group sync.WaitGroup
	for g := range all {
		group.Go(func() {
			for range each {
				all[g] = append(all[g], id.New[entity]())
			}
		})
	}

	group.Wait()
	seen := map[id.Of[entity]]bool{}
	for _, ids := range all {
		if !slices.IsSortedFunc(ids,
			func(a, b id.Of[entity]) int { x, y := a.Bytes(), b.Bytes(); return bytes.Compare(x[:], y[:]) }) {
			t.Error("a later id sorts before an earlier one")
		}
		for _, i := range ids {
			seen[i] = true
		}
	}

	if len(seen) != 4*each {
		t.Errorf("%d of %d ids are different", len(seen), 4*each)
	}
}

func TestNew_isAUUIDOfVersion7AndOfNow(t *testing.T) {
	i := id.New[entity]()
	b := i.Bytes()
	if b[6]>>4 != 7 || b[8]>>6 != 2 || i.IsZero() {
		t.Errorf("%s is not a UUIDv7", i)
	}
	var ms int64
	for _, x := range b[:6] {
		ms = ms<<8 | int64(x)
	}
	if age := time.Since(time.UnixMilli(ms)); age < -time.Minute || age > time.Minute {
		t.Errorf("%s is %s old", i, age)
	}
}

func TestOf_roundTrips(t *testing.T) {
	want := id.New[entity]()
	raw, err := want.Value()
	if err != nil || len(raw.([]byte)) != 16 {
		t.Fatalf("Value = %v, %v, want 16 bytes", raw, err)
	}

	for name, src := range map[string]any{
		"result of Value": raw, "bytes": want.Bytes(), "text": want.String(), "text as bytes": []byte(want.String()),
	} {
		var got id.Of[entity]
		if err := got.Scan(src); err != nil || got != want {
			t.Errorf("%s: Scan = %v, %v", name, got, err)
		}
	}

	body, err := json.Marshal(map[id.Of[entity]]id.Of[entity]{want: want})
	if err != nil || string(body) != `{"`+want.String()+`":"`+want.String()+`"}` {
		t.Errorf("JSON %s, %v", body, err)
	}

	var back map[id.Of[entity]]id.Of[entity]
	if err := json.Unmarshal(body, &back); err != nil || back[want] != want {
		t.Errorf("read back as %v, %v", back, err)
	}
	if got := string(want.Append([]byte("id="))); got != "id="+want.String() {
		t.Errorf("Append = %s", got)
	}
}

func TestScan_refusesInvalidInputAndKeepsTheOldValue(t *testing.T) {
	for _, src := range []any{
		nil, 7, int64(7), true, "", "x", []byte{}, []byte{1, 2, 3}, make([]byte, 15), make([]byte, 17),
		[]byte("{" + uuidText + "}"), [15]byte{},
	} {
		i, err := id.Parse[entity](uuidText)
		if err != nil {
			t.Fatal(err)
		}
		if err := i.Scan(src); err == nil || i.String() != uuidText {
			t.Errorf("Scan(%v) = %v, %v", src, i, err)
		}
	}
}

func TestScan_copiesWhatItReads(t *testing.T) {
	buffer := slices.Repeat([]byte{7}, 16)
	var i id.Of[entity]
	if err := i.Scan(buffer); err != nil {
		t.Fatal(err)
	}
	clear(buffer)
	if i.Bytes() != [16]byte(slices.Repeat([]byte{7}, 16)) {
		t.Error("the id shares the driver's buffer")
	}
}

func TestIsZero(t *testing.T) {
	if !(id.Of[entity]{}).IsZero() || (id.Of[entity]{15: 1}).IsZero() {
		t.Error("IsZero must be true for the zero value only")
	}
}

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\z`)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		uuidText, strings.ToUpper(uuidText), "", uuidText[:35], "{" + uuidText[:34] + "}", "urn:uuid:" + uuidText[:27],
		strings.ReplaceAll(uuidText, "-", "0"), uuidText[:35] + "\xff",
	} {
		f.Add(s)
	}

	f.Fuzz(func(t *testing.T, s string) {
		i, err := id.Parse[entity](s)
		if good := uuidPattern.MatchString(s); good != (err == nil) {
			t.Fatalf("Parse(%q): %v", s, err)
		}
		if err != nil {
			return
		}
		if i.String() != strings.ToLower(s) || string(i.Append(nil)) != i.String() {
			t.Fatalf("%q: String gives %s, Append gives %s", s, i, i.Append(nil))
		}
	})
}

func TestCreatedAt_isTheTimeOfNew(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	if got := id.New[entity]().CreatedAt(); got.Before(before) || got.After(time.Now()) {
		t.Errorf("an id that was created after %s says %s", before, got)
	}
	known, err := id.Parse[entity](uuidText)
	if want := time.UnixMilli(0x01890a5dac96); err != nil || !known.CreatedAt().Equal(want) {
		t.Errorf("CreatedAt of %s = %s, %v, want %s", uuidText, known.CreatedAt(), err, want)
	}
}
