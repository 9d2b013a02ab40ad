package order

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
)

// The maximum lengths of what the shop adds to an order, in characters, and the maximum number of its tags.
const (
	MaxNote      = 10_000
	MaxTags      = 20
	MaxTag       = 40
	MaxTracking  = 100
	MaxTrackLink = 1000
)

// Tracking says how the goods of an order travel. Unknown members are empty. The URL shows where they are.
type Tracking struct{ Number, Carrier, URL string }

// Update is a change that the shop makes to a submitted order. Members that are nil leave the order's value unchanged.
type Update struct {
	Note     *string
	Tags     *[]string
	Tracking *Tracking
	// PaidAt is when the order was paid; the zero time if it is not.
	PaidAt *time.Time
	// PaymentNumber is the number of the payment in accounting.
	PaymentNumber *string

	// These change an order only while it is submitted or confirmed. The phone number and the e-mail address are empty
	// or normalized by package contact. Lines that are not named stay as they are.
	Contact  ContactEdit
	Delivery DeliveryEdit
	Comment  *string
	Lines    []LineUpdate
}

// edits reports whether the update changes what the customer has ordered, or for whom.
func (u *Update) edits() bool { return len(u.Lines) > 0 || u.draft() != (Edit{}) }

// handles reports whether the update sets the shop's note, or that the order is paid.
func (u *Update) handles() bool { return u.Note != nil || u.PaidAt != nil }

// draft returns the texts as an edit of a draft.
func (u *Update) draft() Edit {
	return Edit{Contact: u.Contact, Delivery: u.Delivery, Comment: u.Comment}
}

// TagsOf splits a text with commas into tags.
func TagsOf(text string) []string {
	tags := []string{}
	for tag := range strings.SplitSeq(text, ",") {
		if tag = oneLine(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// checked returns the update with normalized texts, or fault.Invalid with a field for each broken rule.
func (u Update) checked() (Update, error) {
	var broken rule.Violations
	if u.Note != nil {
		u.Note = new(strings.TrimSpace(*u.Note))
		broken.Check("", "note", rule.Length(*u.Note, MaxNote))
	}

	if u.Tags != nil {
		tags := distinctTags(*u.Tags)
		u.Tags = &tags
		broken.Check("", "tags", checkTags(tags))
	}

	if u.Tracking != nil {
		t := Tracking{oneLine(u.Tracking.Number), oneLine(u.Tracking.Carrier), strings.TrimSpace(u.Tracking.URL)}
		u.Tracking = &t
		broken.Check("tracking", "number", rule.Plain(t.Number, MaxTracking))
		broken.Check("tracking", "carrier", rule.Plain(t.Carrier, MaxTracking))
		broken.Check("tracking", "url", cmp.Or(rule.Plain(t.URL, MaxTrackLink), checkTrackingURL(t.URL)))
	}

	for _, text := range []struct {
		object, member string
		value          *string
		limit          int
	}{
		{"contact", "name", u.Contact.Name, MaxName}, {"delivery", "address", u.Delivery.Address, MaxAddress},
		{"delivery", "comment", u.Delivery.Comment, MaxComment}, {"", "comment", u.Comment, MaxComment},
	} {
		if text.value != nil {
			broken.Check(rule.FieldPath(text.object), text.member, rule.Plain(*text.value, text.limit))
		}
	}

	return u, broken.Fault()
}

// distinctTags returns the tags without blanks around them, without empty ones and without repetitions.
func distinctTags(sent []string) []string {
	tags := []string{}
	seen := map[string]bool{}
	for _, tag := range sent {
		tag = oneLine(tag)
		if folded := foldTag(tag); tag != "" && !seen[folded] {
			seen[folded] = true
			tags = append(tags, tag)
		}
	}
	return tags
}

// oneLine returns a text with one space between its words.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// foldTag returns a tag as tags are compared.
func foldTag(tag string) string { return locale.Fold(tag) }

func checkTags(tags []string) *fault.Field {
	if len(tags) > MaxTags {
		return fault.Broken("too_many", "An order may have at most %d tags; this one would have %d.", MaxTags,
			len(tags))
	}
	for _, tag := range tags {
		if strings.Contains(tag, ",") {
			return fault.Broken("invalid", "A tag has no comma in it: commas separate tags.")
		}
		if broken := rule.Plain(tag, MaxTag); broken != nil {
			return broken
		}
	}
	return nil
}

func checkTrackingURL(text string) *fault.Field {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil {
		return fault.Broken("invalid_url", "This must be an address such as https://carrier.example/track/42.")
	}
	return nil
}

// apply sets the members of o that are not nil in the update, except the lines. The payment is at a whole microsecond.
func (u *Update) apply(o *Order) {
	e := u.draft()
	e.apply(o)
	if u.Note != nil {
		o.Note = *u.Note
	}

	if u.Tags != nil {
		o.Tags = *u.Tags
	}

	if u.Tracking != nil {
		o.Tracking = *u.Tracking
	}

	switch {
	case u.PaidAt == nil:
	case u.PaidAt.IsZero():
		o.PaidAt = nil
	default:
		o.PaidAt = new(u.PaidAt.UTC().Truncate(time.Microsecond))
	}

	if u.PaymentNumber != nil {
		o.PaymentNumber = *u.PaymentNumber
	}
}

// noteChange returns what the log says about the note of an order that was before; nil if it is the same.
func (o *Order) noteChange(before *Order) []audit.Change {
	return audit.AppendChange(nil, "note", before.Note, o.Note)
}

// changesSince returns what the log says about the members, without the note, of an order that was before.
func (o *Order) changesSince(before *Order) (changes []audit.Change) {
	add := func(field, from, to string) { changes = audit.AppendChange(changes, field, from, to) }

	add("tags", strings.Join(before.Tags, ", "), strings.Join(o.Tags, ", "))
	add("tracking.number", before.Tracking.Number, o.Tracking.Number)
	add("tracking.carrier", before.Tracking.Carrier, o.Tracking.Carrier)
	add("tracking.url", before.Tracking.URL, o.Tracking.URL)
	add("paid_at", momentText(before.PaidAt), momentText(o.PaidAt))
	add("payment_number", before.PaymentNumber, o.PaymentNumber)

	add("contact.name", before.Contact.Name, o.Contact.Name)
	add("contact.phone", before.Contact.Phone, o.Contact.Phone)
	add("contact.email", before.Contact.Email, o.Contact.Email)
	add("delivery.address", before.Delivery.Address, o.Delivery.Address)
	add("delivery.comment", before.Delivery.Comment, o.Delivery.Comment)
	add("comment", before.Comment, o.Comment)

	changes = append(changes, lineTexts(before.Items, o.Items)...)
	add("total", amountText(before.Total), amountText(o.Total))
	return changes
}

// amountText returns an amount of money for the log.
func amountText(amount money.Money) string { return money.NewPrice(amount).Text() }

// momentText returns a time for the log, or "" for nil.
func momentText(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// sameTags reports whether lists have the same folded tags, in any order.
func sameTags(a, b []string) bool { return slices.Equal(foldedTags(a), foldedTags(b)) }

// foldedTags returns the tags as they are compared, sorted.
func foldedTags(tags []string) []string {
	folded := make([]string, len(tags))
	for i, tag := range tags {
		folded[i] = foldTag(tag)
	}
	slices.Sort(folded)
	return folded
}
