package store

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/rule"
)

// Defaults of a new store.
const (
	defaultName     = "My shop"
	defaultTimezone = "UTC"
	defaultLocale   = "en"
	defaultCurrency = "USD"
)

const (
	maxURL     = 2048 // bytes
	maxHost    = 253  // bytes, the limit of DNS
	maxOrigins = 100
	maxAddress = 500 // characters
)

// Edit is a partial update of a store: nil fields stay unchanged.
type Edit struct {
	Name, Timezone, Locale, Currency, SiteURL, Address *string
	Paths                                              PathsEdit
	CORSOrigins                                        *[]string
	PublicRemainders                                   *bool
	// OldPriceList is the price list whose prices are shown crossed out; the zero id is none.
	OldPriceList *PriceListID
}

// apply returns s with the edit applied, or an Invalid fault with every invalid field.
func (e Edit) apply(s Store) (Store, error) {
	var broken []fault.Field

	set := func(to *string, field string, from *string, check rule.Text) {
		if from == nil {
			return
		}

		value, bad := check(*from)
		if bad != nil {
			bad.Field = field
			broken = append(broken, *bad)
		}

		*to = value
	}

	set(&s.Name, "name", e.Name, checkStoreName)
	set(&s.Timezone, "timezone", e.Timezone, checkTimezone)
	set(&s.Locale, "locale", e.Locale, checkLocale)
	set(&s.Currency, "currency", e.Currency, CheckCurrency)
	set(&s.SiteURL, "site_url", e.SiteURL, CheckSiteURL)
	set(&s.Address, "address", e.Address, checkAddress)

	paths, bad := e.Paths.apply(s.Paths)
	broken = append(broken, bad...)
	s.Paths = paths

	if e.CORSOrigins != nil {
		origins, bad := checkOrigins(*e.CORSOrigins)
		broken = append(broken, bad...)
		s.CORSOrigins = origins
	}

	if e.PublicRemainders != nil {
		s.PublicRemainders = *e.PublicRemainders
	}

	if e.OldPriceList != nil {
		s.OldPriceList = e.OldPriceList
		if e.OldPriceList.IsZero() {
			s.OldPriceList = nil
		}
	}

	s.zone = nil
	return s, fault.Fields(broken)
}

// UnknownPriceList returns the broken rule of an id that no price list of the store has.
func UnknownPriceList() *fault.Field {
	return fault.Broken("unknown_price_list", "This store has no price list with this id.")
}

// CheckPriceList returns the broken rule of a price list that customers shall see prices of: the store must have it, in
// its own currency. The currency in is empty if the store does not have it.
func CheckPriceList(in, storeCurrency string) *fault.Field {
	if in == "" {
		return UnknownPriceList()
	}
	if in != storeCurrency {
		return fault.Broken("foreign_currency",
			"This price list is in %s and the store sells in %s; only a list in %s can be used here.", in,
			storeCurrency, storeCurrency)
	}
	return nil
}

// errListsInUse returns the Conflict fault for a change of the currency of a store whose customers get prices of lists.
func errListsInUse() error {
	return fault.New(fault.Conflict, "price_lists_in_use",
		"Customers of this store get prices of its price lists, which are in its currency. Take the price lists out "+
			"of the customer groups and out of the old prices first.")
}

func checkStoreName(name string) (string, *fault.Field) {
	name = strings.TrimSpace(name)
	if name == "" {
		return name, fault.Broken("required", "The name is empty; give it 1 to %d characters.", rule.MaxName)
	}
	if broken := rule.OneLine(name); broken != nil {
		return name, broken
	}
	if n := utf8.RuneCountInString(name); n > rule.MaxName {
		return name, fault.Broken("too_long", "The name has %d characters; at most %d are allowed.", n, rule.MaxName)
	}
	return name, nil
}

// checkAddress is the rule of the postal address of a store: lines of plain text.
func checkAddress(sent string) (string, *fault.Field) {
	text := strings.TrimSpace(strings.ReplaceAll(sent, "\r\n", "\n"))
	return text, rule.Plain(text, maxAddress)
}

func checkTimezone(name string) (string, *fault.Field) {
	if _, err := locale.Zone(name); err != nil {
		return name, fault.Broken("unknown_timezone",
			`This timezone is not known; use an IANA name such as "Europe/Berlin", "Asia/Almaty", `+
				`"America/New_York" or "UTC".`)
	}
	return name, nil
}

func checkLocale(tag string) (string, *fault.Field) {
	if _, err := locale.Parse(tag); err != nil {
		return tag, fault.Broken("unknown_locale", "This locale is not known; use one of %s.",
			strings.Join(locale.SupportedTags(), ", "))
	}
	return tag, nil
}

// CheckCurrency is the rule of a currency: an ISO 4217 code in upper case.
func CheckCurrency(code string) (string, *fault.Field) {
	if !isCurrency(code) {
		return code, fault.Broken("unknown_currency",
			`This currency is not known; use an ISO 4217 code in upper case such as "USD", "EUR", "RUB" or "KZT".`)
	}
	return code, nil
}

func isCurrency(code string) bool {
	switch code {
	case "XXX", "XTS": // "no currency" and "for testing"
		return false
	case "MRU", "SLE", "UYW", "VED", "VES", "XCG", "ZWG": // newer than the table of x/text, which is CLDR 32 of 2017
		return true
	}
	// ParseISO accepts lower case, too; codes must be in upper case.
	unit, err := currency.ParseISO(code)
	return err == nil && unit.String() == code
}

// CheckSiteURL validates the URL of a store's site and returns it unchanged. If it is invalid, CheckSiteURL also
// returns a field error without its Field, which the caller sets. The empty URL is valid.
func CheckSiteURL(text string) (string, *fault.Field) {
	if text == "" {
		return text, nil
	}

	bad := func(reason string) (string, *fault.Field) {
		return text, fault.Broken("invalid_url",
			`%s; write an absolute address such as "https://shop.example", or leave it empty.`, reason)
	}
	if len(text) > maxURL {
		return text, fault.Broken("too_long", "The address has %d bytes; at most %d are allowed.", len(text), maxURL)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isBlankOrControl) {
		return bad("The address holds blanks or control characters")
	}

	u, err := url.Parse(text)
	switch {
	case err != nil:
		return bad("This is not an address")
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("The address does not begin with https:// or http://")
	case u.User != nil:
		return bad("The address holds a user name or password")
	case strings.Contains(text, "#"):
		return bad("The address has a fragment (#…)")
	case !isHost(u, false):
		return bad("The host of the address is not valid")
	}

	return text, nil
}

// isHost reports whether the host of u is valid: an IP address or dotted labels, and no port or one from 1 to 65535. If
// ascii is true, labels must be ASCII. url.Parse alone accepts port 99999, empty hosts and zero-width characters.
func isHost(u *url.URL, ascii bool) bool {
	name := u.Hostname()
	if name == "" || len(name) > maxHost {
		return false
	}
	if strings.HasSuffix(u.Host, ":") {
		return false
	}

	if port := u.Port(); port != "" {
		n, err := strconv.Atoi(port)
		if err != nil || n < 1 || n > 65535 || port[0] == '0' {
			return false
		}
	}

	if strings.HasPrefix(u.Host, "[") {
		return isIPv6(name)
	}

	for label := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
		if label == "" || strings.ContainsFunc(label, func(r rune) bool { return !isHostRune(r, ascii) }) {
			return false
		}
	}

	return true
}

func isHostRune(r rune, ascii bool) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
		return true
	}
	return !ascii && r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

func isBlankOrControl(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
