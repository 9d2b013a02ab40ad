package demo

const (
	deviceColours = "Black, Silver, White, Grey, Blue, Gold, Green, Red"
	casing        = "Plastic, Aluminium, Glass, Steel"
	pack          = "Paper, Plastic, Glass, Cardboard, Aluminium"
)

func electronicsDepartment() department {
	return department{
		name: "Electronics", skuPrefix: "EL", namePattern: "%B %N %A %M",
		materialFormat: "Made of %s.",
		brands: splitList(
			"Auralis, Nexport, Quanta Nine, Lumiq, Zephyron, Bitwell, Sonorum, Pixelle, Orbitek, Vantix"),
		cyrillicBrands: splitList("Электросила, Квантор"),
		adjectives:     splitList("Pro, Air, Max, Lite, Ultra, Mini, Plus, Neo, Smart, Prime"),
		models:         splitList("X, A, Z, S, M, QN"),
		uses:           splitList("work and play, films in the evening, students, the road, a small desk"),
		featureSpecs: []featureSpec{
			colourSpec(0.98, deviceColours),
			countrySpec("China, Vietnam, South Korea, Taiwan, Japan, Malaysia, Hungary"),
			seasonSpec(0.4, "All year"),
			ratingSpec(), warrantySpec(0.99, "24, 12, 36"),
		},
		optionSpecs: []optionSpec{colourOptionSpec(deviceColours)},
		subdepartments: []subdepartment{
			{"Phones and tablets", casing, []section{
				newSection("Smartphones", 449, 0.19, "Phone, Smartphone", "Смартфон").withOptions(capacitySpec("64 GB, 128 GB, 256 GB, 512 GB, 1 TB", 0.15), colourOptionSpec(deviceColours)).withFeatures(newFeatureSpec(screenFeature, 1, "6.1, 6.7, 6.5, 5.8")),
				newSection("Tablets", 349, 0.5, "Tablet, Pad", "Планшет").withOptions(capacitySpec("64 GB, 128 GB, 256 GB", 0.2), colourOptionSpec(deviceColours)).withFeatures(newFeatureSpec(screenFeature, 1, "10.9, 11, 8.3, 12.9")),
				newSection("Phone cases", 19, 0.05, "Case, Flip Case, Bumper", "Чехол"),
				newSection("Chargers", 25, 0.12, "Charger, Power Bank, Cable", "Зарядное устройство, Кабель").
					withFeatures(newFeatureSpec(powerFeature, 0.9, "20, 30, 65, 100, 10")),
			}},
			{"Computers", casing, []section{
				newSection("Laptops", 849, 1.6, "Laptop, Notebook, Ultrabook", "Ноутбук").withOptions(capacitySpec("256 GB, 512 GB, 1 TB, 2 TB", 0.18), colourOptionSpec("Silver, Grey, Black")).withFeatures(newFeatureSpec(screenFeature, 1, "15.6, 14, 13.3, 16, 17.3")),
				newSection("Monitors", 229, 5.5, "Monitor, Display", "Монитор").
					withFeatures(newFeatureSpec(screenFeature, 1, "27, 24, 32, 34, 21.5")),
				newSection("Keyboards and mice", 49, 0.5, "Keyboard, Mouse, Trackball", "Клавиатура, Мышь"),
				newSection("Storage", 79, 0.15, "Drive, Memory Stick, Memory Card", "Накопитель, Флешка").
					withOptions(capacitySpec("64 GB, 128 GB, 256 GB, 512 GB, 1 TB, 2 TB", 0.45)),
				newSection("Printers", 149, 6, "Printer, Scanner", "Принтер, Сканер").
					withFeatures(newFeatureSpec(powerFeature, 0.8, "30, 300, 450")),
			}},
			{"Television and sound", casing, []section{
				newSection("Televisions", 599, 14, "Television, Smart Screen", "Телевизор").withFeatures(
					newFeatureSpec(screenFeature, 1, "55, 43, 65, 50, 32, 75, 85"),
					newFeatureSpec(powerFeature, 0.9, "120, 90, 180, 60")),
				newSection("Headphones", 79, 0.2, "Headphones, Earbuds, Headset", "Наушники, Гарнитура"),
				newSection("Loudspeakers", 129, 2.4, "Speaker, Soundbar, Radio", "Колонка, Саундбар").
					withFeatures(newFeatureSpec(powerFeature, 0.95, "20, 40, 100, 10, 300")),
			}},
			{"Photo and wearables", casing, []section{
				newSection("Cameras", 699, 0.6, "Camera, Action Camera, Compact Camera", "Фотоаппарат"),
				newSection("Lenses", 399, 0.5, "Lens, Zoom Lens, Tripod", "Объектив, Штатив"),
				newSection("Smart watches", 199, 0.05, "Watch, Fitness Band", "Умные часы, Браслет").
					withFeatures(newFeatureSpec(screenFeature, 0.9, "1.4, 1.9, 1.2")),
			}},
		},
	}
}

