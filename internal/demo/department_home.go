package demo

const homeColours = "White, Grey, Black, Beige, Oak, Walnut, Green, Blue, Terracotta, Yellow"

func homeDepartment() department {
	return department{
		name: "Home", skuPrefix: "HO",
		brands: words(
			"Hallen & Holm, Casa Lume, Bruket, Dovetail, Stillwater, Kettle & Co, Maison Verte, Plainwood, Ombra"),
		cyrillicBrands: words("Уютный Дом, Берёзка"),
		adjectives:     words("Modern, Rustic, Slim, Solid, Classic, Compact, Soft, Modular, Handmade, Nordic"),
		models:         words("Lund, Siena, Bergen, Porto, Oslo, Riga"),
		uses:           words("small flats, family dinners, a quiet corner, the hallway, guests"),

		specs: specs{
			colours(0.95, homeColours),
			countries("Poland, China, Germany, Sweden, Portugal, Italy, Lithuania, India, Turkey"),
			seasons(0.6, "All year, Winter, Summer"), rating(), warranty(0.85, "24, 12, 36, 60, 120"),
			colourOptions(homeColours),
		},

		subdepartments: []subdepartment{
			{"Furniture", "Wood, Steel, Rattan, Plastic, Textile, Leather", []section{
				{"Chairs", 89, 6, "Chair, Armchair, Stool, Bench", "Стул, Кресло, Табурет", nil},
				{"Tables", 199, 22, "Table, Desk, Side Table", "Стол, Столик", nil},
				{"Sofas", 699, 55, "Sofa, Corner Sofa, Sofa Bed", "Диван", nil},
				{"Beds", 399, 45, "Bed, Bunk Bed, Day Bed", "Кровать",
					specs{sizes("90 × 200, 120 × 200, 140 × 200, 160 × 200, 180 × 200"),
						colourOptions("White, Oak, Walnut")}},
				{"Shelving", 79, 14, "Shelf, Bookcase, Wall Shelf", "Полка, Стеллаж", nil},
			}},
			{"Kitchen", "Steel, Ceramic, Glass, Plastic, Bamboo, Cast iron", []section{
				{"Cookware", 49, 1.8, "Frying Pan, Saucepan, Casserole", "Сковорода, Кастрюля",
					specs{sizes("20 cm, 24 cm, 28 cm, 32 cm")}},
				{"Tableware", 19, 0.6, "Plate, Bowl, Mug", "Тарелка, Кружка", nil},
				{"Kitchen appliances", 79, 2.5, "Kettle, Toaster, Blender, Coffee Maker", "Чайник, Тостер, Блендер",
					specs{feature(powerFeature, 0.98, "1500, 2200, 800, 1000, 600, 300")}},
				{"Knives", 35, 0.3, "Chef's Knife, Bread Knife, Knife Block", "Нож", nil},
			}},
			{"Textiles", "Cotton, Linen, Polyester, Wool, Bamboo", []section{
				{"Bed linen", 45, 1.2, "Duvet Cover, Sheet, Pillowcase", "Постельное бельё",
					specs{sizes("140 × 200, 155 × 220, 200 × 220"), colourOptions(homeColours),
						feature(careFeature, 0.9,
							"Machine wash at 60 degrees, Machine wash at 40 degrees, Iron while damp")}},
				{"Towels", 15, 0.5, "Towel, Bath Towel, Hand Towel", "Полотенце", nil},
				{"Curtains", 39, 1, "Curtain, Blind, Net Curtain", "Штора, Тюль", nil},
				{"Rugs", 99, 6, "Rug, Runner, Doormat", "Ковёр, Коврик",
					specs{sizes("80 × 150, 120 × 170, 160 × 230, 200 × 300")}},
			}},
			{"Light and decor", "Glass, Steel, Ceramic, Wood, Plastic, Rattan", []section{
				{"Lamps", 59, 1.5, "Lamp, Floor Lamp, Pendant, Table Lamp", "Лампа, Торшер",
					specs{feature(powerFeature, 0.9, "60, 40, 25, 10, 7")}},
				{"Mirrors", 69, 5, "Mirror, Wall Mirror", "Зеркало", nil},
				{"Vases", 25, 0.9, "Vase, Planter, Jug", "Ваза, Кувшин", nil},
				{"Clocks", 35, 0.7, "Wall Clock, Alarm Clock", "Часы, Будильник", nil},
			}},
		},
	}
}

