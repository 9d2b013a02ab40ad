package demo

const homeColours = "White, Grey, Black, Beige, Oak, Walnut, Green, Blue, Terracotta, Yellow"

func homeDepartment() department {
	return department{
		name: "Home", skuPrefix: "HO", namePattern: "%B %A %N %M",
		materialFormat: "Made of %s.",
		brands: splitList(
			"Hallen & Holm, Casa Lume, Bruket, Dovetail, Stillwater, Kettle & Co, Maison Verte, Plainwood, Ombra"),
		cyrillicBrands: splitList("Уютный Дом, Берёзка"),
		adjectives:     splitList("Modern, Rustic, Folding, Solid, Round, Compact, Soft, Modular, Handmade, Nordic"),
		models:         splitList("Lund, Siena, Bergen, Porto, Oslo, Riga"),
		uses:           splitList("small flats, family dinners, a quiet corner, the hallway, guests"),
		featureSpecs: []featureSpec{
			colourSpec(0.95, homeColours),
			countrySpec("Poland, China, Germany, Sweden, Portugal, Italy, Lithuania, India, Turkey"),
			seasonSpec(0.6, "All year, Winter, Summer"),
			ratingSpec(), warrantySpec(0.85, "24, 12, 36, 60, 120"),
		},
		optionSpecs: []optionSpec{colourOptionSpec(homeColours)},
		subdepartments: []subdepartment{
			{"Furniture", "Wood, Steel, Rattan, Plastic, Textile, Leather", []section{
				newSection("Chairs", 89, 6, "Chair, Armchair, Stool, Bench", "Стул, Кресло, Табурет"),
				newSection("Tables", 199, 22, "Table, Desk, Side Table", "Стол, Столик"),
				newSection("Sofas", 699, 55, "Sofa, Corner Sofa, Sofa Bed", "Диван"),
				newSection("Beds", 399, 45, "Bed, Bunk Bed, Day Bed", "Кровать").withOptions(
					sizeSpec("90 × 200, 120 × 200, 140 × 200, 160 × 200, 180 × 200"),
					colourOptionSpec("White, Oak, Walnut")),
				newSection("Shelving", 79, 14, "Shelf, Bookcase, Wall Shelf", "Полка, Стеллаж"),
			}},
			{"Kitchen", "Steel, Ceramic, Glass, Plastic, Bamboo, Cast iron", []section{
				newSection("Cookware", 49, 1.8, "Frying Pan, Saucepan, Casserole", "Сковорода, Кастрюля").
					withOptions(sizeSpec("20 cm, 24 cm, 28 cm, 32 cm")),
				newSection("Tableware", 19, 0.6, "Plate, Bowl, Mug", "Тарелка, Кружка"),
				newSection("Kitchen appliances", 79, 2.5, "Kettle, Toaster, Blender, Coffee Maker", "Чайник, Тостер, Блендер").withFeatures(newFeatureSpec(powerFeature, 0.98, "1500, 2200, 800, 1000, 600, 300")),
				newSection("Knives", 35, 0.3, "Chef's Knife, Bread Knife, Knife Block", "Нож"),
			}},
			{"Textiles", "Cotton, Linen, Polyester, Wool, Bamboo", []section{
				newSection("Bed linen", 45, 1.2, "Duvet Cover, Sheet, Pillowcase", "Постельное бельё").
					withOptions(sizeSpec("140 × 200, 155 × 220, 200 × 220"), colourOptionSpec(homeColours)).
					withFeatures(newFeatureSpec(careFeature, 0.9,
						"Machine wash at 60 degrees, Machine wash at 40 degrees, Iron while damp")),
				newSection("Towels", 15, 0.5, "Towel, Bath Towel, Hand Towel", "Полотенце"),
				newSection("Curtains", 39, 1, "Curtain, Blind, Net Curtain", "Штора, Тюль"),
				newSection("Rugs", 99, 6, "Rug, Runner, Doormat", "Ковёр, Коврик").
					withOptions(sizeSpec("80 × 150, 120 × 170, 160 × 230, 200 × 300")),
			}},
			{"Light and decor", "Glass, Steel, Ceramic, Wood, Plastic, Rattan", []section{
				newSection("Lamps", 59, 1.5, "Lamp, Floor Lamp, Pendant, Table Lamp", "Лампа, Торшер").
					withFeatures(newFeatureSpec(powerFeature, 0.9, "60, 40, 25, 10, 7")),
				newSection("Mirrors", 69, 5, "Mirror, Wall Mirror", "Зеркало"),
				newSection("Vases", 25, 0.9, "Vase, Planter, Jug", "Ваза, Кувшин"),
				newSection("Clocks", 35, 0.7, "Wall Clock, Alarm Clock", "Часы, Будильник"),
			}},
		},
	}
}