func booksDepartment() department {
	return department{
		name: "Books", skuPrefix: "BO", namePattern: "The %A %N, %M (%B)",
		materialFormat: "Printed on %s.",
		brands: splitList(
			"Paperlane, Lighthouse Press, Quill & Co, Northern Letters, Inkwell House, Foxglove Books"),
		cyrillicBrands: splitList("Слово и Дело, Букварь Плюс"),
		adjectives: splitList(
			"Silent, Hidden, Northern, Golden, Everyday, Little, Last, Complete, Forgotten, Secret, Curious"),
		models: splitList("vol., edition, part"),
		uses:   splitList("long evenings, curious minds, the train, a present, reading aloud"),
		featureSpecs: []featureSpec{
			countrySpec("Germany, United Kingdom, Latvia, Russia, China, Italy, United States"),
			seasonSpec(0.4, "All year, Summer, Winter"),
			ratingSpec(),
			newFeatureSpec(languageFeature, 0.99, "English, Russian, German, French, Spanish, Ukrainian, Kazakh"),
		},
		subdepartments: []subdepartment{
			{"Fiction", "Paper", []section{
				newSection("Novels", 18, 0.45, "Harbour, Winter, House, River, Letter", "Роман о море, Дорога домой"),
				newSection("Crime", 15, 0.4, "Witness, Alibi, Clue, Verdict", "Тихий свидетель, Последняя улика"),
				newSection("Fantasy", 19, 0.6, "Crown, Dragon, Tower, Prophecy", "Башня ветров, Хранители огня"),
				newSection("Poetry", 12, 0.2, "Garden, Song, Hour, Island", "Стихи разных лет"),
			}},
			{"Non-fiction", "Paper", []section{
				newSection("Cookbooks", 27, 0.9, "Kitchen, Table, Bakery, Larder",
					"Домашняя выпечка, Кухня на каждый день"),
				newSection("History", 29, 0.8, "Empire, Century, City, Voyage", "История города, Век открытий"),
				newSection(
					"Science", 31, 0.7, "Universe, Cell, Number, Atom", "Занимательная физика, Числа вокруг нас"),
				newSection("Travel", 22, 0.4, "Road, Coast, Map, Journey", "Путеводитель, Дороги севера"),
			}},
			{"Children's and school books", "Cardboard, Paper", []section{
				newSection("Picture books", 13, 0.35, "Bear, Moon, Hedgehog, Balloon", "Сказки на ночь, Мишка и луна").
					withFeatures(newFeatureSpec(ageFeature, 0.95, "3 to 5 years, Up to 2 years, 6 to 8 years")),
				newSection("Youth books", 15, 0.4, "Club, Island, School, Map", "Тайна острова").
					withFeatures(newFeatureSpec(ageFeature, 0.95, "9 to 12 years, Over 12 years")),
				newSection("Textbooks", 35, 0.9, "Algebra Course, Grammar, Atlas", "Учебник алгебры, Атлас").
					withFeatures(newFeatureSpec(ageFeature, 0.8, "9 to 12 years, Over 12 years, 6 to 8 years")),
			}},
		},
	}
}

