package demo

const homeColours = "White, Grey, Black, Beige, Oak, Walnut, Green, Blue, Terracotta, Yellow"

func home() department {
	return department{
		name: "Home", code: "HO", pattern: "%B %A %N %M",
		made:       "Made of %s.",
		brands:     list("Hallen & Holm, Casa Lume, Bruket, Dovetail, Stillwater, Kettle & Co, Maison Verte, Plainwood, Ombra"),
		cyrillic:   list("Уютный Дом, Берёзка"),
		adjectives: list("Modern, Rustic, Folding, Solid, Round, Compact, Soft, Modular, Handmade, Nordic"),
		models:     list("Lund, Siena, Bergen, Porto, Oslo, Riga"),
		uses:       list("small flats, family dinners, a quiet corner, the hallway, guests"),
		traits: []trait{
			colours(0.95, homeColours),
			countries("Poland, China, Germany, Sweden, Portugal, Italy, Lithuania, India, Turkey"),
			seasons(0.6, "All year, Winter, Summer"),
			ratings(), warranty(0.85, "24, 12, 36, 60, 120"),
		},
		by: []split{byColour(homeColours)},
		aisles: []aisle{
			{"Furniture", "Wood, Steel, Rattan, Plastic, Textile, Leather", []shelf{
				stand("Chairs", 89, 6, "Chair, Armchair, Stool, Bench", "Стул, Кресло, Табурет"),
				stand("Tables", 199, 22, "Table, Desk, Side Table", "Стол, Столик"),
				stand("Sofas", 699, 55, "Sofa, Corner Sofa, Sofa Bed", "Диван"),
				stand("Beds", 399, 45, "Bed, Bunk Bed, Day Bed", "Кровать").in(bySize("90 × 200, 120 × 200, 140 × 200, 160 × 200, 180 × 200"), byColour("White, Oak, Walnut")),
				stand("Shelving", 79, 14, "Shelf, Bookcase, Wall Shelf", "Полка, Стеллаж"),
			}},
			{"Kitchen", "Steel, Ceramic, Glass, Plastic, Bamboo, Cast iron", []shelf{
				stand("Cookware", 49, 1.8, "Frying Pan, Saucepan, Casserole", "Сковорода, Кастрюля").in(bySize("20 cm, 24 cm, 28 cm, 32 cm")),
				stand("Tableware", 19, 0.6, "Plate, Bowl, Mug", "Тарелка, Кружка"),
				stand("Kitchen appliances", 79, 2.5, "Kettle, Toaster, Blender, Coffee Maker", "Чайник, Тостер, Блендер").with(extra(powerFeature, 0.98, "1500, 2200, 800, 1000, 600, 300")),
				stand("Knives", 35, 0.3, "Chef's Knife, Bread Knife, Knife Block", "Нож"),
			}},
			{"Textiles", "Cotton, Linen, Polyester, Wool, Bamboo", []shelf{
				stand("Bed linen", 45, 1.2, "Duvet Cover, Sheet, Pillowcase", "Постельное бельё").in(bySize("140 × 200, 155 × 220, 200 × 220"), byColour(homeColours)).
					with(extra(careFeature, 0.9, "Machine wash at 60 degrees, Machine wash at 40 degrees, Iron while damp")),
				stand("Towels", 15, 0.5, "Towel, Bath Towel, Hand Towel", "Полотенце"),
				stand("Curtains", 39, 1, "Curtain, Blind, Net Curtain", "Штора, Тюль"),
				stand("Rugs", 99, 6, "Rug, Runner, Doormat", "Ковёр, Коврик").in(bySize("80 × 150, 120 × 170, 160 × 230, 200 × 300")),
			}},
			{"Light and decor", "Glass, Steel, Ceramic, Wood, Plastic, Rattan", []shelf{
				stand("Lamps", 59, 1.5, "Lamp, Floor Lamp, Pendant, Table Lamp", "Лампа, Торшер").with(extra(powerFeature, 0.9, "60, 40, 25, 10, 7")),
				stand("Mirrors", 69, 5, "Mirror, Wall Mirror", "Зеркало"),
				stand("Vases", 25, 0.9, "Vase, Planter, Jug", "Ваза, Кувшин"),
				stand("Clocks", 35, 0.7, "Wall Clock, Alarm Clock", "Часы, Будильник"),
			}},
		},
	}
}