func gardenDepartment() department {
	return department{
		name: "Garden", skuPrefix: "GA", namePattern: "%B %A %N %M",
		materialFormat: "Made of %s.",
		brands:         splitList("Greenrow, Larkfield, Spadewell, Terravita, Mosswood, Gardana, Bloomery"),
		cyrillicBrands: splitList("Дачница, Урожайная Грядка"),
		adjectives: splitList(
			"Foldable, Telescopic, Hardy, Cordless, Weatherproof, Large, Early, Climbing, Robust, Natural"),
		models: splitList("G, Plot, R, L"),
		uses:   splitList("balconies, large lawns, raised beds, autumn work, summer evenings"),
		featureSpecs: []featureSpec{
			colourSpec(0.8, "Green, Black, Brown, Grey, Red, Terracotta, White, Yellow"),
			countrySpec("Germany, China, Netherlands, Poland, Sweden, Russia, Spain"),
			seasonSpec(0.98, "Summer, Spring, Autumn, All year, Winter"),
			ratingSpec(), warrantySpec(0.7, "24, 12, 36, 60"),
		},
		optionSpecs: []optionSpec{sizeSpec("S, M, L, XL")},
		subdepartments: []subdepartment{
			{"Plants", "Paper, Plastic, Ceramic, Wood", []section{
				newSection("Seeds", 3, 0.02, "Tomato Seeds, Basil Seeds, Carrot Seeds, Flower Mix", "Семена томата, Семена укропа").withoutMaterial().withOptions(capacitySpec("1 g, 5 g, 20 g, 100 g", 0.6)),
				newSection("Bulbs", 7, 0.3, "Tulip Bulbs, Narcissus Bulbs, Lilies", "Луковицы тюльпана").
					withoutMaterial().withOptions(colourOptionSpec("Red, Yellow, White, Pink")),
				newSection("Pots", 19, 2.2, "Flower Pot, Trough, Hanging Basket", "Горшок, Кашпо"),
				newSection("Soil and feed", 12, 12, "Potting Soil, Fertiliser, Compost", "Грунт, Удобрение").
					withoutMaterial().withOptions(capacitySpec("5 l, 10 l, 20 l, 50 l", 0.5)),
			}},
			{"Garden tools", "Steel, Plastic, Aluminium, Wood", []section{
				newSection("Hand tools", 19, 0.9, "Spade, Rake, Trowel, Secateurs", "Лопата, Грабли, Секатор"),
				newSection("Lawn mowers", 329, 25, "Lawn Mower, Robot Mower, Trimmer", "Газонокосилка, Триммер").
					withFeatures(newFeatureSpec(powerFeature, 0.9, "1400, 1800, 600, 2200")),
				newSection("Watering", 29, 1.5, "Hose, Watering Can, Sprinkler", "Шланг, Лейка").
					withOptions(capacitySpec("10 m, 20 m, 30 m, 50 m", 0.4)),
			}},
			{"Outdoor living", "Wood, Steel, Aluminium, Rattan, Polyester", []section{
				newSection("Garden furniture", 249, 18, "Lounge Chair, Garden Table, Swing", "Садовое кресло, Качели").
					withOptions(colourOptionSpec("Brown, Grey, Black, White")),
				newSection("Barbecues", 179, 16, "Grill, Barbecue, Smoker", "Мангал, Гриль"),
				newSection("Parasols", 69, 6, "Parasol, Awning", "Зонт садовый").
					withOptions(colourOptionSpec("Green, Grey, Red, White")),
				newSection("Greenhouses", 399, 40, "Greenhouse, Cold Frame", "Теплица, Парник"),
			}},
		},
	}
}

