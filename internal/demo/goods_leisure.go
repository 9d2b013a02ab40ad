package demo

const (
	deviceColours = "Black, Silver, White, Grey, Blue, Gold, Green, Red"
	casing        = "Plastic, Aluminium, Glass, Steel"
	pack          = "Paper, Plastic, Glass, Cardboard, Aluminium"
)

func electronics() department {
	return department{
		name: "Electronics", code: "EL", pattern: "%B %N %A %M",
		made:       "Made of %s.",
		brands:     list("Auralis, Nexport, Quanta Nine, Lumiq, Zephyron, Bitwell, Sonorum, Pixelle, Orbitek, Vantix"),
		cyrillic:   list("Электросила, Квантор"),
		adjectives: list("Pro, Air, Max, Lite, Ultra, Mini, Plus, Neo, Smart, Prime"),
		models:     list("X, A, Z, S, M, QN"),
		uses:       list("work and play, films in the evening, students, the road, a small desk"),
		traits: []trait{
			colours(0.98, deviceColours),
			countries("China, Vietnam, South Korea, Taiwan, Japan, Malaysia, Hungary"),
			seasons(0.4, "All year"),
			ratings(), warranty(0.99, "24, 12, 36"),
		},
		by: []split{byColour(deviceColours)},
		aisles: []aisle{
			{"Phones and tablets", casing, []shelf{
				stand("Smartphones", 449, 0.19, "Phone, Smartphone", "Смартфон").in(byCapacity("64 GB, 128 GB, 256 GB, 512 GB, 1 TB", 0.15), byColour(deviceColours)).with(extra(screenFeature, 1, "6.1, 6.7, 6.5, 5.8")),
				stand("Tablets", 349, 0.5, "Tablet, Pad", "Планшет").in(byCapacity("64 GB, 128 GB, 256 GB", 0.2), byColour(deviceColours)).with(extra(screenFeature, 1, "10.9, 11, 8.3, 12.9")),
				stand("Phone cases", 19, 0.05, "Case, Flip Case, Bumper", "Чехол"),
				stand("Chargers", 25, 0.12, "Charger, Power Bank, Cable", "Зарядное устройство, Кабель").with(extra(powerFeature, 0.9, "20, 30, 65, 100, 10")),
			}},
			{"Computers", casing, []shelf{
				stand("Laptops", 849, 1.6, "Laptop, Notebook, Ultrabook", "Ноутбук").in(byCapacity("256 GB, 512 GB, 1 TB, 2 TB", 0.18), byColour("Silver, Grey, Black")).with(extra(screenFeature, 1, "15.6, 14, 13.3, 16, 17.3")),
				stand("Monitors", 229, 5.5, "Monitor, Display", "Монитор").with(extra(screenFeature, 1, "27, 24, 32, 34, 21.5")),
				stand("Keyboards and mice", 49, 0.5, "Keyboard, Mouse, Trackball", "Клавиатура, Мышь"),
				stand("Storage", 79, 0.15, "Drive, Memory Stick, Memory Card", "Накопитель, Флешка").in(byCapacity("64 GB, 128 GB, 256 GB, 512 GB, 1 TB, 2 TB", 0.45)),
				stand("Printers", 149, 6, "Printer, Scanner", "Принтер, Сканер").with(extra(powerFeature, 0.8, "30, 300, 450")),
			}},
			{"Television and sound", casing, []shelf{
				stand("Televisions", 599, 14, "Television, Smart Screen", "Телевизор").with(extra(screenFeature, 1, "55, 43, 65, 50, 32, 75, 85"), extra(powerFeature, 0.9, "120, 90, 180, 60")),
				stand("Headphones", 79, 0.2, "Headphones, Earbuds, Headset", "Наушники, Гарнитура"),
				stand("Loudspeakers", 129, 2.4, "Speaker, Soundbar, Radio", "Колонка, Саундбар").with(extra(powerFeature, 0.95, "20, 40, 100, 10, 300")),
			}},
			{"Photo and wearables", casing, []shelf{
				stand("Cameras", 699, 0.6, "Camera, Action Camera, Compact Camera", "Фотоаппарат"),
				stand("Lenses", 399, 0.5, "Lens, Zoom Lens, Tripod", "Объектив, Штатив"),
				stand("Smart watches", 199, 0.05, "Watch, Fitness Band", "Умные часы, Браслет").with(extra(screenFeature, 0.9, "1.4, 1.9, 1.2")),
			}},
		},
	}
}

