package onec

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
)

// The words of the generated catalogue. It is a shop for shoes, as many users of 1C have.
var (
	groups  = []string{"Кроссовки", "Ботинки", "Туфли", "Сандалии", "Сапоги", "Тапочки"}
	genders = []string{"Женская обувь", "Мужская обувь", "Детская обувь"}
	brands  = []string{"Северянка", "Белый шаг", "Лесной край", "Тихий Дон", "Ирбис", "Полюс"}
	fabrics = []string{"натуральная кожа", "замша", "текстиль", "искусственная кожа"}
	sizes   = []string{"36", "37", "38", "39", "40"}
	colours = []string{"Чёрный", "Бежевый", "Белый", "Синий"}
)

// priceType is a price type. Its prices are so many percent of the retail prices.
type priceType struct {
	name    string
	percent int
}

var priceTypes = []priceType{{"Розничная", 100}, {"Оптовая", 80}, {"Мелкий опт", 90}, {"Дилерская", 70},
	{"Интернет-магазин", 95}}

// defaultPriceTypes is the number of price types unless another one is set.
const defaultPriceTypes = 2

const (
	classifierID = "c1a551f1-0000-4000-8000-000000000001"
	catalogID    = "ca7a1090-0000-4000-8000-000000000001"
)

var warehouseIDs = []string{"3a4e0000-0000-4000-8000-000000000001", "3a4e0000-0000-4000-8000-000000000002"}

// goodID returns the id of the good with a number, as 1C would make it: a UUID.
func goodID(n int) string { return fmt.Sprintf("900d0000-0000-4000-8000-%012x", n) }

// priceTypeID returns the id of a price type by its position.
func priceTypeID(n int) string { return fmt.Sprintf("9e7a1100-0000-4000-8000-%012d", n+1) }

func groupID(n int) string { return fmt.Sprintf("9409b000-0000-4000-8000-%012x", n) }

// property ids, in the order of the classifier.
func propertyID(n int) string { return fmt.Sprintf("94094000-0000-4000-8000-%012x", n) }

// valueID returns the id of a value of the directory property with a number.
func valueID(property, n int) string {
	return fmt.Sprintf("0a10e000-0000-4000-%04x-%012x", property, n)
}

func offerID(good, offer, offers int) string {
	if offers == 1 {
		return goodID(good)
	}
	return goodID(good) + fmt.Sprintf("#0ffe4000-0000-4000-8000-%012x", offer)
}

// spread returns a number from 0 to limit-1 that depends on n only and looks random.
func spread(n, salt, limit int) int {
	h := uint64(n)*0x9E3779B97F4A7C15 + uint64(salt)*0xD1B54A32D192ED03
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	h ^= h >> 32
	return int(h % uint64(limit))
}

func goodName(n, round int) string {
	name := groups[n%len(groups)] + " " + brands[spread(n, 1, len(brands))] + " " + strconv.Itoa(1000+n)
	if round > 0 && spread(n, 100+round, 20) == 0 {
		name += " (обновлено)"
	}
	return name
}

func (g Generated) writeImport(x *xmlWriter) {
	x.element("Классификатор", func() {
		x.text("Ид", classifierID)
		x.text("Наименование", "Классификатор (Каталог товаров)")
		writeGroups(x)
		writeProperties(x)
	})

	x.element("Каталог", func() {
		x.text("Ид", catalogID)
		x.text("ИдКлассификатора", classifierID)
		x.text("Наименование", "Каталог товаров")
		x.element("Товары", func() {
			for n := range g.Goods {
				g.writeGood(x, g.First+n)
			}
		})
	}, "СодержитТолькоИзменения", g.onlyChanges())
}

// writeGroups writes two levels of groups.
func writeGroups(x *xmlWriter) {
	x.element("Группы", func() {
		for i, gender := range genders {
			x.element("Группа", func() {
				x.text("Ид", groupID(i))

				x.text("Наименование", gender)
				x.element("Группы", func() {
					for j, name := range groups {
						x.element("Группа", func() {
							x.text("Ид", groupID(100*(i+1)+j))
							x.text("Наименование", name)
						})
					}
				})
			})
		}
	})
}