func gardenDepartment() department {
	return department{
		name: "Garden", skuPrefix: "GA",
		brands:         words("Greenrow, Larkfield, Spadewell, Terravita, Mosswood, Gardana, Bloomery"),
		cyrillicBrands: words("Дачница, Урожайная Грядка"),
		adjectives: words(
			"Foldable, Telescopic, Hardy, Cordless, Weatherproof, Large, Early, Climbing, Robust, Natural"),
		adjectivesOf: map[string][]string{
			"Seeds":            words("Early, Hardy, Climbing, Natural, Sweet, Late"),
			"Bulbs":            words("Early, Hardy, Large, Natural, Late"),
			"Pots":             words("Large, Round, Natural, Weatherproof, Tall"),
			"Soil and feed":    words("Natural, Rich, Organic, Light"),
			"Hand tools":       words("Robust, Telescopic, Light, Large"),
			"Watering":         words("Robust, Weatherproof, Large, Light"),
			"Garden furniture": words("Foldable, Weatherproof, Large, Robust"),
			"Barbecues":        words("Foldable, Robust, Large, Portable"),
			"Parasols":         words("Foldable, Telescopic, Weatherproof, Large"),
			"Greenhouses":      words("Robust, Weatherproof, Large, Foldable"),
		},
		models: words("G, Plot, R, L"),
		uses:   words("balconies, large lawns, raised beds, autumn work, summer evenings"),

		specs: specs{
			colours(0.8, "Green, Black, Brown, Grey, Red, Terracotta, White, Yellow"),
			countries("Germany, China, Netherlands, Poland, Sweden, Russia, Spain"),
			seasons(0.98, "Summer, Spring, Autumn, All year, Winter"), rating(), warranty(0.7, "24, 12, 36, 60"),
			sizes("S, M, L, XL"),
		},

		subdepartments: []subdepartment{
			{"Plants", "Paper, Plastic, Ceramic, Wood", []section{
				{"Seeds", 3, 0.02, "Tomato Seeds, Basil Seeds, Carrot Seeds, Flower Mix",
					"Семена томата, Семена укропа", specs{noMaterial(), capacities(0.6, "1 g, 5 g, 20 g, 100 g")}},
				{"Bulbs", 7, 0.3, "Tulip Bulbs, Narcissus Bulbs, Lilies", "Луковицы тюльпана",
					specs{noMaterial(), colourOptions("Red, Yellow, White, Pink")}},
				{"Pots", 19, 2.2, "Flower Pot, Trough, Hanging Basket", "Горшок, Кашпо", nil},
				{"Soil and feed", 12, 12, "Potting Soil, Fertiliser, Compost", "Грунт, Удобрение",
					specs{noMaterial(), capacities(0.5, "5 l, 10 l, 20 l, 50 l")}},
			}},
			{"Garden tools", "Steel, Plastic, Aluminium, Wood", []section{
				{"Hand tools", 19, 0.9, "Spade, Rake, Trowel, Secateurs", "Лопата, Грабли, Секатор", nil},
				{"Lawn mowers", 329, 25, "Lawn Mower, Robot Mower, Trimmer", "Газонокосилка, Триммер",
					specs{feature(powerFeature, 0.9, "1400, 1800, 600, 2200")}},
				{"Watering", 29, 1.5, "Hose, Watering Can, Sprinkler", "Шланг, Лейка",
					specs{capacities(0.4, "10 m, 20 m, 30 m, 50 m")}},
			}},
			{"Outdoor living", "Wood, Steel, Aluminium, Rattan, Polyester", []section{
				{"Garden furniture", 249, 18, "Lounge Chair, Garden Table, Swing", "Садовое кресло, Качели",
					specs{colourOptions("Brown, Grey, Black, White")}},
				{"Barbecues", 179, 16, "Grill, Barbecue, Smoker", "Мангал, Гриль", nil},
				{"Parasols", 69, 6, "Parasol, Awning", "Зонт садовый", specs{colourOptions("Green, Grey, Red, White")}},
				{"Greenhouses", 399, 40, "Greenhouse, Cold Frame", "Теплица, Парник", nil},
			}},
		},
	}
}