func books() department {
	return department{
		name: "Books", code: "BO", pattern: "The %A %N, %M (%B)",
		made:       "Printed on %s.",
		brands:     list("Paperlane, Lighthouse Press, Quill & Co, Northern Letters, Inkwell House, Foxglove Books"),
		cyrillic:   list("Слово и Дело, Букварь Плюс"),
		adjectives: list("Silent, Hidden, Northern, Golden, Everyday, Little, Last, Complete, Forgotten, Secret, Curious"),
		models:     list("vol., edition, part"),
		uses:       list("long evenings, curious minds, the train, a present, reading aloud"),
		traits: []trait{
			countries("Germany, United Kingdom, Latvia, Russia, China, Italy, United States"),
			seasons(0.4, "All year, Summer, Winter"),
			ratings(),
			extra(languageFeature, 0.99, "English, Russian, German, French, Spanish, Ukrainian, Kazakh"),
		},
		aisles: []aisle{
			{"Fiction", "Paper", []shelf{
				stand("Novels", 18, 0.45, "Harbour, Winter, House, River, Letter", "Роман о море, Дорога домой"),
				stand("Crime", 15, 0.4, "Witness, Alibi, Clue, Verdict", "Тихий свидетель, Последняя улика"),
				stand("Fantasy", 19, 0.6, "Crown, Dragon, Tower, Prophecy", "Башня ветров, Хранители огня"),
				stand("Poetry", 12, 0.2, "Garden, Song, Hour, Island", "Стихи разных лет"),
			}},
			{"Non-fiction", "Paper", []shelf{
				stand("Cookbooks", 27, 0.9, "Kitchen, Table, Bakery, Larder", "Домашняя выпечка, Кухня на каждый день"),
				stand("History", 29, 0.8, "Empire, Century, City, Voyage", "История города, Век открытий"),
				stand("Science", 31, 0.7, "Universe, Cell, Number, Atom", "Занимательная физика, Числа вокруг нас"),
				stand("Travel", 22, 0.4, "Road, Coast, Map, Journey", "Путеводитель, Дороги севера"),
			}},
			{"Children's and school books", "Cardboard, Paper", []shelf{
				stand("Picture books", 13, 0.35, "Bear, Moon, Hedgehog, Balloon", "Сказки на ночь, Мишка и луна").with(extra(ageFeature, 0.95, "3 to 5 years, Up to 2 years, 6 to 8 years")),
				stand("Youth books", 15, 0.4, "Club, Island, School, Map", "Тайна острова").with(extra(ageFeature, 0.95, "9 to 12 years, Over 12 years")),
				stand("Textbooks", 35, 0.9, "Algebra Course, Grammar, Atlas", "Учебник алгебры, Атлас").with(extra(ageFeature, 0.8, "9 to 12 years, Over 12 years, 6 to 8 years")),
			}},
		},
	}
}

func toys() department {
	return department{
		name: "Toys", code: "TY", pattern: "%B %A %N %M",
		made:       "Made of %s.",
		brands:     list("Brickaloo, Tumbletop, Merrydale, Pipkin, Woodling, Robo Rascals, Starbox"),
		cyrillic:   list("Непоседа, Ладушки"),
		adjectives: list("Wooden, Musical, Magnetic, Giant, Cuddly, Glow, Remote, Classic, First, Travel"),
		models:     list("No., Pack"),
		uses:       list("rainy days, little hands, two to four players, birthdays, the whole family"),
		traits: []trait{
			colours(0.85, "Multicolour, Red, Blue, Green, Yellow, Pink, White, Brown"),
			countries("China, Germany, Czechia, Vietnam, Denmark, Russia, Poland"),
			seasons(0.5, "All year, Summer, Winter"),
			ratings(), warranty(0.7, "24, 12, 6"),
			extra(ageFeature, 0.97, "3 to 5 years, 6 to 8 years, Up to 2 years, 9 to 12 years, Over 12 years"),
		},
		by: []split{byColour("Red, Blue, Green, Yellow, Pink")},
		aisles: []aisle{
			{"Building and models", "Plastic, Wood, Metal", []shelf{
				stand("Building bricks", 35, 0.9, "Brick Set, Castle Set, City Set", "Конструктор").in(byCapacity("100 pcs, 250 pcs, 500 pcs, 1000 pcs", 0.5)),
				stand("Train sets", 59, 1.8, "Train Set, Track Set, Locomotive", "Железная дорога"),
				stand("Model kits", 29, 0.6, "Plane Kit, Ship Kit, Car Kit", "Сборная модель"),
			}},
			{"Dolls and soft toys", "Textile, Plastic, Wood", []shelf{
				stand("Dolls", 29, 0.5, "Doll, Doll's House, Doll's Pram", "Кукла"),
				stand("Soft toys", 19, 0.4, "Bear, Rabbit, Elephant, Owl", "Плюшевый мишка, Зайка").in(bySize("S, M, L")),
				stand("Baby toys", 15, 0.25, "Rattle, Stacker, Play Mat", "Погремушка, Пирамидка"),
			}},
			{"Games", "Cardboard, Paper, Wood, Plastic", []shelf{
				stand("Board games", 32, 1.1, "Board Game, Strategy Game, Quiz", "Настольная игра"),
				stand("Puzzles", 15, 0.6, "Puzzle, Jigsaw", "Пазл").in(byCapacity("100 pcs, 500 pcs, 1000 pcs, 2000 pcs", 0.3)),
				stand("Card games", 11, 0.2, "Card Game, Playing Cards", "Карточная игра"),
			}},
			{"Active play", "Plastic, Metal, Wood, Textile", []shelf{
				stand("Toy cars", 15, 0.3, "Car, Fire Engine, Racing Car", "Машинка, Пожарная машина"),
				stand("Outdoor toys", 25, 1.2, "Kite, Sand Set, Bubble Set", "Песочный набор, Воздушный змей"),
				stand("Scooters", 69, 3.2, "Scooter, Balance Bike, Tricycle", "Самокат, Беговел"),
				stand("Crafts", 17, 0.5, "Craft Set, Paint Set, Clay", "Набор для творчества"),
			}},
		},
	}
}

