package wire

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
)

// MaxName is the maximum length of a name in characters.
const MaxName = 255

// Name reads a name: a string or a number, trimmed, of 1 to 255 characters. A number is returned as written.
func (r *Reader) Name() (string, bool) {
	s, ok := r.Label()
	if ok && s == "" {
		r.Failf("required", "A name may not be empty; 1 to %d characters are right.", MaxName)
		return "", false
	}
	return s, ok
}

// Label reads a string or a number of at most 255 characters and trims it. Unlike a name, a label may be empty.
func (r *Reader) Label() (string, bool) {
	s, ok := r.StringOrNumber()
	s = strings.TrimSpace(s)
	return s, ok && r.checkLength(s, MaxName)
}

// Text reads a string of at most limit characters.
func (r *Reader) Text(limit int) (string, bool) {
	s, ok := r.String()
	return s, ok && r.checkLength(s, limit)
}

func (r *Reader) checkLength(s string, limit int) bool {
	if len(s) > limit && utf8.RuneCountInString(s) > limit {
		r.Failf("too_long", "This has %d characters; at most %d are allowed.", utf8.RuneCountInString(s), limit)
		return false
	}
	return true
}

// ExternalID reads an identifier of another system: a string or an integer, trimmed, of 1 to 255 characters. It returns
// the same text for 7 and "7".
func (r *Reader) ExternalID() (string, bool) {
	number := r.err == nil && r.dec.PeekKind() == '0'
	s, ok := r.StringOrNumber()
	if !ok {
		return "", false
	}
	if number && strings.ContainsAny(s, ".eE") {
		r.Failf("wrong_type", "An external id is a string or a whole number.")
		return "", false
	}
	s = strings.TrimSpace(s)
	if s == "" {
		r.Failf("required", "An external id may not be empty.")
		return "", false
	}
	return s, r.checkLength(s, MaxName)
}

// ID reads a string with a UUID.
func ID[Thing any](r *Reader) (id.Of[Thing], bool) {
	s, ok := r.String()
	if !ok {
		return id.Of[Thing]{}, false
	}
	i, err := id.Parse[Thing](s)
	if err != nil {
		r.Failf("invalid_id", "This must be a UUID, such as 01890a5d-ac96-774b-bcce-b302099a8057.")
		return id.Of[Thing]{}, false
	}
	return i, true
}

// OrNil returns a pointer to a value that was read, or nil if it is not ok. It is for the members of an edit:
//
//	e.Name = wire.OrNil(r.Name())
func OrNil[T any](value T, ok bool) *T {
	if !ok {
		return nil
	}
	return &value
}

// Fixed reads a number as units of 10^-decimals. It may have at most decimals places after the decimal point. The
// parameter digits is the maximum number of places before it.
func (r *Reader) Fixed(decimals, digits int) (int64, bool) {
	s, ok := r.Number()
	if !ok {
		return 0, false
	}
	v, err := ParseFixed(s, decimals, digits)
	if err != nil {
		r.Failf("out_of_range", "A number with at most %d digits before the point and %d decimals is expected; %s.",
			digits, decimals, err)
		return 0, false
	}
	return v, true
}

var (
	errDecimals = errors.New("this one has more decimals")
	errDigits   = errors.New("this one has more digits")
)

// ParseFixed converts the text of a JSON number to units of 10^-decimals. The parameters decimals and digits are the
// maximum numbers of places after and before the decimal point. A number with more places is an error. The sum of the
// parameters must not exceed 18, so that the result fits an int64.
func ParseFixed(s string, decimals, digits int) (int64, error) {
	negative := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	mantissa := s
	exponent := 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		exponent = parseExponent(s[i+1:])
	}

	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	point := len(whole) + exponent // the index of the decimal point in the string all
	all = strings.TrimRight(all, "0")
	lead := len(all) - len(strings.TrimLeft(all, "0"))
	all = all[lead:]
	point -= lead
	if all == "" {
		return 0, nil
	}

	if point > digits {
		return 0, errDigits
	}
	if len(all)-point > decimals {
		return 0, errDecimals
	}

	var v int64
	for i := range point + decimals {
		v *= 10
		if i < len(all) {
			v += int64(all[i] - '0')
		}
	}

	if negative {
		v = -v
	}

	return v, nil
}

