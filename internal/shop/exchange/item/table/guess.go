package table

import (
	"slices"
	"strings"
	"unicode"
)

// Columns returns the names of the columns that a table of the entity may have, and which of them are families, such as
// remainder:ID.
func Columns(entity string) (names, families []string) {
	schema := schemaOf(entity)
	for _, c := range slices.Concat(schema.itemColumns, schema.partColumns) {
		if c.cellType.isFamily() {
			families = append(families, c.name)
		} else {
			names = append(names, c.name)
		}
	}
	return names, families
}

// Required returns the names of the columns that a table of the entity must have.
func Required(entity string) []string {
	schema := schemaOf(entity)
	return append([]string{schema.itemColumns[0].name}, schema.required...)
}

// headingWords are what people call columns, in the form of foldHeading, by the names of the columns.
var headingWords = map[string][]string{
	"id": {"ид", "код", "кодтовара", "внешнийкод", "productid", "externalid", "uid", "guid", "идентификатор", "code",
		"itemcode", "itemid"},
	"name": {"наименование", "название", "товар", "номенклатура", "наименованиетовара", "названиетовара", "title",
		"product", "productname", "item", "itemname"},
	"description": {"описание", "описаниетовара", "text", "details"},
	"sku": {"артикул", "арт", "article", "articul", "кодпроизводителя", "vendorcode", "partnumber", "mpn",
		"itemno"},
	"price": {"цена", "розничнаяцена", "ценарозничная", "розница", "стоимость", "ценапродажи", "retailprice",
		"unitprice", "ррц", "прайс"},
	"barcodes": {"штрихкод", "штрихкоды", "шк", "ean", "ean13", "barcode", "gtin", "upc"},
	"categories": {"категория", "категории", "группа", "группатоваров", "раздел", "рубрика", "category", "group",
		"section"},
	"unit_name": {"едизм", "единица", "единицаизмерения", "ед", "unit", "uom"},
	"images": {"фото", "фотография", "изображение", "изображения", "картинка", "image", "photo", "picture",
		"imageurl"},
	"weight":   {"вес", "масса", "вескг", "weightkg"},
	"vat_rate": {"ндс", "ставкандс", "vat"},
	"remainder": {"остаток", "остатки", "количество", "колво", "наличие", "вналичии", "свободныйостаток", "склад",
		"stock",
		"quantity", "qty", "instock", "available", "balance"},
	"quantity": {"остаток", "остатки", "количество", "колво", "наличие", "вналичии", "свободныйостаток", "stock", "qty",
		"instock", "available", "balance"},
	"stock_id": {"склад", "кодсклада", "warehouse", "store", "место"},
	"variant_id": {"id", "ид", "код", "кодварианта", "идварианта", "variant", "внешнийкод", "артикул", "sku",
		"характеристика"},
	"product_id":    {"кодтовара", "идтовара", "product"},
	"price_list_id": {"прайслист", "видцены", "типцены", "pricelist"},
	"from_quantity": {"отколичества", "минимальноеколичество", "fromquantity", "minquantity"},
	"parent_id":     {"родитель", "родительскаягруппа", "родительскаякатегория", "parent"},
	"value_id":      {"кодзначения", "идзначения"},
	"value_name":    {"значение", "value"},
	"currency":      {"валюта"},
}

// Guess returns which column of a table of the entity a heading probably means: the name of a column, or that of a
// family without the id; "" if it is not known.
func Guess(entity, heading string) string {
	names, families := Columns(entity)
	folded := foldHeading(heading)
	if folded == "" {
		return ""
	}

	all := slices.Concat(names, families)
	for _, name := range all {
		if foldHeading(name) == folded {
			return name
		}
	}
	for _, name := range all {
		isVariant := name == "variant_id" && entity == "products" // its id is seldom in a file of products
		if !isVariant && slices.Contains(headingWords[name], folded) {
			return name
		}
	}

	if suggested := schemaOf(entity).suggest(strings.ToLower(strings.TrimSpace(heading)), ""); suggested != nil {
		name, _, _ := strings.Cut(*suggested, ":")
		return name
	}
	return ""
}

// foldHeading returns a heading without what stands behind a comma or in brackets, such as the currency, and with its
// letters and digits alone.
func foldHeading(heading string) string {
	if end := strings.IndexAny(heading, ",([;"); end > 0 {
		heading = heading[:end]
	}
	return strings.Map(func(c rune) rune {
		switch {
		case c == 'ё' || c == 'Ё':
			return 'е'
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, heading)
}
