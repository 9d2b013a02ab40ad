package catalog

import (
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/rule"
)

// MaxBarcodes is the maximum number of barcodes of a variant, MaxBarcode the maximum length of one, in characters.
const (
	MaxBarcodes = 20
	MaxBarcode  = 64
)

// barcodeSeparator separates the barcodes of a variant in its column, in tables and in the form of a product. So no
// barcode contains it.
const barcodeSeparator = "|"

// Barcodes are the barcodes of a variant, each once, in the order in which they were sent. They are compared with ==.
type Barcodes string

// NewBarcodes returns the barcodes of a list, without checking them.
func NewBarcodes(list ...string) Barcodes { return Barcodes(strings.Join(list, barcodeSeparator)) }

// List returns the barcodes.
func (b Barcodes) List() []string {
	if b == "" {
		return nil
	}
	return strings.Split(string(b), barcodeSeparator)
}

// First returns the first barcode, or "" if there is none.
func (b Barcodes) First() string {
	first, _, _ := strings.Cut(string(b), barcodeSeparator)
	return first
}

// AppendJSON appends the list.
func (b Barcodes) AppendJSON(dst []byte) []byte {
	dst = append(dst, '[')
	for i, barcode := range b.List() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.AppendString(dst, barcode)
	}
	return append(dst, ']')
}

// CheckBarcode is the rule of a barcode: 1 to 64 characters, trimmed, on one line and without the separator.
func CheckBarcode(sent string) (string, *fault.Field) {
	barcode := strings.TrimSpace(sent)
	switch {
	case barcode == "":
		return "", fault.Broken("required", "A barcode may not be empty; 1 to %d characters are right.", MaxBarcode)
	case strings.Contains(barcode, barcodeSeparator) || rule.OneLine(barcode) != nil:
		return "", fault.Broken("invalid_characters",
			"A barcode is on one line and has no %s, which separates barcodes in tables.", barcodeSeparator)
	}
	return barcode, rule.Plain(barcode, MaxBarcode)
}

// barcodesOf returns a list as Barcodes. A barcode that is in the list twice is kept once.
func barcodesOf(list []string) (Barcodes, *fault.Field) {
	kept := make([]string, 0, min(len(list), MaxBarcodes))
	for _, sent := range list {
		barcode, broken := CheckBarcode(sent)
		if broken != nil {
			return "", broken
		}
		if !slices.Contains(kept, barcode) {
			kept = append(kept, barcode)
		}
		if len(kept) > MaxBarcodes {
			return "", fault.Broken("too_many", "A variant may have at most %d barcodes.", MaxBarcodes)
		}
	}
	return NewBarcodes(kept...), nil
}

// normalized returns the barcodes as they are stored, or the rule that they break.
func (b Barcodes) normalized() (Barcodes, *fault.Field) { return barcodesOf(b.List()) }

// readBarcodes reads a list of texts or numbers. Null is the same as an empty list.
func readBarcodes(r *wire.Reader) (Barcodes, bool) {
	if r.Null() {
		return "", true
	}

	var list []string
	failed := false
	ok := r.Array(func(int) {
		barcode, ok := wire.As(r, r.StringOrNumber, CheckBarcode)
		failed = failed || !ok
		if !failed && len(list) <= MaxBarcodes && !slices.Contains(list, barcode) {
			list = append(list, barcode)
		}
	})
	if !ok || failed {
		return "", false
	}

	barcodes, broken := barcodesOf(list)
	return barcodes, r.Check(broken)
}

// parseBarcodes returns the barcodes of a text in which they are separated by |.
func parseBarcodes(text string) (Barcodes, *fault.Field) {
	var list []string
	for part := range strings.SplitSeq(text, barcodeSeparator) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return barcodesOf(list)
}

// IsGTIN reports whether a barcode is a Global Trade Item Number: 8, 12, 13 or 14 digits, of which the last one is the
// check digit. Shops print codes of their own in the same form: see IsWorldwideGTIN.
func IsGTIN(barcode string) bool {
	switch len(barcode) {
	case 8, 12, 13, 14:
	default:
		return false
	}

	sum := 0
	for i := range len(barcode) {
		digit := int(barcode[len(barcode)-1-i]) - '0'
		if digit < 0 || digit > 9 {
			return false
		}
		if i%2 == 1 {
			digit *= 3
		}
		sum += digit
	}
	return sum%10 == 0
}

// localCodes are the beginnings of GTINs of 13 digits that are no products: 2, 02 and 04 are for codes that shops and
// accounting systems print themselves, the others for coupons.
var localCodes = []string{"2", "02", "04", "05", "981", "982", "983", "984", "99"}

// The numbers of digits of the shortest and of the longest GTINs.
const shortGTIN, longGTIN = 8, 14

// IsWorldwideGTIN reports whether a barcode is a GTIN that names the same thing everywhere. Marketplaces and search
// engines refuse offers with other codes.
func IsWorldwideGTIN(barcode string) bool {
	if !IsGTIN(barcode) {
		return false
	}
	if len(barcode) == shortGTIN {
		return barcode[0] != '0' && barcode[0] != '2'
	}
	code := strings.Repeat("0", longGTIN-len(barcode)) + barcode
	return !slices.ContainsFunc(localCodes, func(prefix string) bool {
		return strings.HasPrefix(code[1:], prefix) // the first digit of 14 says how it is packed
	})
}
