package commerceml

import (
	"io"
	"strings"
)

// Document is an order that 1C sends back.
type Document struct {
	ID, Number string
	// State is the text of the requisite Статус заказа; empty without one.
	State string
	// Posted is 1C's mark Проведен, Deleted its mark ПометкаУдаления; nil if the document does not have it.
	Posted, Deleted *bool
}

// ReadDocuments calls fn with each document of a file, in its order.
func ReadDocuments(file io.Reader, fn func(Document) error) error {
	var read func(r *reader, start startTag) error
	read = func(r *reader, start startTag) error {
		switch start.name {
		case "Контейнер", "Документы":
			_, err := r.each(func(start startTag) error { return read(r, start) })
			return err
		case "Документ":
			e, err := r.element(start)
			if err != nil {
				return err
			}
			return fn(documentOf(e))
		}
		return r.skip()
	}
	return readDocument(file, read)
}

func documentOf(e *element) Document {
	d := Document{ID: e.textOf("Ид"), Number: e.textOf("Номер")}
	mark := func(to **bool, text string) {
		if text != "" && (*to == nil || !**to) { // a true mark stays, whatever else the document has
			*to = new(isTrue(text))
		}
	}
	mark(&d.Deleted, e.textOf("ПометкаУдаления"))
	mark(&d.Posted, e.textOf("Проведен"))
	list := e.child("ЗначенияРеквизитов")
	if list == nil {
		return d
	}
	for _, r := range list.children {
		value := strings.TrimSpace(r.textOf("Значение"))
		switch normalize(r.textOf("Наименование")) {
		case "статус заказа", "статуса заказа ид", "статус заказа ид":
			if value != "" {
				d.State = value
			}
		case "проведен", "проведён":
			mark(&d.Posted, value)
		case "пометкаудаления", "пометка удаления", "отменен", "отменён":
			mark(&d.Deleted, value)
		}
	}
	return d
}