func garden() department {
	return department{
		name: "Garden", code: "GA", pattern: "%B %A %N %M",
		made:       "Made of %s.",
		brands:     list("Greenrow, Larkfield, Spadewell, Terravita, Mosswood, Gardana, Bloomery"),
		cyrillic:   list("Дачница, Урожайная Грядка"),
		adjectives: list("Foldable, Telescopic, Hardy, Cordless, Weatherproof, Large, Early, Climbing, Robust, Natural"),
		models:     list("G, Plot, R, L"),
		uses:       list("balconies, large lawns, raised beds, autumn work, summer evenings"),
		traits: []trait{
			colours(0.8, "Green, Black, Brown, Grey, Red, Terracotta, White, Yellow"),
			countries("Germany, China, Netherlands, Poland, Sweden, Russia, Spain"),
			seasons(0.98, "Summer, Spring, Autumn, All year, Winter"),
			ratings(), warranty(0.7, "24, 12, 36, 60"),
		},
		by: []split{bySize("S, M, L, XL")},
		aisles: []aisle{
			{"Plants", "Paper, Plastic, Ceramic, Wood", []shelf{
				stand("Seeds", 3, 0.02, "Tomato Seeds, Basil Seeds, Carrot Seeds, Flower Mix", "Семена томата, Семена укропа").plain().in(byCapacity("1 g, 5 g, 20 g, 100 g", 0.6)),
				stand("Bulbs", 7, 0.3, "Tulip Bulbs, Narcissus Bulbs, Lilies", "Луковицы тюльпана").plain().in(byColour("Red, Yellow, White, Pink")),
				stand("Pots", 19, 2.2, "Flower Pot, Trough, Hanging Basket", "Горшок, Кашпо"),
				stand("Soil and feed", 12, 12, "Potting Soil, Fertiliser, Compost", "Грунт, Удобрение").plain().in(byCapacity("5 l, 10 l, 20 l, 50 l", 0.5)),
			}},
			{"Garden tools", "Steel, Plastic, Aluminium, Wood", []shelf{
				stand("Hand tools", 19, 0.9, "Spade, Rake, Trowel, Secateurs", "Лопата, Грабли, Секатор"),
				stand("Lawn mowers", 329, 25, "Lawn Mower, Robot Mower, Trimmer", "Газонокосилка, Триммер").with(extra(powerFeature, 0.9, "1400, 1800, 600, 2200")),
				stand("Watering", 29, 1.5, "Hose, Watering Can, Sprinkler", "Шланг, Лейка").in(byCapacity("10 m, 20 m, 30 m, 50 m", 0.4)),
			}},
			{"Outdoor living", "Wood, Steel, Aluminium, Rattan, Polyester", []shelf{
				stand("Garden furniture", 249, 18, "Lounge Chair, Garden Table, Swing", "Садовое кресло, Качели").in(byColour("Brown, Grey, Black, White")),
				stand("Barbecues", 179, 16, "Grill, Barbecue, Smoker", "Мангал, Гриль"),
				stand("Parasols", 69, 6, "Parasol, Awning", "Зонт садовый").in(byColour("Green, Grey, Red, White")),
				stand("Greenhouses", 399, 40, "Greenhouse, Cold Frame", "Теплица, Парник"),
			}},
		},
	}
}

func tools() department {
	return department{
		name: "Tools", code: "TO", pattern: "%B %A %N %M",
		made:       "Made of %s.",
		brands:     list("Torqon, Hammerfest, Boldwerk, Kraftig, Steelrow, Voltera, Anvil Nine, Precisa"),
		cyrillic:   list("Мастеровой, Уралинструмент"),
		adjectives: list("Cordless, Heavy-duty, Compact, Brushless, Precision, Angled, Magnetic, Insulated, Professional"),
		models:     list("TX-, HD, BW-, K"),
		uses:       list("the workshop, building sites, small repairs, wood and metal, tight corners"),
		traits: []trait{
			colours(0.75, "Black, Red, Blue, Yellow, Green, Grey, Orange"),
			countries("Germany, China, Taiwan, Japan, Czechia, Russia, United States"),
			seasons(0.55, "All year"),
			ratings(), warranty(0.97, "24, 36, 12, 60, 120"),
		},
		by: []split{bySize("Small, Medium, Large")},
		aisles: []aisle{
			{"Power tools", "Plastic, Aluminium, Steel", []shelf{
				stand("Drills", 99, 1.7, "Drill, Hammer Drill, Drill Driver", "Дрель, Шуруповёрт, Перфоратор").in(byCapacity("1.5 Ah, 2 Ah, 4 Ah, 5 Ah", 0.2)).with(extra(powerFeature, 0.98, "650, 800, 500, 1050, 1500")),
				stand("Saws", 129, 3.8, "Circular Saw, Jigsaw, Mitre Saw", "Лобзик, Пила дисковая").with(extra(powerFeature, 0.98, "1200, 1400, 650, 1800")),
				stand("Sanders", 69, 1.8, "Sander, Belt Sander, Polisher", "Шлифмашина").with(extra(powerFeature, 0.98, "300, 450, 800, 1200")),
				stand("Grinders", 79, 2.1, "Angle Grinder, Bench Grinder", "Болгарка").with(extra(powerFeature, 0.98, "900, 1100, 720, 2200")),
			}},
			{"Hand tools and measuring", "Steel, Plastic, Wood, Aluminium", []shelf{
				stand("Screwdrivers", 14, 0.2, "Screwdriver, Bit Set, Hex Key Set", "Отвёртка, Набор бит"),
				stand("Hammers", 22, 0.8, "Hammer, Mallet, Crowbar", "Молоток, Кувалда"),
				stand("Pliers", 19, 0.3, "Pliers, Wrench, Spanner Set", "Плоскогубцы, Ключ"),
				stand("Measuring", 25, 0.3, "Tape Measure, Spirit Level, Laser Level", "Рулетка, Уровень").in(byCapacity("3 m, 5 m, 8 m, 10 m", 0.15)),
			}},
			{"Supplies", "Steel, Plastic, Cotton, Paper", []shelf{
				stand("Screws and nails", 6, 0.5, "Wood Screws, Nails, Wall Plugs", "Саморезы, Гвозди").in(byCapacity("50 pcs, 100 pcs, 250 pcs, 500 pcs", 0.5)),
				stand("Glue and tape", 8, 0.3, "Wood Glue, Duct Tape, Sealant", "Клей, Герметик").plain().in(byCapacity("50 ml, 125 ml, 300 ml", 0.35)),
				stand("Paint", 29, 4, "Wall Paint, Varnish, Primer", "Краска, Лак").plain().in(byCapacity("1 l, 2.5 l, 5 l, 10 l", 0.6), byColour("White, Grey, Beige, Green, Blue")),
				stand("Work clothes", 39, 0.7, "Work Trousers, Gloves, Safety Vest", "Рабочий комбинезон, Перчатки").in(bySize(letterSizes)),
			}},
		},
	}
}

