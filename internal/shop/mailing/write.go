package mailing

import (
	"cmp"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"vitrine/internal/shop/money"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// The maximum lengths of values, in characters, and of lines of an order that a mail lists.
const (
	maxLine       = 200
	maxSubject    = 200
	maxLongText   = 10_000
	maxOrderLines = 200
)

// writer writes the values of one mail in the language of a store.
type writer struct {
	shop  store.Store
	words words
	links links
}

// links are what the addresses in a mail are made of. Those that are "" are not known.
type links struct {
	// admin is the URL of the administration, orderPage the address of an order's page with a placeholder, and images
	// what stands before the path of a picture.
	admin, orderPage, images string
}

func newWriter(shop store.Store, l links) *writer {
	return &writer{shop: shop, words: wordsOf(shop.Language()), links: l}
}

func (s *Service) links(settings Settings) links {
	return links{admin: s.AdminURL, orderPage: settings.OrderPage, images: s.ImagesURL}
}

// message fills a template.
func (w *writer) message(to string, t Template, values map[string]value) notify.Message {
	shop := singleLine(w.shop.Name, maxLine/2)
	values[placeShop] = value{text: shop}
	if values[placeUnsubscribe] != (value{}) {
		t.Text = strings.TrimRight(t.Text, "\n") + "\n\n" + w.words.unsubscribe + ": {{" + placeUnsubscribe + "}}\n"
	}
	subject := cmp.Or(singleLine(fillText(t.Subject, values), maxSubject), shop)
	return notify.Message{To: to, From: shop, Subject: subject, Text: fillText(t.Text, values),
		HTML: fillHTML(t, subject, w.words.tag, values)}
}

// order returns the values of an order. What goes to a customer goes to whatever address somebody has written into the
// order, so the texts of that person must not make it an advertisement: those with links are left out.
func (w *writer) order(o *order.Order, toCustomer bool) map[string]value {
	line := func(text string) value { return value{text: singleLine(text, maxLine)} }
	if toCustomer {
		line = func(text string) value { return value{text: withoutLinks(singleLine(text, maxLine))} }
	}

	number := ""
	if o.Number != nil {
		number = strconv.FormatInt(*o.Number, 10)
	}
	values := map[string]value{
		placeNumber: {text: number}, placeName: line(o.Contact.Name), placePhone: line(o.Contact.Phone),
		placeEmail: line(o.Contact.Email), placeAddress: line(o.Delivery.Address),
		placeDeliveryComment: {text: longText(o.Delivery.Comment)}, placeComment: {text: longText(o.Comment)},
		placeTotal: {text: w.money(o.Total, o.Currency)}, placeLines: w.lines(o),
		placeAdministration: w.administration("/orders/" + o.ID.String()),
	}
	if o.SubmittedAt != nil {
		values[placeDate] = w.date(*o.SubmittedAt)
	}

	if w.links.orderPage != "" {
		page := strings.NewReplacer(numberPlaceholder, url.PathEscape(number), idPlaceholder, o.ID.String())
		values[placeOrderPage] = link(page.Replace(w.links.orderPage))
	}

	return values
}

// lines returns the lines of an order.
func (w *writer) lines(o *order.Order) value {
	var text []string
	var table strings.Builder
	table.WriteString(linesStart)
	listed := o.Items[:min(len(o.Items), maxOrderLines)]
	pictures := w.links.images != "" &&
		slices.ContainsFunc(listed, func(i order.Item) bool { return i.ThumbnailPath != "" })
	columns := 3
	if pictures {
		columns++
	}

	for i := range listed {
		item := &listed[i]
		name := singleLine(item.Name, maxLine)
		details := w.details(item, o.Currency)
		quantity := w.decimal(int64(item.Quantity), money.QuantityDecimals, 0)
		if unit := singleLine(item.Unit.Name, maxLine); unit != "" {
			quantity += " " + unit
		}

		price, total := w.price(item.Price, o.Currency), w.price(item.Total(), o.Currency)
		about := name
		if len(details) > 0 {
			about += " (" + strings.Join(details, ", ") + ")"
		}

		text = append(text, fmt.Sprintf("%s\n  %s × %s = %s", about, quantity, price, total))
		table.WriteString("<tr>")
		if pictures {
			w.writePicture(&table, item)
		}
		fmt.Fprintf(&table, `<td %s>%s`, cellStyle, html.EscapeString(name))
		if len(details) > 0 {
			fmt.Fprintf(&table, `<br><span %s>%s</span>`, quietStyle, html.EscapeString(strings.Join(details, ", ")))
		}
		fmt.Fprintf(&table, `</td><td %s>%s × %s</td><td %s>%s</td></tr>`, numberStyle, html.EscapeString(quantity),
			html.EscapeString(price), numberStyle, html.EscapeString(total))
	}

	if more := len(o.Items) - maxOrderLines; more > 0 {
		rest := w.words.moreLines(more)
		text = append(text, rest)
		fmt.Fprintf(&table, `<tr><td %s colspan="%d">%s</td></tr>`, cellStyle, columns, html.EscapeString(rest))
	}

	table.WriteString("</table>")
	return value{text: strings.Join(text, "\n"), html: table.String()}
}

// writePicture writes the cell with the picture of a line, which is empty if the product has none. The name stands
// beside it, so it has no text of its own.
func (w *writer) writePicture(table *strings.Builder, item *order.Item) {
	fmt.Fprintf(table, `<td %s>`, pictureCellStyle)
	if item.ThumbnailPath != "" {
		fmt.Fprintf(table, `<img src="%s" width="48" height="48" alt="" %s>`,
			html.EscapeString(w.links.images+item.ThumbnailPath), pictureStyle)
	}
	table.WriteString("</td>")
}

// details returns the SKU, the options and the modifiers of a line.
func (w *writer) details(item *order.Item, currency string) (list []string) {
	if item.SKU != "" {
		list = append(list, singleLine(item.SKU, maxLine))
	}
	for _, o := range item.OptionNames() {
		list = append(list, singleLine(o.Name+": "+o.Value, maxLine))
	}

	for _, m := range item.ModifierList() {
		text := singleLine(m.Name, maxLine)
		if m.Quantity > 1 {
			text += " × " + strconv.Itoa(int(m.Quantity))
		}
		if m.Price > 0 {
			text += " +" + w.money(m.Price, currency)
		}
		list = append(list, text)
	}
	return list
}

// inquiryTexts is a callback request or feedback.
type inquiryTexts struct {
	KindPath, ID, Name, Phone, Email, Message, PreferredTime string
	CreatedAt                                                time.Time
}

func (w *writer) inquiry(i inquiryTexts) map[string]value {
	return map[string]value{
		placeName: {text: singleLine(i.Name, maxLine)}, placePhone: {text: singleLine(i.Phone, maxLine)},
		placeEmail: {text: singleLine(i.Email, maxLine)}, placeMessage: {text: longText(i.Message)},
		placePreferredTime: {text: singleLine(i.PreferredTime, maxLine)}, placeDate: w.date(i.CreatedAt),
		placeAdministration: w.administration("/inquiries/" + i.ID),
	}
}

func (w *writer) failure(f Failure, at time.Time) map[string]value {
	return map[string]value{
		placeEntity: {text: singleLine(f.Entity, maxLine)}, placeProblem: {text: longText(f.Problem)},
		placeDate: w.date(at), placeAdministration: w.administration("/exchange"),
	}
}

// administration returns the address of a page of the administration, or nothing if it is not known.
func (w *writer) administration(path string) value {
	if w.links.admin == "" {
		return value{}
	}
	return link(w.links.admin + path)
}

func link(address string) value {
	escaped := html.EscapeString(address)
	return value{text: address, html: `<a href="` + escaped + `">` + escaped + `</a>`}
}

func (w *writer) date(at time.Time) value {
	return value{text: at.In(w.shop.Zone()).Format(w.words.date)}
}

func (w *writer) price(p money.Price, currency string) string {
	amount, ok := p.Amount()
	if !ok {
		return "—"
	}
	return w.money(amount, currency)
}

func (w *writer) money(amount money.Money, currency string) string {
	return w.decimal(int64(amount), money.MoneyDecimals, 2) + "\u00a0" + currency
}

// decimal returns a number of units of 10^-decimals, with at least some decimals unless it is whole.
func (w *writer) decimal(units int64, decimals, least int) string {
	digits := fmt.Sprintf("%0*d", decimals+1, units)
	whole, fraction := digits[:len(digits)-decimals], digits[len(digits)-decimals:]
	for len(fraction) > least && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}

	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + w.words.thousands + whole[i:]
	}

	if fraction == "" {
		return whole
	}
	return whole + w.words.point + fraction
}

// singleLine returns a text on one line without control and format characters, with at most limit characters.
func singleLine(text string, limit int) string {
	text = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsControl(c) || unicode.IsSpace(c):
			return ' '
		case unicode.Is(unicode.Cf, c) || c == unicode.ReplacementChar:
			return -1
		}
		return c
	}, text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return string(runes[:min(len(runes), limit)])
}

// longText returns a text of several lines without control and format characters but line breaks.
func longText(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, singleLine(line, maxLongText))
	}
	runes := []rune(strings.TrimSpace(strings.Join(lines, "\n")))
	return string(runes[:min(len(runes), maxLongText)])
}

// withoutLinks returns a text, or "" if it has an address of a page.
func withoutLinks(text string) string {
	if linkPattern.MatchString(text) {
		return ""
	}
	return text
}

// linkPattern finds what mail programs turn into links, and what they soon may.
var linkPattern = regexp.MustCompile(`(?i)://|www\.|@|[\p{L}\p{N}]\.(com|net|org|ru|su|by|kz|ua|info|biz|xyz|top|` +
	`site|online|shop|store|club|click|link|live|pro|app|dev|me|io|co|cc|tv|рф|рус)([^\p{L}\p{N}]|$)`)
