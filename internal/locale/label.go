package locale

// labels holds the fixed words by tag and key. Every language has every key; a test holds them together.
var labels = map[string]map[string]string{
	"en": {
		"field_type.select":  "Selection",
		"field_type.range":   "Range",
		"range_type.float":   "Decimal number",
		"range_type.integer": "Whole number",
	},
	"ru": {
		"field_type.select":  "Выбор",
		"field_type.range":   "Диапазон",
		"range_type.float":   "Дробное число",
		"range_type.integer": "Целое число",
	},
	"de": {
		"field_type.select":  "Auswahl",
		"field_type.range":   "Bereich",
		"range_type.float":   "Dezimalzahl",
		"range_type.integer": "Ganze Zahl",
	},
	"es": {
		"field_type.select":  "Selección",
		"field_type.range":   "Rango",
		"range_type.float":   "Número decimal",
		"range_type.integer": "Número entero",
	},
	"fr": {
		"field_type.select":  "Sélection",
		"field_type.range":   "Plage",
		"range_type.float":   "Nombre décimal",
		"range_type.integer": "Nombre entier",
	},
	"uk": {
		"field_type.select":  "Вибір",
		"field_type.range":   "Діапазон",
		"range_type.float":   "Дробове число",
		"range_type.integer": "Ціле число",
	},
	"kk": {
		"field_type.select":  "Таңдау",
		"field_type.range":   "Аралық",
		"range_type.float":   "Бөлшек сан",
		"range_type.integer": "Бүтін сан",
	},
}