func toolsDepartment() department {
	return department{
		name: "Tools", skuPrefix: "TO", namePattern: "%B %A %N %M",
		materialFormat: "Made of %s.",
		brands:         splitList("Torqon, Hammerfest, Boldwerk, Kraftig, Steelrow, Voltera, Anvil Nine, Precisa"),
		cyrillicBrands: splitList("Мастеровой, Уралинструмент"),
		adjectives: splitList(
			"Cordless, Heavy-duty, Compact, Brushless, Precision, Angled, Magnetic, Insulated, Professional"),
		models: splitList("TX-, HD, BW-, K"),
		uses:   splitList("the workshop, building sites, small repairs, wood and metal, tight corners"),
		featureSpecs: []featureSpec{
			colourSpec(0.75, "Black, Red, Blue, Yellow, Green, Grey, Orange"),
			countrySpec("Germany, China, Taiwan, Japan, Czechia, Russia, United States"),
			seasonSpec(0.55, "All year"),
			ratingSpec(), warrantySpec(0.97, "24, 36, 12, 60, 120"),
		},
		optionSpecs: []optionSpec{sizeSpec("Small, Medium, Large")},
		subdepartments: []subdepartment{
			{"Power tools", "Plastic, Aluminium, Steel", []section{
				newSection("Drills", 99, 1.7, "Drill, Hammer Drill, Drill Driver", "Дрель, Шуруповёрт, Перфоратор").withOptions(capacitySpec("1.5 Ah, 2 Ah, 4 Ah, 5 Ah", 0.2)).withFeatures(newFeatureSpec(powerFeature, 0.98, "650, 800, 500, 1050, 1500")),
				newSection("Saws", 129, 3.8, "Circular Saw, Jigsaw, Mitre Saw", "Лобзик, Пила дисковая").
					withFeatures(newFeatureSpec(powerFeature, 0.98, "1200, 1400, 650, 1800")),
				newSection("Sanders", 69, 1.8, "Sander, Belt Sander, Polisher", "Шлифмашина").
					withFeatures(newFeatureSpec(powerFeature, 0.98, "300, 450, 800, 1200")),
				newSection("Grinders", 79, 2.1, "Angle Grinder, Bench Grinder", "Болгарка").
					withFeatures(newFeatureSpec(powerFeature, 0.98, "900, 1100, 720, 2200")),
			}},
			{"Hand tools and measuring", "Steel, Plastic, Wood, Aluminium", []section{
				newSection("Screwdrivers", 14, 0.2, "Screwdriver, Bit Set, Hex Key Set", "Отвёртка, Набор бит"),
				newSection("Hammers", 22, 0.8, "Hammer, Mallet, Crowbar", "Молоток, Кувалда"),
				newSection("Pliers", 19, 0.3, "Pliers, Wrench, Spanner Set", "Плоскогубцы, Ключ"),
				newSection("Measuring", 25, 0.3, "Tape Measure, Spirit Level, Laser Level", "Рулетка, Уровень").
					withOptions(capacitySpec("3 m, 5 m, 8 m, 10 m", 0.15)),
			}},
			{"Supplies", "Steel, Plastic, Cotton, Paper", []section{
				newSection("Screws and nails", 6, 0.5, "Wood Screws, Nails, Wall Plugs", "Саморезы, Гвозди").
					withOptions(capacitySpec("50 pcs, 100 pcs, 250 pcs, 500 pcs", 0.5)),
				newSection("Glue and tape", 8, 0.3, "Wood Glue, Duct Tape, Sealant", "Клей, Герметик").
					withoutMaterial().withOptions(capacitySpec("50 ml, 125 ml, 300 ml", 0.35)),
				newSection("Paint", 29, 4, "Wall Paint, Varnish, Primer", "Краска, Лак").withoutMaterial().withOptions(
					capacitySpec("1 l, 2.5 l, 5 l, 10 l", 0.6), colourOptionSpec("White, Grey, Beige, Green, Blue")),
				newSection("Work clothes", 39, 0.7, "Work Trousers, Gloves, Safety Vest", "Рабочий комбинезон, Перчатки").withOptions(sizeSpec(letterSizes)),
			}},
		},
	}
}

