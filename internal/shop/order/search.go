package order

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

const (
	// maxSKUBytes limits the SKUs of an order under which it is found: an order has up to MaxItems items.
	maxSKUBytes = 2 << 10
	// maxCommentBytes limits the beginning of each comment, and of the note, under whose words an order is found.
	maxCommentBytes = 1 << 10
)

// searchWords returns the distinct words under which an order is found: its number, the words of the name and the
// e-mail address, the phone number without the plus, the whole e-mail address, the words of the comments, of the
// note and of the tags, the extra words of all these, and the words of the SKUs. The items must have been read.
func (o *Order) searchWords() (words []string) {
	seen := map[string]bool{}
	add := func(list ...string) {
		for _, w := range list {
			if w != "" && !seen[w] {
				seen[w] = true
				words = append(words, w)
			}
		}
	}
	if o.Number != nil {
		add(strconv.FormatInt(*o.Number, 10))
	}

	add(locale.Words(o.Contact.Name)...)
	add(strings.TrimPrefix(o.Contact.Phone, "+"), foldEmail(o.Contact.Email))

	// The last label of the domain, such as com, is a word of nearly all orders.
	add(locale.Words(strings.TrimRight(strings.TrimRightFunc(o.Contact.Email, isNotDot), "."))...)
	for _, text := range []string{o.Comment, o.Delivery.Comment, o.Note, strings.Join(o.Tags, " ")} {
		add(locale.Words(strings.ToValidUTF8(text[:min(len(text), maxCommentBytes)], ""))...)
	}
	add(store.ExtraWords(words, o.Contact.Phone)...)
	skuBytes := 0
	for i := range o.Items {
		if skuBytes += len(o.Items[i].SKU); skuBytes > maxSKUBytes {
			break
		}
		add(locale.Words(o.Items[i].SKU)...)
	}

	return words
}

// searchText returns the words of the order as its row stores them, each preceded by a space.
func (o *Order) searchText() string {
	var b strings.Builder
	for _, w := range o.searchWords() {
		b.WriteByte(' ')
		b.WriteString(w)
	}
	return b.String()
}

// foldEmail returns an e-mail address as a search compares it. Addresses are ASCII.
func foldEmail(email string) string { return strings.ToLower(email) }

func isNotDot(r rune) bool { return r != '.' }

// query is a parsed search: each of its words must begin some word of an order.
type query struct {
	store.Reading
	// number says that the search is an order number with a sign or a word before it, which is no phone number.
	number bool
}

// withPhoneEnd returns a query that also finds the orders whose phone numbers end in a number of four to nine digits.
func (q query) withPhoneEnd() query {
	if !q.number {
		q.Reading = q.WithPhoneEnd()
	}
	return q
}

// corrected returns the query with other words than those that no indexed order has: see store.Reading. It reports
// whether it differs.
func (q query) corrected(ctx context.Context, tx store.Tx) (_ query, changed bool, err error) {
	q.Reading, changed, err = q.Correct(ctx, tx, store.SearchedOrders)
	return q, changed, err
}

// numberPattern matches an order number as people write it, with a sign or a word before it.
var numberPattern = regexp.MustCompile(`^(?i:(?:order|заказ)\s*)?(?i:№|#|no\.)?\s*([0-9]{1,6})$`)

// parseQuery parses the text of a search. An order number may have a sign before it. A phone number may contain spaces
// and other separators. An e-mail address, or its beginning up to at least the @, is one word.
func parseQuery(text string) (q query) {
	if m := numberPattern.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		q.Words = []string{m[1]}
		q.number = m[0] != m[1]
		return q
	}
	if phone, err := contact.CheckPhone(text); err == nil {
		q.Words = []string{strings.TrimPrefix(phone, "+")}
		return q
	}

	for field := range strings.FieldsSeq(text) {
		if strings.Index(field, "@") > 0 {
			if email, err := contact.CheckEmail(field); err == nil {
				field = email // with the domain as addresses are stored
			}
			q.Words = append(q.Words, foldEmail(field))
			continue
		}

		for _, w := range locale.Words(field) {
			if len(w) > 1 {
				w = strings.TrimPrefix(w, "+") // of a phone number
			}
			q.Words = append(q.Words, w)
		}
	}

	slices.Sort(q.Words)
	q.Words = slices.Compact(q.Words)
	q.Nothing = len(q.Words) == 0 && strings.TrimSpace(text) != ""

	return q
}

// likePattern returns the LIKE pattern of a word, with the escape character !.
func likePattern(word string) string {
	return "% " + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(word) + "%"
}
