package onec

import (
	"fmt"
	"strconv"
	"strings"
)

// eachOffer writes the shell of a file with offers, and each offer of each good with its id and what write adds.
func (g Generated) eachOffer(x *xmlWriter, head func(), write func(good, offer int)) {
	x.element("ПакетПредложений", func() {
		x.text("Ид", catalogID+"#")
		x.text("Наименование", "Пакет предложений")
		x.text("ИдКаталога", catalogID)
		x.text("ИдКлассификатора", classifierID)
		head()

		x.element("Предложения", func() {
			for good := g.First; good < g.First+g.Goods; good++ {
				for offer := range g.Offers {
					x.element("Предложение", func() {
						x.text("Ид", offerID(good, offer, g.Offers))
						write(good, offer)
					})
				}
			}
		})
	}, "СодержитТолькоИзменения", g.onlyChanges())
}

func (g Generated) writeOffers(x *xmlWriter) {
	whole := !isVersion3(g.Version)

	g.eachOffer(x, func() {
		if whole {
			g.writePriceTypes(x)
		}
		if whole && g.Style != UT10 {
			writeWarehouses(x)
		}
	}, func(good, offer int) {
		if g.Style.isUT11() {
			x.text("Штрихкод", barcode(good, offer))
		}
		x.text("Артикул", fmt.Sprintf("ОБ-%06d-%02d", good, offer))
		x.text("Наименование", goodName(good, g.Round))

		if g.Offers > 1 {
			writeCharacteristics(x, good, offer)
		}

		if whole {
			g.writeOfferPrices(x, good, offer)
			g.writeQuantities(x, good, offer)
		}
	})
}

// writeQuantities writes the total, and the warehouses as the style has them.
func (g Generated) writeQuantities(x *xmlWriter, good, offer int) {
	total := g.quantity(good, offer, 0) + g.quantity(good, offer, 1)
	if total > 0 || g.Style != UT10 {
		x.text("Количество", strconv.Itoa(total))
	}
	if g.Style == UT10 {
		return
	}

	for i, id := range warehouseIDs {
		if n := g.quantity(good, offer, i); n > 0 || g.Style == Explicit {
			x.element("Склад", func() {}, "ИдСклада", id, "КоличествоНаСкладе", strconv.Itoa(n))
		}
	}
}

// writeCharacteristics writes two characteristics, and two more for every fifth good.
func writeCharacteristics(x *xmlWriter, good, offer int) {
	list := []Requisite{{"Размер", sizes[offer%len(sizes)]}, {"Цвет", colours[offer/len(sizes)]}}
	if good%5 == 0 {
		list = append(list, Requisite{"Полнота", strconv.Itoa(3 + good%7)},
			Requisite{"Тип кожи", fabrics[spread(good, 3, len(fabrics))]})
	}
	x.element("ХарактеристикиТовара", func() {
		for _, c := range list {
			x.element("ХарактеристикаТовара", func() {
				x.text("Наименование", c.Name)
				x.text("Значение", c.Value)
			})
		}
	})
}

func (g Generated) writePrices(x *xmlWriter) {
	g.eachOffer(x, func() { g.writePriceTypes(x) }, func(good, offer int) { g.writeOfferPrices(x, good, offer) })
}

func (g Generated) writeRests(x *xmlWriter) {
	g.eachOffer(x, func() { writeWarehouses(x) }, func(good, offer int) {
		x.element("Остатки", func() {
			for i, id := range warehouseIDs {
				n := g.quantity(good, offer, i)
				if n == 0 && g.Style.isUT11() {
					continue
				}

				x.element("Остаток", func() {
					x.element("Склад", func() {
						x.text("Ид", id)
						x.text("Количество", strconv.Itoa(n))
					})
				})
			}
		})
	})
}

func (g Generated) writePriceTypes(x *xmlWriter) {
	x.element("ТипыЦен", func() {
		for i, t := range priceTypes[:g.PriceTypes] {
			x.element("ТипЦены", func() {
				x.text("Ид", priceTypeID(i))
				x.text("Наименование", t.name)
				g.writeCurrency(x)
			})
		}
	})
}

func (g Generated) writeCurrency(x *xmlWriter) {
	if g.Currency != "" {
		x.text("Валюта", g.Currency)
	}
}

func writeWarehouses(x *xmlWriter) {
	x.element("Склады", func() {
		for i, name := range []string{"Основной склад", "Магазин на Невском"} {
			x.element("Склад", func() {
				x.text("Ид", warehouseIDs[i])
				x.text("Наименование", name)
			})
		}
	})
}

func (g Generated) writeOfferPrices(x *xmlWriter, good, offer int) {
	retail := 1990 + 10*spread(good, 10, 800) + 50*(offer%3) + 10*g.Round
	x.element("Цены", func() {
		for i, t := range priceTypes[:g.PriceTypes] {
			price := retail * t.percent / 100
			x.element("Цена", func() {
				x.text("Представление", strings.TrimSpace(strconv.Itoa(price)+" "+g.Currency)+" за пар")
				x.text("ИдТипаЦены", priceTypeID(i))
				x.text("ЦенаЗаЕдиницу", strconv.Itoa(price)+",50")
				g.writeCurrency(x)
				x.text("Единица", "пар")
				x.text("Коэффициент", "1")
			})
		}
	})
}

// quantity returns how many pairs of an offer a warehouse has. A third of them is sold out.
func (g Generated) quantity(good, offer, warehouse int) int {
	return max(0, spread(good*31+offer, 20+warehouse+10*g.Round, 30)-10)
}