func petsDepartment() department {
	return department{
		name: "Pets", skuPrefix: "PE", namePattern: "%B %A %N %M",
		materialFormat: "Made of %s.",
		brands:         splitList("Waggle, Whiskerton, Paws & Pines, Nibblers, Finley Reef, Happy Tail"),
		cyrillicBrands: splitList("Мурлыка, Верный Друг"),
		adjectives: splitList(
			"Grain-free, Crunchy, Soft, Washable, Sturdy, Cosy, Natural, Junior, Senior, Interactive"),
		models: splitList("No."),
		uses:   splitList("small breeds, large breeds, playful days, picky eaters, quiet nights"),
		featureSpecs: []featureSpec{
			colourSpec(0.65, "Grey, Brown, Blue, Red, Green, Pink, Beige"),
			countrySpec("Germany, China, France, Russia, Poland, Thailand, Netherlands"),
			seasonSpec(0.5, "All year, Winter, Summer"),
			ratingSpec(), warrantySpec(0.4, "12, 18, 24, 6"),
		},
		optionSpecs: []optionSpec{sizeSpec("S, M, L, XL")},
		subdepartments: []subdepartment{
			{"Dogs", "Cotton, Polyester, Leather, Rubber, Plastic", []section{
				newSection("Dog food", 29, 4, "Dry Food, Wet Food, Puppy Food", "Корм для собак").withoutMaterial().withOptions(capacitySpec("800 g, 2 kg, 4 kg, 12 kg", 0.8)).withFeatures(newFeatureSpec(petFeature, 1, "Dog")),
				newSection("Dog treats", 6, 0.2, "Chew Stick, Biscuit, Training Treat", "Лакомство для собак").
					withoutMaterial().withFeatures(newFeatureSpec(petFeature, 1, "Dog")),
				newSection("Leads and collars", 19, 0.2, "Lead, Collar, Harness", "Поводок, Ошейник").
					withFeatures(newFeatureSpec(petFeature, 1, "Dog")),
				newSection("Dog beds", 45, 1.8, "Dog Bed, Cushion, Blanket", "Лежанка").
					withFeatures(newFeatureSpec(petFeature, 1, "Dog, Cat")),
			}},
			{"Cats", "Plastic, Textile, Wood, Paper", []section{
				newSection("Cat food", 19, 1.5, "Dry Food, Pâté, Kitten Food", "Корм для кошек").withoutMaterial().withOptions(capacitySpec("85 g, 400 g, 1.5 kg, 4 kg", 0.9)).withFeatures(newFeatureSpec(petFeature, 1, "Cat")),
				newSection("Cat litter", 12, 8, "Cat Litter, Litter Tray", "Наполнитель").withoutMaterial().withOptions(capacitySpec("5 l, 10 l, 20 l", 0.7)).withFeatures(newFeatureSpec(petFeature, 1, "Cat")),
				newSection("Scratching posts", 49, 5, "Scratching Post, Cat Tree", "Когтеточка").
					withFeatures(newFeatureSpec(petFeature, 1, "Cat")),
			}},
			{"Other pets", "Glass, Steel, Wood, Plastic", []section{
				newSection("Aquariums", 89, 9, "Aquarium, Filter, Aquarium Lamp", "Аквариум, Фильтр").withOptions(capacitySpec("20 l, 60 l, 120 l, 200 l", 0.6)).withFeatures(newFeatureSpec(petFeature, 1, "Fish")),
				newSection("Birds", 25, 1.5, "Bird Cage, Bird Seed, Perch", "Клетка, Корм для птиц").
					withFeatures(newFeatureSpec(petFeature, 1, "Bird")),
				newSection("Small animals", 22, 1.5, "Hutch, Hay, Running Wheel", "Клетка для грызунов, Сено").
					withFeatures(newFeatureSpec(petFeature, 1, "Rabbit, Hamster, Guinea pig")),
			}},
		},
	}
}