func toysDepartment() department {
	return department{
		name: "Toys", skuPrefix: "TY", namePattern: "%B %A %N %M",
		materialFormat: "Made of %s.",
		brands:         splitList("Brickaloo, Tumbletop, Merrydale, Pipkin, Woodling, Robo Rascals, Starbox"),
		cyrillicBrands: splitList("Непоседа, Ладушки"),
		adjectives:     splitList("Wooden, Musical, Magnetic, Giant, Cuddly, Glow, Remote, Classic, First, Travel"),
		models:         splitList("No., Pack"),
		uses:           splitList("rainy days, little hands, two to four players, birthdays, the whole family"),
		featureSpecs: []featureSpec{
			colourSpec(0.85, "Multicolour, Red, Blue, Green, Yellow, Pink, White, Brown"),
			countrySpec("China, Germany, Czechia, Vietnam, Denmark, Russia, Poland"),
			seasonSpec(0.5, "All year, Summer, Winter"),
			ratingSpec(), warrantySpec(0.7, "24, 12, 6"),
			newFeatureSpec(ageFeature, 0.97, "3 to 5 years, 6 to 8 years, Up to 2 years, 9 to 12 years, Over 12 years"),
		},
		optionSpecs: []optionSpec{colourOptionSpec("Red, Blue, Green, Yellow, Pink")},
		subdepartments: []subdepartment{
			{"Building and models", "Plastic, Wood, Metal", []section{
				newSection("Building bricks", 35, 0.9, "Brick Set, Castle Set, City Set", "Конструктор").
					withOptions(capacitySpec("100 pcs, 250 pcs, 500 pcs, 1000 pcs", 0.5)),
				newSection("Train sets", 59, 1.8, "Train Set, Track Set, Locomotive", "Железная дорога"),
				newSection("Model kits", 29, 0.6, "Plane Kit, Ship Kit, Car Kit", "Сборная модель"),
			}},
			{"Dolls and soft toys", "Textile, Plastic, Wood", []section{
				newSection("Dolls", 29, 0.5, "Doll, Doll's House, Doll's Pram", "Кукла"),
				newSection("Soft toys", 19, 0.4, "Bear, Rabbit, Elephant, Owl", "Плюшевый мишка, Зайка").
					withOptions(sizeSpec("S, M, L")),
				newSection("Baby toys", 15, 0.25, "Rattle, Stacker, Play Mat", "Погремушка, Пирамидка"),
			}},
			{"Games", "Cardboard, Paper, Wood, Plastic", []section{
				newSection("Board games", 32, 1.1, "Board Game, Strategy Game, Quiz", "Настольная игра"),
				newSection("Puzzles", 15, 0.6, "Puzzle, Jigsaw", "Пазл").
					withOptions(capacitySpec("100 pcs, 500 pcs, 1000 pcs, 2000 pcs", 0.3)),
				newSection("Card games", 11, 0.2, "Card Game, Playing Cards", "Карточная игра"),
			}},
			{"Active play", "Plastic, Metal, Wood, Textile", []section{
				newSection("Toy cars", 15, 0.3, "Car, Fire Engine, Racing Car", "Машинка, Пожарная машина"),
				newSection("Outdoor toys", 25, 1.2, "Kite, Sand Set, Bubble Set", "Песочный набор, Воздушный змей"),
				newSection("Scooters", 69, 3.2, "Scooter, Balance Bike, Tricycle", "Самокат, Беговел"),
				newSection("Crafts", 17, 0.5, "Craft Set, Paint Set, Clay", "Набор для творчества"),
			}},
		},
	}
}