// writeProperties writes a property of each type.
func writeProperties(x *xmlWriter) {
	listProperty := func(id int, name string, values []string) {
		x.element("Свойство", func() {
			x.text("Ид", propertyID(id))
			x.text("Наименование", name)
			x.text("ТипЗначений", "Справочник")
			x.element("ВариантыЗначений", func() {
				for i, value := range values {
					x.element("Справочник", func() {
						x.text("ИдЗначения", valueID(id, i))
						x.text("Значение", value)
					})
				}
			})
		})
	}

	plainProperty := func(id int, name, kind string) {
		x.element("Свойство", func() {
			x.text("Ид", propertyID(id))
			x.text("Наименование", name)
			x.text("ТипЗначений", kind)
		})
	}

	x.element("Свойства", func() {
		listProperty(1, "Бренд", brands)
		listProperty(2, "Материал верха", fabrics)
		plainProperty(3, "Высота каблука, см", "Число")
		plainProperty(4, "Страна", "Строка")
	})
}

func (g Generated) writeGood(x *xmlWriter, n int) {
	x.element("Товар", func() {
		x.text("Ид", goodID(n))
		if g.Style.isUT11() && g.Offers == 1 {
			x.text("Штрихкод", barcode(n, 0))
		}
		x.text("Артикул", fmt.Sprintf("ОБ-%06d", n))
		x.text("Наименование", goodName(n, g.Round))
		g.writeUnit(x)
		x.element("Группы", func() {
			x.text("Ид", groupID(100*(1+spread(n, 2, len(genders)))+n%len(groups)))
		})
		x.text("Описание", "Удобная пара на каждый день.\nУход: протирать мягкой тканью.")

		if n < g.Pictures {
			x.text("Картинка", pictureName(n))
		}

		x.element("ЗначенияСвойств", func() {
			for i, value := range []string{
				valueID(1, spread(n, 1, len(brands))), valueID(2, spread(n, 3, len(fabrics))),
				strconv.Itoa(1+spread(n, 4, 9)) + ",5", []string{"Россия", "Беларусь", "Китай"}[spread(n, 5, 3)],
			} {
				x.element("ЗначенияСвойства", func() {
					x.text("Ид", propertyID(i+1))
					x.text("Значение", value)
				})
			}
		})

		g.writeTax(x, n)
		x.element("ЗначенияРеквизитов", func() {
			list := []Requisite{{"ВидНоменклатуры", "Обувь"}, {"ТипНоменклатуры", "Товар"}}
			if grams := 300 + 10*spread(n, 6, 90); g.Style.isUT11() {
				list = append(list, Requisite{"Полное наименование", goodName(n, g.Round) + ", пара"},
					Requisite{"Вес", fmt.Sprintf("0.%03d", min(grams, 999))})
			} else {
				list = append(list, Requisite{"Вес", strconv.Itoa(grams) + " г"})
			}

			for _, r := range list {
				x.element("ЗначениеРеквизита", func() {
					x.text("Наименование", r.Name)
					x.text("Значение", r.Value)
				})
			}
		})
	})
}

// writeUnit writes the unit. 1C:УТ 11 fills the code up with spaces.
func (g Generated) writeUnit(x *xmlWriter) {
	code := "715"
	if g.Style.isUT11() {
		code = "715 "
	}
	x.raw(`<БазоваяЕдиница Код="` + code + `" НаименованиеПолное="Пара" МеждународноеСокращение="NPR">пар` +
		`</БазоваяЕдиница>`)
}

// writeTax writes the VAT rate; every seventh good has none.
func (g Generated) writeTax(x *xmlWriter, n int) {
	if !g.Style.isUT11() {
		return
	}
	rate := "20"
	if n%7 == 6 {
		rate = "Без НДС"
	}
	x.element("СтавкиНалогов", func() {
		x.element("СтавкаНалога", func() {
			x.text("Наименование", "НДС")
			x.text("Ставка", rate)
		})
	})
}

// barcode returns a barcode of 13 digits, as EAN-13 has. The last one is no check digit.
func barcode(good, offer int) string { return fmt.Sprintf("46%09d%02d", good, offer) }

func pictureName(n int) string { return fmt.Sprintf("import_files/%02x/%s.png", n%256, goodID(n)) }

func (g Generated) writePictures(dir string) error {
	for n := g.First; n < min(g.Pictures, g.First+g.Goods); n++ {
		path := filepath.Join(dir, filepath.FromSlash(pictureName(n)))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}

		picture := image.NewPaletted(image.Rect(0, 0, 64, 64), color.Palette{
			color.White, color.RGBA{uint8(spread(n, 7, 256)), uint8(spread(n, 8, 256)), uint8(spread(n, 9, 256)), 255}})
		for i := range picture.Pix {
			if spread(i/8, n, 3) > 0 {
				picture.Pix[i] = 1
			}
		}

		f, err := os.Create(path)
		if err != nil {
			return err
		}

		err = png.Encode(f, picture)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}

		if err != nil {
			return err
		}
	}

	return nil
}