func toolsDepartment() department {
	return department{
		name: "Tools", skuPrefix: "TO",
		brands:         words("Torqon, Hammerfest, Boldwerk, Kraftig, Steelrow, Voltera, Anvil Nine, Precisa"),
		cyrillicBrands: words("Мастеровой, Уралинструмент"),
		adjectives: words(
			"Cordless, Heavy-duty, Compact, Brushless, Precision, Angled, Magnetic, Insulated, Professional"),
		models: words("TX-, HD, BW-, K"),
		uses:   words("the workshop, building sites, small repairs, wood and metal, tight corners"),

		specs: specs{
			colours(0.75, "Black, Red, Blue, Yellow, Green, Grey, Orange"),
			countries("Germany, China, Taiwan, Japan, Czechia, Russia, United States"), seasons(0.55, "All year"),
			rating(), warranty(0.97, "24, 36, 12, 60, 120"), sizes("Small, Medium, Large"),
		},

		subdepartments: []subdepartment{
			{"Power tools", "Plastic, Aluminium, Steel", []section{
				{"Drills", 99, 1.7, "Drill, Hammer Drill, Drill Driver", "Дрель, Шуруповёрт, Перфоратор",
					specs{capacities(0.2, "1.5 Ah, 2 Ah, 4 Ah, 5 Ah"),
						feature(powerFeature, 0.98, "650, 800, 500, 1050, 1500")}},
				{"Saws", 129, 3.8, "Circular Saw, Jigsaw, Mitre Saw", "Лобзик, Пила дисковая",
					specs{feature(powerFeature, 0.98, "1200, 1400, 650, 1800")}},
				{"Sanders", 69, 1.8, "Sander, Belt Sander, Polisher", "Шлифмашина",
					specs{feature(powerFeature, 0.98, "300, 450, 800, 1200")}},
				{"Grinders", 79, 2.1, "Angle Grinder, Bench Grinder", "Болгарка",
					specs{feature(powerFeature, 0.98, "900, 1100, 720, 2200")}},
			}},
			{"Hand tools and measuring", "Steel, Plastic, Wood, Aluminium", []section{
				{"Screwdrivers", 14, 0.2, "Screwdriver, Bit Set, Hex Key Set", "Отвёртка, Набор бит", nil},
				{"Hammers", 22, 0.8, "Hammer, Mallet, Crowbar", "Молоток, Кувалда", nil},
				{"Pliers", 19, 0.3, "Pliers, Wrench, Spanner Set", "Плоскогубцы, Ключ", nil},
				{"Measuring", 25, 0.3, "Tape Measure, Spirit Level, Laser Level", "Рулетка, Уровень",
					specs{capacities(0.15, "3 m, 5 m, 8 m, 10 m")}},
			}},
			{"Supplies", "Steel, Plastic, Cotton, Paper", []section{
				{"Screws and nails", 6, 0.5, "Wood Screws, Nails, Wall Plugs", "Саморезы, Гвозди",
					specs{capacities(0.5, "50 pcs, 100 pcs, 250 pcs, 500 pcs")}},
				{"Glue and tape", 8, 0.3, "Wood Glue, Duct Tape, Sealant", "Клей, Герметик",
					specs{noMaterial(), capacities(0.35, "50 ml, 125 ml, 300 ml")}},
				{"Paint", 29, 4, "Wall Paint, Varnish, Primer", "Краска, Лак",
					specs{noMaterial(), capacities(0.6, "1 l, 2.5 l, 5 l, 10 l"),
						colourOptions("White, Grey, Beige, Green, Blue")}},
				{"Work clothes", 39, 0.7, "Work Trousers, Gloves, Safety Vest", "Рабочий комбинезон, Перчатки",
					specs{sizes(letterSizes)}},
			}},
		},
	}
}

