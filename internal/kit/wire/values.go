package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
)

// As reads a text with the function read, such as r.String, and applies a rule to it. The rule returns the value of the
// text, or the broken rule, which is recorded at the current path:
//
//	name, ok := wire.As(r, r.StringOrNumber, rule.Name)
func As[T any](
	r *Reader, read func() (string, bool), rule func(text string) (T, *fault.Field),
) (value T, ok bool) {
	text, ok := read()
	if !ok {
		return value, false
	}
	value, broken := rule(text)
	return value, r.Check(broken)
}

// CheckText returns the rule that a text breaks which is not UTF-8 or has a control character other than tab and
// newline, or nil. All strings that a Reader returns keep this rule.
func CheckText(text string) *fault.Field {
	if !utf8.ValidString(text) {
		return fault.Broken("invalid_characters", "This text is not UTF-8.")
	}
	return checkCharacters(text)
}

// checkCharacters is CheckText for a text that is UTF-8.
func checkCharacters(text string) *fault.Field {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < 0x20 && c != '\t' && c != '\n' {
			return fault.Broken("control_character",
				"A text may hold no control character other than tab and newline; this one has U+%04X.", c)
		}
	}
	return nil
}

// ID reads a string with a UUID.
func ID[Thing any](r *Reader) (id.Of[Thing], bool) { return As(r, r.String, ParseID[Thing]) }

// ParseID returns the id that a text is, or the broken rule.
func ParseID[Thing any](text string) (id.Of[Thing], *fault.Field) {
	i, err := id.Parse[Thing](text)
	if err != nil {
		return id.Of[Thing]{}, fault.Broken("invalid_id",
			"This must be a UUID, such as 01890a5d-ac96-774b-bcce-b302099a8057.")
	}
	return i, nil
}

// OrNil returns a pointer to a value that was read, or nil if it is not ok. It is for the members of an edit:
//
//	e.Name = wire.OrNil(r.String())
func OrNil[T any](value T, ok bool) *T {
	if !ok {
		return nil
	}
	return &value
}

// Fixed reads a number as units of 10^-decimals. It may have at most decimals places after the decimal point. The
// parameter digits is the maximum number of places before it.
func (r *Reader) Fixed(decimals, digits int) (int64, bool) {
	return As(r, r.Number, func(text string) (int64, *fault.Field) { return ParseFixed(text, decimals, digits) })
}

const (
	moreDecimals = "this one has more decimals"
	moreDigits   = "this one has more digits"
)

func fixedOutOfRange(decimals, digits int, reason string) *fault.Field {
	return fault.Broken("out_of_range",
		"A number with at most %d digits before the point and %d decimals is expected; %s.", digits, decimals, reason)
}

// CheckFixed returns the broken rule of a number that ParseFixed would refuse, given in units of 10^-decimals, or nil.
func CheckFixed(units int64, decimals, digits int) *fault.Field {
	limit := int64(1)
	for range decimals + digits {
		limit *= 10
	}
	if -limit < units && units < limit {
		return nil
	}
	return fixedOutOfRange(decimals, digits, moreDigits)
}

// ParseFixed converts the text of a JSON number to units of 10^-decimals. The parameters decimals and digits are the
// maximum numbers of places after and before the decimal point. A number with more places breaks a rule. The sum of the
// parameters must not exceed 18, so that the result fits an int64.
func ParseFixed(s string, decimals, digits int) (int64, *fault.Field) {
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
		return 0, fixedOutOfRange(decimals, digits, moreDigits)
	}
	if len(all)-point > decimals {
		return 0, fixedOutOfRange(decimals, digits, moreDecimals)
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