func food() department {
	return department{
		name: "Food", code: "FO", pattern: "%B %A %N %M",
		made:       "Packed in %s.",
		brands:     list("Altenhof, Bella Costa, Mill & Meadow, Orchard Lane, Casa Nonna, Highland Leaf, Sunmarket, Daily Crust"),
		cyrillic:   list("Родные Просторы, Бабушкин Погреб"),
		adjectives: list("Organic, Smoked, Dark, Roasted, Wild, Creamy, Spicy, Sweet, Classic, Salted, Fresh"),
		models:     list("No."),
		uses:       list("breakfast, a quick lunch, guests, a picnic, cold days"),
		traits: []trait{
			countries("Italy, Germany, Russia, Poland, Spain, India, Greece, Kazakhstan, Brazil"),
			seasons(0.7, "All year, Summer, Autumn, Winter"),
			ratings(),
			{feature: dietFeature, share: 0.8, values: list("Vegetarian, Vegan, Gluten-free, Lactose-free, Halal, Sugar-free"), several: 0.35},
		},
		by: []split{byCapacity("100 g, 250 g, 500 g, 1 kg, 2 kg", 0.7)},
		modifiers: []string{
			`[{"id":"wrapping","name":"Gift wrapping","min":0,"max":1,"required":false,"items":[{"id":"paper","name":"Kraft paper","price":1.5},{"id":"box","name":"Wooden box","price":4.9}]}]`,
			`[{"id":"grind","name":"Grind","min":1,"max":1,"required":true,"items":[{"id":"whole","name":"As it is","price":0},{"id":"coarse","name":"Coarse","price":0.5},{"id":"fine","name":"Fine","price":0.5}]}]`,
			`[{"id":"extras","name":"Extras","min":0,"max":3,"required":false,"items":[{"id":"sauce","name":"Sauce","price":0.9},{"id":"crackers","name":"Crackers","price":1.2},{"id":"nuts","name":"Nuts","price":1.99}]},` +
				`{"id":"card","name":"Greeting card","min":0,"max":1,"required":false,"items":[{"id":"card","name":"Card","price":0.99}]}]`,
		},
		aisles: []aisle{
			{"Drinks", pack, []shelf{
				stand("Coffee", 9, 0.5, "Coffee, Espresso, Filter Coffee", "Кофе"),
				stand("Tea", 6, 0.15, "Black Tea, Green Tea, Herbal Tea", "Чай").in(byCapacity("50 g, 100 g, 250 g", 0.7)),
				stand("Juices", 3, 1, "Apple Juice, Orange Juice, Nectar", "Сок, Морс").in(byCapacity("0.25 l, 0.5 l, 1 l, 2 l", 0.6)),
				stand("Water", 1, 1.5, "Mineral Water, Spring Water", "Минеральная вода").in(byCapacity("0.5 l, 1 l, 1.5 l, 5 l", 0.3)),
			}},
			{"Pantry", pack, []shelf{
				stand("Pasta", 2, 0.5, "Spaghetti, Penne, Noodles", "Макароны, Лапша"),
				stand("Oils", 8, 0.8, "Olive Oil, Sunflower Oil, Vinegar", "Масло подсолнечное, Уксус").in(byCapacity("0.25 l, 0.5 l, 0.75 l, 1 l", 0.6)),
				stand("Grains", 3, 0.8, "Rice, Buckwheat, Lentils, Oats", "Гречка, Рис"),
				stand("Preserves", 4, 0.5, "Jam, Honey, Pickles", "Варенье, Мёд, Огурцы"),
				stand("Spices", 3, 0.05, "Pepper, Paprika, Curry, Cinnamon", "Перец, Специи").in(byCapacity("15 g, 30 g, 50 g, 100 g", 0.5)),
			}},
			{"Sweets and snacks", pack, []shelf{
				stand("Chocolate", 4, 0.1, "Chocolate, Pralines, Truffles", "Шоколад, Конфеты"),
				stand("Biscuits", 3, 0.3, "Biscuits, Waffles, Gingerbread", "Печенье, Пряники"),
				stand("Nuts", 6, 0.25, "Almonds, Cashews, Walnuts", "Миндаль, Орехи"),
			}},
			{"Fresh", "Paper, Plastic", []shelf{
				stand("Cheese", 8, 0.3, "Cheddar, Gouda, Goat Cheese", "Сыр"),
				stand("Sausages", 7, 0.4, "Salami, Ham, Sausage", "Колбаса, Ветчина"),
				stand("Bread", 3, 0.6, "Rye Bread, Baguette, Rolls", "Хлеб, Батон").in(byCapacity("1 pc, 2 pcs, 4 pcs, 6 pcs", 0.8)),
			}},
		},
	}
}
