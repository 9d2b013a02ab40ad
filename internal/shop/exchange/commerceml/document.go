package commerceml

import (
	"io"
	"math/big"
	"strings"
)

// Operation is what a document is about: its ХозОперация.
type Operation int

// The operations. A document without one is an order.
const (
	OrderOperation Operation = iota
	ShipmentOperation
	// OtherOperation is a payment, a return, an invoice: it moves no order.
	OtherOperation
)

// Document is an order that 1C sends back, or a shipment of one.
type Document struct {
	Operation Operation
	// ID is the site's id of the order or, as 1C:УТ writes it, 1C's own. Number is the site's number of the order.
	ID, Number string
	// Base is the id or number of the order that a shipment belongs to. It is empty for an order.
	Base string
	// State is the text of the requisite Статус заказа; empty without one.
	State string
	// Posted is 1C's mark Проведен, Deleted its marks ПометкаУдаления and Отменен; nil if the document has none.
	Posted, Deleted *bool
	// Shipped says that all is shipped: the document has a number or a date of the shipment, or the mark Отгружен.
	Shipped bool
	// PaymentNumber is the number of the payment in 1C; empty if the order is not paid.
	PaymentNumber string
	// Paid says that the order is paid: the document has a number or a date of the payment, or the mark Оплачен.
	// PaymentDate is that date as 1C writes it; empty if there is none.
	Paid        bool
	PaymentDate string
	// TrackingNumber is the number under which the carrier has the parcel, and Carrier who that is; empty if the
	// document does not say it.
	TrackingNumber, Carrier string
	// Lines are the goods, without services; nil if the document lists none.
	Lines []DocumentLine
}

// DocumentLine is a good of a document. ID is the id of its offer.
type DocumentLine struct {
	ID, Name string
	Quantity *big.Rat
	// Price is nil if the line has none.
	Price *big.Rat
}

// Pieces returns the sum of the quantities, or nil if the document lists no goods.
func (d *Document) Pieces() *big.Rat {
	if len(d.Lines) == 0 {
		return nil
	}
	sum := new(big.Rat)
	for _, line := range d.Lines {
		sum.Add(sum, line.Quantity)
	}
	return sum
}

// ReadDocuments calls fn with each document of a file, in its order. Documents that belong to an order and stand inside
// it come after it. The room may be nil.
func ReadDocuments(file io.Reader, room *Room, fn func(Document) error) error {
	var read func(r *reader, start startTag) error
	read = func(r *reader, start startTag) error {
		switch start.name {
		case "Контейнер", "Документы":
			_, err := r.each(func(start startTag) error { return read(r, start) })
			return err
		case "Документ":
			return r.element(start, func(e *element) error { return passDocuments(e, fn) })
		}
		return r.skip()
	}
	return readDocument(file, room.orDefault(), read)
}

// passDocuments calls fn with a document and those inside it.
func passDocuments(e *element, fn func(Document) error) error {
	d := documentOf(e)
	if err := fn(d); err != nil {
		return err
	}

	list := e.child("ПодчиненныеДокументы")
	if list == nil {
		return nil
	}

	for _, child := range list.children {
		if child.name != "ПодчиненныйДокумент" && child.name != "Документ" {
			continue
		}

		inner := documentOf(child)
		if inner.Operation != OrderOperation && inner.Base == "" {
			inner.Base = firstOf(d.Number, d.ID)
		}

		if err := fn(inner); err != nil {
			return err
		}
	}

	return nil
}

func documentOf(e *element) Document {
	d := Document{
		Operation: operationOf(e.textOf("ХозОперация")),
		ID:        e.textOf("Ид"),
		Number:    e.textOf("Номер"),
		Lines:     linesOf(e.child("Товары")),
	}
	if d.Operation != OrderOperation {
		d.Base = e.textOf("Основание")
	}

	markTrue(&d.Deleted, e.textOf("ПометкаУдаления"))
	markTrue(&d.Deleted, e.textOf("Отменен"))
	markTrue(&d.Posted, e.textOf("Проведен"))

	if list := e.child("ЗначенияРеквизитов"); list != nil {
		for _, r := range list.children {
			d.readRequisite(normalize(r.textOf("Наименование")), strings.TrimSpace(r.textOf("Значение")))
		}
	}

	return d
}

// readRequisite reads a requisite of a document by its normalized name. The Ukrainian names are those of 1C:УТП.
func (d *Document) readRequisite(name, value string) {
	switch name {
	case "статус заказа", "статуса заказа ид", "статус заказа ид":
		if value != "" {
			d.State = value
		}

	case "проведен", "проведён":
		markTrue(&d.Posted, value)
	case "пометкаудаления", "пометка удаления", "отменен", "отменён":
		markTrue(&d.Deleted, value)
	case "номер отгрузки по 1с", "номер відвантаження за 1с":
		d.Shipped = d.Shipped || value != ""
	case "дата отгрузки по 1с", "дата відвантаження за 1с":
		d.Shipped = d.Shipped || isDate(value)
	case "отгружен":
		d.Shipped = d.Shipped || isTrue(value)
	case "номер оплаты по 1с", "номер оплати за 1с":
		d.PaymentNumber = shorten(value)
		d.Paid = d.Paid || value != ""
	case "дата оплаты по 1с", "дата оплати за 1с":
		if isDate(value) {
			d.PaymentDate = value
			d.Paid = true
		}

	case "оплачен", "заказ оплачен":
		d.Paid = d.Paid || isTrue(value)
	case "трек-номер", "трек номер", "трекномер", "трек-код", "номер отслеживания", "номер отправления",
		"идентификатор отправления", "номер відправлення":
		d.TrackingNumber = firstOf(shorten(value), d.TrackingNumber)
	case "перевозчик", "транспортная компания", "перевізник":
		d.Carrier = firstOf(shorten(value), d.Carrier)
	}
}

// markTrue sets a mark from a text. A true mark stays, whatever else the document has.
func markTrue(mark **bool, text string) {
	if text != "" && (*mark == nil || !**mark) {
		*mark = new(isTrue(text))
	}
}

// isDate reports whether a text is a date. 1C:УТ writes the empty date as a lone T, others as the first of January of
// the year 1.
func isDate(text string) bool {
	return strings.ContainsAny(text, "123456789") && !strings.HasPrefix(text, "0001-01-01") &&
		!strings.HasPrefix(text, "01.01.0001")
}

func operationOf(text string) Operation {
	switch normalize(text) {
	case "", "заказ товара", "замовлення товару":
		return OrderOperation
	case "отпуск товара", "відпуск товару":
		return ShipmentOperation
	}
	return OtherOperation
}

// linesOf returns the lines of goods. A delivery is a line, too, but a service.
func linesOf(goods *element) (lines []DocumentLine) {
	if goods == nil {
		return nil
	}
	for _, e := range goods.children {
		quantity, ok := parseDecimal(e.textOf("Количество"))
		if !ok || normalize(requisite(e, "ТипНоменклатуры")) == "услуга" {
			continue
		}

		line := DocumentLine{ID: cutID(e.textOf("Ид")), Name: foldSpaces(e.textOf("Наименование")), Quantity: quantity}
		if price, ok := parseDecimal(e.textOf("ЦенаЗаЕдиницу")); ok {
			line.Price = price
		}
		lines = append(lines, line)
	}
	return lines
}
