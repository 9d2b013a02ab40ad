package demo

import (
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// englishExternalID is the format of the external ids of the English catalogue's products.
const englishExternalID = "D-%06d"

// vocabulary has the names and formats of a catalogue that do not depend on a department.
type vocabulary struct {
	language   Language
	externalID string // format of the external ids of products

	features, options                []string // names of attributes
	ranges                           map[string]catalog.RangeType
	brand, colour, material, country string // features
	weight                           string
	stocks                           []Stock
	oldPrices, wholesalePrices       string // names of price lists
	wholesaleGroup                   string
	sampleColours                    []string
	samplePrice                      int

	smallest       float64 // amount by which an old price is higher at least
	roundPrice     func(amount float64, cents int64) money.Money
	roundWholesale func(amount float64) money.Money
}

// english returns the vocabulary of the language, which is English or Mixed.
func english(language Language) *vocabulary {
	return &vocabulary{
		language: language, externalID: englishExternalID,
		features: []string{
			brandFeature, colourFeature, materialFeature, countryFeature, seasonFeature, ratingFeature, weightFeature,
			warrantyFeature, screenFeature, powerFeature, widthFeature, languageFeature, ageFeature, dietFeature,
			petFeature, careFeature,
		},
		options: []string{sizeOption, colourOption, capacityOption},
		ranges: map[string]catalog.RangeType{
			weightFeature: catalog.Float, warrantyFeature: catalog.Integer, screenFeature: catalog.Float,
			powerFeature: catalog.Integer,
		},
		brand: brandFeature, colour: colourFeature, material: materialFeature, country: countryFeature,
		weight: weightFeature,

		stocks: []Stock{
			{"demo-central", "Central warehouse"}, {"demo-city", "City shop"}, {"demo-harbour", "Harbour outlet"},
		},
		oldPrices: "Prices before the sale", wholesalePrices: "Wholesale prices", wholesaleGroup: "Wholesale",
		sampleColours: []string{"Black", "White"}, samplePrice: 100,
		smallest: 1, roundPrice: roundPrice,
		roundWholesale: func(amount float64) money.Money { return roundPrice(amount, 50) },
	}
}

// Features of the Russian catalogue that the generator itself knows. The others are in the files of the departments.
const (
	russianBrand    = "Бренд"
	russianColour   = "Цвет"
	russianMaterial = "Материал"
	russianCountry  = "Страна производства"
	russianSeason   = "Сезон"
	russianGender   = "Пол"
	russianWeight   = "Вес, кг"
	russianWarranty = "Гарантия, мес."
)

func russian() *vocabulary {
	return &vocabulary{
		language: Russian, externalID: "R-%06d",
		features: []string{
			russianBrand, russianColour, russianMaterial, russianCountry, russianSeason, russianGender, russianWeight,
			russianWarranty, "Диагональ, дюймы", "Мощность, Вт", "Совместимость", "Автомобиль", "Цоколь", "Возраст",
			"Язык", "Обложка",
		},
		options: []string{
			"Размер", russianColour, "Объём", "Память", "Количество", "Длина", "Высота", "Тон", "Комплектация",
			"Световая температура",
		},
		ranges: map[string]catalog.RangeType{
			russianWeight: catalog.Float, russianWarranty: catalog.Integer, "Диагональ, дюймы": catalog.Float,
			"Мощность, Вт": catalog.Integer,
		},
		brand: russianBrand, colour: russianColour, material: russianMaterial, country: russianCountry,
		weight: russianWeight,

		stocks: []Stock{
			{"demo-ru-central", "Центральный склад"}, {"demo-ru-city", "Магазин в центре"},
			{"demo-ru-mall", "Магазин в торговом центре"},
		},
		oldPrices: "Цены до скидки", wholesalePrices: "Оптовые цены", wholesaleGroup: "Оптовики",
		sampleColours: []string{"Чёрный", "Белый"}, samplePrice: 5000,
		smallest: 10, roundPrice: roundRoubles,
		roundWholesale: func(amount float64) money.Money { return money.Money(max(1, int64(amount)) * 10_000) },
	}
}

// roundRoubles rounds an amount down to a price as Russian shops write them: 9, 49, 349, 2 490 or 21 990 roubles.
func roundRoubles(amount float64, _ int64) money.Money {
	roubles := max(1, int64(amount))
	switch {
	case roubles >= 20_000:
		roubles = (roubles+10)/500*500 - 10
	case roubles >= 1090:
		roubles = (roubles+10)/100*100 - 10
	case roubles >= 19:
		roubles = (roubles+1)/10*10 - 1
	}
	return money.Money(roubles * 10_000)
}
