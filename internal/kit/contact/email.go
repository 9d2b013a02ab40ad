package contact

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	// maxEmail is the maximum length of an address in bytes: RFC 5321 allows 256 for a path, which includes two
	// brackets. maxLocalPart is the maximum length of the part before the @.
	maxEmail     = 254
	maxLocalPart = 64
	// maxInput is the maximum length of the input in bytes. It is larger than maxEmail, because the ASCII form of a
	// domain may be shorter than its Unicode form.
	maxInput = 1024
)

// domainIDNA converts domain names to ASCII as for a DNS lookup: lower case, punycode. Double hyphens are allowed,
// since real domains have them.
var domainIDNA = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.CheckHyphens(false),
	idna.VerifyDNSLength(true))

// CheckEmail parses an e-mail address that a user gave and returns its normalized form: trimmed, with the domain in
// lower case and in ASCII. The part before the @ keeps its case, because mail servers may distinguish upper and lower
// case; code that looks up people by address folds it. The result is ASCII of at most 254 bytes without quotes, spaces
// and brackets, so it has no special meaning in a mail header or in SMTP. For an invalid address CheckEmail returns an
// Invalid fault with the code invalid_email and a message that says what is expected.
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
		return "", invalidContact(InvalidEmail,
			"Give one e-mail address alone, such as name@example.com, without a name or brackets around it.")
	case at < 0:
		return "", invalidContact(InvalidEmail, "An e-mail address has an @ in it, such as name@example.com.")
	}

	local, domain := address[:at], address[at+1:]
	if !isLocalPart(local) {
		return "", invalidContact(InvalidEmail,
			"What stands before the @ must be 1 to %d Latin letters, digits and signs such as . _ + -, without "+
				"spaces, and with no dot at either end or beside another.", maxLocalPart)
	}

	domain, ok := asciiDomain(domain)
	if !ok {
		return "", invalidContact(InvalidEmail,
			"What stands after the @ must be the name of a domain with a dot in it, such as example.com.")
	}

	if address = local + "@" + domain; len(address) > maxEmail {
		return "", emailTooLong()
	}

	return address, nil
}

func emailTooLong() error {
	return invalidContact(InvalidEmail, "An e-mail address may have at most %d characters.", maxEmail)
}

// isLocalPart reports whether local consists of atoms with single dots between them (dot-atom of RFC 5322).
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
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') &&
		!strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", c)
}

// asciiDomain returns a domain in ASCII. It refuses a name without a dot, which is local to a network, and a name whose
// last label consists of digits, as in an IPv4 address.
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

// isNotLabelChar reports whether c must not occur in a label of an ASCII domain.
func isNotLabelChar(c rune) bool {
	return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-'
}
