package contact

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	// maxEmail is how long an address can be where it is used (RFC 5321, a path less its brackets), maxLocalPart what stands before its @.
	maxEmail     = 254
	maxLocalPart = 64
	// maxInput is how long what somebody gives may be: a domain is shorter in ASCII than in most alphabets.
	maxInput = 1024
)

// domainIDNA maps names as for a lookup: small letters, punycode. Double hyphens are in use.
var domainIDNA = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.CheckHyphens(false), idna.VerifyDNSLength(true))

// CheckEmail reads an e-mail address that a user gave and returns it as it is written to: without space around it, its domain in small letters
// and in ASCII. What stands before the @ keeps its case, since servers may tell it apart; whoever looks people up by their address folds
// it. It is ASCII, at most 254 bytes long, and has nothing in it that means something else in a header or in SMTP: no quotes, no spaces,
// no brackets. Anything else is an Invalid fault, invalid_email, whose message says what would be right.
func CheckEmail(given string) (string, error) {
	if len(given) > maxInput {
		return "", emailTooLong()
	}
	address := strings.TrimSpace(given)
	at := strings.LastIndexByte(address, '@')
	switch {
	case address == "":
		return "", invalidContact(InvalidEmail, "An e-mail address is needed, such as name@example.com.")
	case strings.ContainsAny(address, "<>,;"):
		return "", invalidContact(InvalidEmail, "Give one e-mail address alone, such as name@example.com, without a name or brackets around it.")
	case at < 0:
		return "", invalidContact(InvalidEmail, "An e-mail address has an @ in it, such as name@example.com.")
	}
	local, domain := address[:at], address[at+1:]
	if !isLocalPart(local) {
		return "", invalidContact(InvalidEmail, "What stands before the @ must be 1 to %d Latin letters, digits and signs such as . _ + -, without spaces, "+
			"and with no dot at either end or beside another.", maxLocalPart)
	}
	domain, ok := asciiDomain(domain)
	if !ok {
		return "", invalidContact(InvalidEmail, "What stands after the @ must be the name of a domain with a dot in it, such as example.com.")
	}
	if address = local + "@" + domain; len(address) > maxEmail {
		return "", emailTooLong()
	}
	return address, nil
}

func emailTooLong() error {
	return invalidContact(InvalidEmail, "An e-mail address may have at most %d characters.", maxEmail)
}

// isLocalPart recognises atoms with single dots between them (RFC 5322, dot-atom).
func isLocalPart(local string) bool {
	if len(local) > maxLocalPart {
		return false
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" || strings.ContainsFunc(atom, isNotAtomChar) {
			return false
		}
	}
	return true
}

func isNotAtomChar(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", c)
}

// asciiDomain returns a domain in ASCII. A single name is one of somebody's own network, and one that ends in digits is an IPv4 address.
func asciiDomain(given string) (string, bool) {
	name, err := domainIDNA.ToASCII(given)
	if err != nil || !utf8.ValidString(given) || !strings.Contains(name, ".") {
		return "", false
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, isNotLabelChar) {
			return "", false
		}
		last = label
	}
	return name, strings.Trim(last, "0123456789") != ""
}

// isNotLabelChar recognises what no name in ASCII has.
func isNotLabelChar(c rune) bool {
	return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-'
}