func foodDepartment() department {
	return department{
		name: "Food", skuPrefix: "FO", namePattern: "%B %A %N %M",
		materialFormat: "Packed in %s.",
		brands: splitList(
			"Altenhof, Bella Costa, Mill & Meadow, Orchard Lane, Casa Nonna, Highland Leaf, Sunmarket, Daily Crust"),
		cyrillicBrands: splitList("Родные Просторы, Бабушкин Погреб"),
		adjectives:     splitList("Organic, Smoked, Dark, Roasted, Wild, Creamy, Spicy, Sweet, Classic, Salted, Fresh"),
		models:         splitList("No."),
		uses:           splitList("breakfast, a quick lunch, guests, a picnic, cold days"),
		featureSpecs: []featureSpec{
			countrySpec("Italy, Germany, Russia, Poland, Spain, India, Greece, Kazakhstan, Brazil"),
			seasonSpec(0.7, "All year, Summer, Autumn, Winter"),
			ratingSpec(),
			{
				feature: dietFeature, share: 0.8,
				values: splitList("Vegetarian, Vegan, Gluten-free, Lactose-free, Halal, Sugar-free"), secondShare: 0.35,
			},
		},
		optionSpecs: []optionSpec{capacitySpec("100 g, 250 g, 500 g, 1 kg, 2 kg", 0.7)},
		modifiers: []string{
			`[{"id":"wrapping","name":"Gift wrapping","min":0,"max":1,"required":false,"items":[{"id":"paper","name":"Kraft paper","price":1.5},{"id":"box","name":"Wooden box","price":4.9}]}]`,
			`[{"id":"grind","name":"Grind","min":1,"max":1,"required":true,"items":[{"id":"whole","name":"As it is","price":0},{"id":"coarse","name":"Coarse","price":0.5},{"id":"fine","name":"Fine","price":0.5}]}]`,
			`[{"id":"extras","name":"Extras","min":0,"max":3,"required":false,"items":[{"id":"sauce","name":"Sauce","price":0.9},{"id":"crackers","name":"Crackers","price":1.2},{"id":"nuts","name":"Nuts","price":1.99}]},` +
				`{"id":"card","name":"Greeting card","min":0,"max":1,"required":false,"items":[{"id":"card","name":"Card","price":0.99}]}]`,
		},
		subdepartments: []subdepartment{
			{"Drinks", pack, []section{
				newSection("Coffee", 9, 0.5, "Coffee, Espresso, Filter Coffee", "Кофе"),
				newSection("Tea", 6, 0.15, "Black Tea, Green Tea, Herbal Tea", "Чай").
					withOptions(capacitySpec("50 g, 100 g, 250 g", 0.7)),
				newSection("Juices", 3, 1, "Apple Juice, Orange Juice, Nectar", "Сок, Морс").
					withOptions(capacitySpec("0.25 l, 0.5 l, 1 l, 2 l", 0.6)),
				newSection("Water", 1, 1.5, "Mineral Water, Spring Water", "Минеральная вода").
					withOptions(capacitySpec("0.5 l, 1 l, 1.5 l, 5 l", 0.3)),
			}},
			{"Pantry", pack, []section{
				newSection("Pasta", 2, 0.5, "Spaghetti, Penne, Noodles", "Макароны, Лапша"),
				newSection("Oils", 8, 0.8, "Olive Oil, Sunflower Oil, Vinegar", "Масло подсолнечное, Уксус").
					withOptions(capacitySpec("0.25 l, 0.5 l, 0.75 l, 1 l", 0.6)),
				newSection("Grains", 3, 0.8, "Rice, Buckwheat, Lentils, Oats", "Гречка, Рис"),
				newSection("Preserves", 4, 0.5, "Jam, Honey, Pickles", "Варенье, Мёд, Огурцы"),
				newSection("Spices", 3, 0.05, "Pepper, Paprika, Curry, Cinnamon", "Перец, Специи").
					withOptions(capacitySpec("15 g, 30 g, 50 g, 100 g", 0.5)),
			}},
			{"Sweets and snacks", pack, []section{
				newSection("Chocolate", 4, 0.1, "Chocolate, Pralines, Truffles", "Шоколад, Конфеты"),
				newSection("Biscuits", 3, 0.3, "Biscuits, Waffles, Gingerbread", "Печенье, Пряники"),
				newSection("Nuts", 6, 0.25, "Almonds, Cashews, Walnuts", "Миндаль, Орехи"),
			}},
			{"Fresh", "Paper, Plastic", []section{
				newSection("Cheese", 8, 0.3, "Cheddar, Gouda, Goat Cheese", "Сыр"),
				newSection("Sausages", 7, 0.4, "Salami, Ham, Sausage", "Колбаса, Ветчина"),
				newSection("Bread", 3, 0.6, "Rye Bread, Baguette, Rolls", "Хлеб, Батон").
					withOptions(capacitySpec("1 pc, 2 pcs, 4 pcs, 6 pcs", 0.8)),
			}},
		},
	}
}
