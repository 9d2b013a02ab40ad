package commerceml

import (
	"bufio"
	"encoding/xml"
	"io"
	"strings"
	"time"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// Order is an order as 1C gets it. Amounts and quantities are plain decimal numbers.
type Order struct {
	ID, Number string
	// At is the time of the submission in the store's timezone.
	At                   time.Time
	Currency, Total      string
	Comment              string
	CustomerID           string
	Name, Phone, Email   string
	Address              string
	State                string // as people read it
	Cancelled, Confirmed bool
	Lines                []OrderLine
}

// OrderLine is a line of an order. ID is the id of the offer. The price includes the tax and the modifiers. A line
// whose unit is not known is in pieces.
type OrderLine struct {
	ID, Barcode, SKU, Name string
	Unit                   catalog.Unit
	VATRate                money.VATRate
	Price, Quantity, Total string
	// Tax is the tax that Total includes, if VATRate is known.
	Tax string
	// Properties are what was chosen in the line, such as its modifiers, with different names.
	Properties []LineProperty
}

// LineProperty is a property of a line of an order.
type LineProperty struct{ Name, Value string }

// linePropertyPrefix begins the names of requisites of lines that 1C does not know, as Bitrix writes them. It keeps the
// name of a property from being that of a requisite that 1C knows, such as ТипНоменклатуры.
const linePropertyPrefix = "СвойствоКорзины#"

// pieces is the unit of lines whose unit is not known.
const pieces = `<БазоваяЕдиница Код="796" НаименованиеПолное="Штука" МеждународноеСокращение="PCE">шт</БазоваяЕдиница>`

// OrderWriter writes a file with orders.
type OrderWriter struct {
	w   *bufio.Writer
	err error
}

// NewOrderWriter writes the beginning of a file.
func NewOrderWriter(w io.Writer, now time.Time) *OrderWriter {
	o := &OrderWriter{w: bufio.NewWriter(w)}
	o.raw(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<КоммерческаяИнформация ВерсияСхемы="2.10" ДатаФормирования="` + now.Format("2006-01-02T15:04:05") + `">` +
		"\n")
	return o
}

// Close writes the end of the file.
func (o *OrderWriter) Close() error {
	if o.raw("</КоммерческаяИнформация>\n"); o.err != nil {
		return o.err
	}
	return o.w.Flush()
}

func (o *OrderWriter) raw(text string) {
	if o.err == nil {
		_, o.err = o.w.WriteString(text)
	}
}

// leaf writes an element with a text.
func (o *OrderWriter) leaf(name, text string) {
	o.raw("<" + name + ">")
	o.escaped(text)
	o.raw("</" + name + ">\n")
}

func (o *OrderWriter) escaped(text string) {
	if o.err == nil {
		o.err = xml.EscapeText(o.w, []byte(text))
	}
}

// optional writes an element if it has a text.
func (o *OrderWriter) optional(name, text string) {
	if text != "" {
		o.leaf(name, text)
	}
}

func (o *OrderWriter) requisite(name, value string) {
	o.raw("<ЗначениеРеквизита>")
	o.leaf("Наименование", name)
	o.leaf("Значение", value)
	o.raw("</ЗначениеРеквизита>\n")
}

// Write writes an order. Its elements are in the order of the schema of CommerceML 2.
func (o *OrderWriter) Write(order Order) error {
	o.raw("<Документ>\n")
	o.leaf("Ид", order.ID)
	o.leaf("Номер", order.Number)
	o.leaf("Дата", order.At.Format("2006-01-02"))
	o.leaf("ХозОперация", "Заказ товара")
	o.leaf("Роль", "Продавец")
	o.leaf("Валюта", order.Currency)
	o.leaf("Курс", "1")
	o.leaf("Сумма", order.Total)
	o.customer(order)
	o.leaf("Время", order.At.Format("15:04:05"))
	o.optional("Комментарий", order.Comment)
	o.raw("<Товары>\n")

	for _, line := range order.Lines {
		o.line(line)
	}

	o.raw("</Товары>\n<ЗначенияРеквизитов>\n")
	o.requisite("Статус заказа", order.State)
	o.requisite("Отменен", yesNo(order.Cancelled))
	o.requisite("Заказ подтвержден", yesNo(order.Confirmed))
	o.optionalRequisite("Адрес доставки", order.Address)
	o.raw("</ЗначенияРеквизитов>\n</Документ>\n")

	return o.err
}

func (o *OrderWriter) optionalRequisite(name, value string) {
	if value != "" {
		o.requisite(name, value)
	}
}

func yesNo(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func (o *OrderWriter) customer(order Order) {
	name := firstOf(order.Name, order.Email, order.Phone, "Покупатель")
	o.raw("<Контрагенты>\n<Контрагент>\n")
	o.leaf("Ид", firstOf(order.CustomerID, order.ID))
	o.leaf("Наименование", name)
	o.leaf("ПолноеНаименование", name)

	if order.Address != "" {
		o.raw("<Адрес>")
		o.leaf("Представление", order.Address)
		o.raw("</Адрес>\n")
	}

	if order.Phone != "" || order.Email != "" {
		o.raw("<Контакты>\n")
		o.contact("Почта", order.Email)
		o.contact("Телефон рабочий", order.Phone)
		o.raw("</Контакты>\n")
	}

	o.leaf("Роль", "Покупатель")
	o.raw("</Контрагент>\n</Контрагенты>\n")
}

func (o *OrderWriter) contact(kind, value string) {
	if value == "" {
		return
	}
	o.raw("<Контакт>")
	o.leaf("Тип", kind)
	o.leaf("Значение", value)
	o.raw("</Контакт>\n")
}

func (o *OrderWriter) line(line OrderLine) {
	o.raw("<Товар>\n")
	o.leaf("Ид", line.ID)
	o.optional(barcodeElement, line.Barcode)
	o.optional("Артикул", line.SKU)
	o.leaf("Наименование", line.Name)
	o.unit(line.Unit)
	o.taxRate(line.VATRate)

	o.raw("<ЗначенияРеквизитов>\n")
	o.requisite("ВидНоменклатуры", "Товар")
	o.requisite("ТипНоменклатуры", "Товар")
	for _, p := range line.Properties {
		o.requisite(linePropertyPrefix+p.Name, p.Value)
	}
	o.raw("</ЗначенияРеквизитов>\n")
	o.leaf("ЦенаЗаЕдиницу", line.Price)
	o.leaf("Количество", line.Quantity)
	o.leaf("Сумма", line.Total)
	o.tax(line)
	o.raw("</Товар>\n")
}

func (o *OrderWriter) unit(unit catalog.Unit) {
	if unit == (catalog.Unit{}) {
		o.raw(pieces + "\n")
		return
	}

	o.raw("<БазоваяЕдиница")
	o.attribute("Код", unit.Code)
	o.attribute("НаименованиеПолное", unit.Name)
	o.raw(">")
	o.escaped(unit.Name)
	o.raw("</БазоваяЕдиница>\n")
}

// attribute writes an attribute if it has a text.
func (o *OrderWriter) attribute(name, text string) {
	if text != "" {
		o.raw(" " + name + `="`)
		o.escaped(text)
		o.raw(`"`)
	}
}

// taxRate writes the rate that the good has in 1C.
func (o *OrderWriter) taxRate(rate money.VATRate) {
	if rate.IsSet() {
		o.raw("<СтавкиНалогов><СтавкаНалога>")
		o.leaf("Наименование", valueAddedTax)
		o.leaf("Ставка", rate.Text())
		o.raw("</СтавкаНалога></СтавкиНалогов>\n")
	}
}

// valueAddedTax is the name of the tax.
const valueAddedTax = "НДС"

// tax writes the tax that the total of a line includes.
func (o *OrderWriter) tax(line OrderLine) {
	if line.VATRate.IsSet() {
		o.raw("<Налоги><Налог>")
		o.leaf("Наименование", valueAddedTax)
		o.leaf("УчтеноВСумме", "true")
		o.leaf("Сумма", line.Tax)
		o.leaf("Ставка", line.VATRate.Text())
		o.raw("</Налог></Налоги>\n")
	}
}

// OrderState is a state of orders that 1C can choose from.
type OrderState struct{ ID, Name string }

// WriteStates writes the states of orders as a Справочник, in answer to the button of 1C that loads them. Bitrix writes
// the name of the list with a Latin C, and versions of 1C look for either.
func WriteStates(w io.Writer, states []OrderState) error {
	o := &OrderWriter{w: bufio.NewWriter(w)}
	o.raw(`<?xml version="1.0" encoding="UTF-8"?>` + "\n<Справочник>\n")
	for _, list := range []string{"Статусы", "Cтатусы"} {
		o.raw("<" + list + ">\n")
		for _, state := range states {
			o.raw("<Элемент>")
			o.leaf("Ид", state.ID)
			o.leaf("Название", state.Name)
			o.raw("</Элемент>\n")
		}
		o.raw("</" + list + ">\n")
	}

	o.raw("<ПлатежныеСистемы/>\n<СлужбыДоставки/>\n</Справочник>\n")
	if o.err != nil {
		return o.err
	}
	return o.w.Flush()
}

// SameText reports whether two texts are equal but for case, spaces and the letter ё.
func SameText(a, b string) bool {
	fold := func(text string) string { return strings.ReplaceAll(normalize(text), "ё", "е") }
	return fold(a) == fold(b)
}