func pets() department {
	return department{
		name: "Pets", code: "PE", pattern: "%B %A %N %M",
		made:       "Made of %s.",
		brands:     list("Waggle, Whiskerton, Paws & Pines, Nibblers, Finley Reef, Happy Tail"),
		cyrillic:   list("Мурлыка, Верный Друг"),
		adjectives: list("Grain-free, Crunchy, Soft, Washable, Sturdy, Cosy, Natural, Junior, Senior, Interactive"),
		models:     list("No."),
		uses:       list("small breeds, large breeds, playful days, picky eaters, quiet nights"),
		traits: []trait{
			colours(0.65, "Grey, Brown, Blue, Red, Green, Pink, Beige"),
			countries("Germany, China, France, Russia, Poland, Thailand, Netherlands"),
			seasons(0.5, "All year, Winter, Summer"),
			ratings(), warranty(0.4, "12, 18, 24, 6"),
		},
		by: []split{bySize("S, M, L, XL")},
		aisles: []aisle{
			{"Dogs", "Cotton, Polyester, Leather, Rubber, Plastic", []shelf{
				stand("Dog food", 29, 4, "Dry Food, Wet Food, Puppy Food", "Корм для собак").plain().in(byCapacity("800 g, 2 kg, 4 kg, 12 kg", 0.8)).with(extra(petFeature, 1, "Dog")),
				stand("Dog treats", 6, 0.2, "Chew Stick, Biscuit, Training Treat", "Лакомство для собак").plain().with(extra(petFeature, 1, "Dog")),
				stand("Leads and collars", 19, 0.2, "Lead, Collar, Harness", "Поводок, Ошейник").with(extra(petFeature, 1, "Dog")),
				stand("Dog beds", 45, 1.8, "Dog Bed, Cushion, Blanket", "Лежанка").with(extra(petFeature, 1, "Dog, Cat")),
			}},
			{"Cats", "Plastic, Textile, Wood, Paper", []shelf{
				stand("Cat food", 19, 1.5, "Dry Food, Pâté, Kitten Food", "Корм для кошек").plain().in(byCapacity("85 g, 400 g, 1.5 kg, 4 kg", 0.9)).with(extra(petFeature, 1, "Cat")),
				stand("Cat litter", 12, 8, "Cat Litter, Litter Tray", "Наполнитель").plain().in(byCapacity("5 l, 10 l, 20 l", 0.7)).with(extra(petFeature, 1, "Cat")),
				stand("Scratching posts", 49, 5, "Scratching Post, Cat Tree", "Когтеточка").with(extra(petFeature, 1, "Cat")),
			}},
			{"Other pets", "Glass, Steel, Wood, Plastic", []shelf{
				stand("Aquariums", 89, 9, "Aquarium, Filter, Aquarium Lamp", "Аквариум, Фильтр").in(byCapacity("20 l, 60 l, 120 l, 200 l", 0.6)).with(extra(petFeature, 1, "Fish")),
				stand("Birds", 25, 1.5, "Bird Cage, Bird Seed, Perch", "Клетка, Корм для птиц").with(extra(petFeature, 1, "Bird")),
				stand("Small animals", 22, 1.5, "Hutch, Hay, Running Wheel", "Клетка для грызунов, Сено").with(extra(petFeature, 1, "Rabbit, Hamster, Guinea pig")),
			}},
		},
	}
}