// parseExponent parses an exponent and limits it to ±999999999. A larger one has the same effect: no token is long
// enough to hold the zeros that would compensate for it.
func parseExponent(s string) int {
	n, _ := strconv.Atoi(s) // the only error is that of an exponent out of range, for which n is the nearest int
	return max(-999_999_999, min(n, 999_999_999))
}

// AppendFixed appends v, in units of 10^-decimals, as a JSON number without trailing zeros.
func AppendFixed(dst []byte, v int64, decimals int) []byte {
	u := uint64(v)
	if v < 0 {
		dst = append(dst, '-')
		u = -u
	}

	var digits [24]byte
	i := len(digits)
	for n := 0; u > 0 || n <= decimals; n++ {
		i--
		digits[i] = byte('0' + u%10)
		u /= 10
	}

	text := digits[i:]
	point := len(text) - decimals
	fraction := strings.TrimRight(string(text[point:]), "0")
	dst = append(dst, text[:point]...)
	if fraction != "" {
		dst = append(dst, '.')
		dst = append(dst, fraction...)
	}

	return dst
}

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	// AppendQuote fails only for invalid UTF-8, and then writes replacement characters. Stored strings are valid UTF-8.
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// maxListBytes limits the memory of all lists of a document. An element may be much shorter in JSON than in memory: {}
// is a variant. listGrowth allows for the room that append leaves, and for the list that it copies.
const (
	maxListBytes = 32 << 20
	listGrowth   = 2
)

// List reads a list. It returns nil if the value is not a list. It keeps no element after one that breaks a rule: the
// document is refused.
func List[T any](r *Reader, read func(*Reader) T) *[]T {
	list := []T{}
	keeps := r.KeepsElements()
	if !r.Array(func(int) {
		if one := read(r); keeps() && r.takeRoom(int64(unsafe.Sizeof(one))) {
			list = append(list, one)
		}
	}) {
		return nil
	}
	return &list
}

// ListUpTo is like List for a list of at most limit elements. A longer one breaks the rule "too_many". Its caller may
// then report on each element.
func ListUpTo[T any](r *Reader, limit int, read func(*Reader) T) *[]T {
	n := 0
	return List(r, func(r *Reader) (one T) {
		if n++; n <= limit {
			return read(r)
		}
		if n == limit+1 {
			r.Failf("too_many", "At most %d elements are allowed in this list.", limit)
		}
		r.Skip()
		return one
	})
}

// KeepsElements is for a caller that collects the elements of a list itself. It returns a function that reports whether
// the element that was just read is to be kept: no rule was broken since KeepsElements was called.
func (r *Reader) KeepsElements() func() bool {
	before := len(r.fields)
	return func() bool { return r.err == nil && len(r.fields) == before && before < MaxFields }
}

// SetRoom makes the reader call take before lists take memory, with the bytes of all of them together. An error of take
// ends the reading.
func (r *Reader) SetRoom(take func(total int64) error) { r.take = take }

// roomStep is how many bytes the reader asks for at a time.
const roomStep = 64 << 10

// takeRoom counts an element of a list before it is kept. It reports whether there is room for it.
func (r *Reader) takeRoom(bytes int64) bool {
	if r.listBytes += listGrowth * bytes; r.listBytes > maxListBytes {
		r.Stop(fault.New(fault.TooLarge, "too_many_elements",
			"The lists of the body have too many elements; send it in smaller parts."))
		return false
	}
	if r.take == nil || r.listBytes <= r.taken {
		return true
	}
	r.taken = (r.listBytes + roomStep - 1) / roomStep * roomStep
	if err := r.take(r.taken); err != nil {
		r.Stop(err)
		return false
	}
	return true
}

// ExternalIDOrNull reads an external id or null. It returns "" for null, and nil if the value is neither.
func (r *Reader) ExternalIDOrNull() *string {
	if r.Null() {
		return new("")
	}
	return OrNil(r.ExternalID())
}
