package commerceml

import (
	"cmp"
	"slices"
	"strings"
)

// NotKept is something that a file had and the store has no place for: an element, a price type or a requisite, by its
// name in 1C.
type NotKept struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
}

// notKeptCounter counts what a file had and the store does not keep.
type notKeptCounter map[string]int64

func (n *notKeptCounter) add(what string) {
	if *n == nil {
		*n = notKeptCounter{}
	}
	what = shorten(what)
	if _, counted := (*n)[what]; counted || len(*n) < maxListed {
		(*n)[what]++
	}
}

// list returns the counts, the largest first.
func (n notKeptCounter) list() []NotKept {
	all := make([]NotKept, 0, len(n))
	for what, count := range n {
		all = append(all, NotKept{what, count})
	}
	slices.SortFunc(all, func(a, b NotKept) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.What, b.What))
	})
	return all
}

// packetHead are the elements beside the goods of a catalogue, or beside the offers of a packet, that say nothing about
// a good.
var packetHead = nameSet("Ид", "ИдКлассификатора", "Наименование", "Владелец", "Описание", "Комментарий",
	"ДействительноС", "ДействительноДо", "НомерВерсии")

// addOfPacket counts an unknown element beside goods or offers.
func (n *notKeptCounter) addOfPacket(name string) {
	if !packetHead[name] {
		n.add(name)
	}
}

// keptOfGood and keptOfOffer are the elements of a good and of an offer that are read, or say nothing to a shop.
var (
	keptOfGood = nameSet("Ид", "Код", "НомерВерсии", "Артикул", "Наименование", "Описание", htmlDescription, "Группы",
		"ЗначенияСвойств", "ЗначенияРеквизитов", "ХарактеристикиТовара", "Картинка", "Статус", "ПометкаУдаления",
		"ИдХарактеристики", "ПолноеНаименование", Manufacturer, weightElement, unitElement, taxElement, barcodeElement,
		barcodesOfList)
	keptOfOffer = nameSet("Ид", "Код", "НомерВерсии", "Артикул", "Наименование", "ПолноеНаименование", "ИдТовара",
		"ИдентификаторТовара", "ИдХарактеристики", "ХарактеристикиТовара", "ЗначенияСвойств", "Цены", "Количество",
		"Склад", "Склады", "Остатки", "Статус", "ПометкаУдаления", "Картинка", barcodeElement, barcodesOfList,
		unitElement)
	// serviceRequisites are for accounting only, or members of a product.
	serviceRequisites = nameSet("видноменклатуры", "типноменклатуры", normalize(htmlDescription),
		normalize(weightElement))
)

func nameSet(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// hasContent reports whether an element has something inside it.
func (e *element) hasContent() bool { return e.text != "" || len(e.children) > 0 }

// countNotKeptOfGood counts what the store does not keep of a good.
func (c *converter) countNotKeptOfGood(e *element) {
	for _, child := range e.children {
		if child.hasContent() && !keptOfGood[child.name] {
			c.notKept.add(child.name)
		}
	}

	full := e.textOf("ПолноеНаименование")
	if list := e.child("ЗначенияРеквизитов"); list != nil {
		for _, r := range list.children {
			name := normalize(r.textOf("Наименование"))
			_, chosen := c.requisites[name]
			switch {
			case name == "" || chosen || serviceRequisites[name] || r.textOf("Значение") == "":
			case name == normalize(fullNameRequisite):
				full = firstOf(full, r.textOf("Значение"))
			default:
				c.notKept.add("Реквизит: " + foldSpaces(r.textOf("Наименование")))
			}
		}
	}

	if full != "" && !c.options.UsesFullName && foldSpaces(full) != foldSpaces(e.textOf("Наименование")) {
		c.notKept.add(fullNameRequisite)
	}

	if _, chosen := c.requisites[normalize(Manufacturer)]; !chosen && e.child(Manufacturer) != nil {
		c.notKept.add(Manufacturer)
	}
}

// countNotKeptOfOffer counts what the store does not keep of an offer.
func (c *converter) countNotKeptOfOffer(e *element) {
	for _, child := range e.children {
		if child.hasContent() && !keptOfOffer[child.name] {
			c.notKept.add(child.name)
		}
	}
}