func petsDepartment() department {
	return department{
		name: "Pets", skuPrefix: "PE",
		brands:         words("Waggle, Whiskerton, Paws & Pines, Nibblers, Finley Reef, Happy Tail"),
		cyrillicBrands: words("Мурлыка, Верный Друг"),
		adjectives: words(
			"Grain-free, Crunchy, Soft, Washable, Sturdy, Cosy, Natural, Junior, Senior, Interactive"),
		models: words("No."),
		uses:   words("small breeds, large breeds, playful days, picky eaters, quiet nights"),

		specs: specs{
			colours(0.65, "Grey, Brown, Blue, Red, Green, Pink, Beige"),
			countries("Germany, China, France, Russia, Poland, Thailand, Netherlands"),
			seasons(0.5, "All year, Winter, Summer"), rating(), warranty(0.4, "12, 18, 24, 6"), sizes("S, M, L, XL"),
		},

		subdepartments: []subdepartment{
			{"Dogs", "Cotton, Polyester, Leather, Rubber, Plastic", []section{
				{"Dog food", 29, 4, "Dry Food, Wet Food, Puppy Food", "Корм для собак",
					specs{noMaterial(), capacities(0.8, "800 g, 2 kg, 4 kg, 12 kg"), feature(petFeature, 1, "Dog")}},
				{"Dog treats", 6, 0.2, "Chew Stick, Biscuit, Training Treat", "Лакомство для собак",
					specs{noMaterial(), feature(petFeature, 1, "Dog")}},
				{"Leads and collars", 19, 0.2, "Lead, Collar, Harness", "Поводок, Ошейник",
					specs{feature(petFeature, 1, "Dog")}},
				{"Dog beds", 45, 1.8, "Dog Bed, Cushion, Blanket", "Лежанка",
					specs{feature(petFeature, 1, "Dog, Cat")}},
			}},
			{"Cats", "Plastic, Textile, Wood, Paper", []section{
				{"Cat food", 19, 1.5, "Dry Food, Pâté, Kitten Food", "Корм для кошек",
					specs{noMaterial(), capacities(0.9, "85 g, 400 g, 1.5 kg, 4 kg"), feature(petFeature, 1, "Cat")}},
				{"Cat litter", 12, 8, "Cat Litter, Litter Tray", "Наполнитель",
					specs{noMaterial(), capacities(0.7, "5 l, 10 l, 20 l"), feature(petFeature, 1, "Cat")}},
				{"Scratching posts", 49, 5, "Scratching Post, Cat Tree", "Когтеточка",
					specs{feature(petFeature, 1, "Cat")}},
			}},
			{"Other pets", "Glass, Steel, Wood, Plastic", []section{
				{"Aquariums", 89, 9, "Aquarium, Filter, Aquarium Lamp", "Аквариум, Фильтр",
					specs{capacities(0.6, "20 l, 60 l, 120 l, 200 l"), feature(petFeature, 1, "Fish")}},
				{"Birds", 25, 1.5, "Bird Cage, Bird Seed, Perch", "Клетка, Корм для птиц",
					specs{feature(petFeature, 1, "Bird")}},
				{"Small animals", 22, 1.5, "Hutch, Hay, Running Wheel", "Клетка для грызунов, Сено",
					specs{feature(petFeature, 1, "Rabbit, Hamster, Guinea pig")}},
			}},
		},
	}
}
