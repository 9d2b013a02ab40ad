package demo

const (
	deviceColours = "Black, Silver, White, Grey, Blue, Gold, Green, Red"
	casing        = "Plastic, Aluminium, Glass, Steel"
	pack          = "Paper, Plastic, Glass, Cardboard, Aluminium"
)

func electronicsDepartment() department {
	return department{
		name: "Electronics", skuPrefix: "EL", namePattern: "%B %N %A %M",
		brands: words(
			"Auralis, Nexport, Quanta Nine, Lumiq, Zephyron, Bitwell, Sonorum, Pixelle, Orbitek, Vantix"),
		cyrillicBrands: words("Электросила, Квантор"),
		adjectives:     words("Pro, Air, Max, Lite, Ultra, Mini, Plus, Neo, Smart, Prime"),
		models:         words("X, A, Z, S, M, QN"),
		uses:           words("work and play, films in the evening, students, the road, a small desk"),
		specs: specs{
			colours(0.98, deviceColours), countries("China, Vietnam, South Korea, Taiwan, Japan, Malaysia, Hungary"),
			seasons(0.4, "All year"), rating(), warranty(0.99, "24, 12, 36"), colourOptions(deviceColours),
		},

		subdepartments: []subdepartment{
			{"Phones and tablets", casing, []section{
				{"Smartphones", 449, 0.19, "Phone, Smartphone", "Смартфон",
					specs{capacities(0.15, "64 GB, 128 GB, 256 GB, 512 GB, 1 TB"), colourOptions(deviceColours),
						feature(screenFeature, 1, "6.1, 6.7, 6.5, 5.8")}},
				{"Tablets", 349, 0.5, "Tablet, Pad", "Планшет",
					specs{capacities(0.2, "64 GB, 128 GB, 256 GB"), colourOptions(deviceColours),
						feature(screenFeature, 1, "10.9, 11, 8.3, 12.9")}},
				{"Phone cases", 19, 0.05, "Case, Flip Case, Bumper", "Чехол", nil},
				{"Chargers", 25, 0.12, "Charger, Power Bank, Cable", "Зарядное устройство, Кабель",
					specs{feature(powerFeature, 0.9, "20, 30, 65, 100, 10")}},
			}},
			{"Computers", casing, []section{
				{"Laptops", 849, 1.6, "Laptop, Notebook, Ultrabook", "Ноутбук",
					specs{capacities(0.18, "256 GB, 512 GB, 1 TB, 2 TB"), colourOptions("Silver, Grey, Black"),
						feature(screenFeature, 1, "15.6, 14, 13.3, 16, 17.3")}},
				{"Monitors", 229, 5.5, "Monitor, Display", "Монитор",
					specs{feature(screenFeature, 1, "27, 24, 32, 34, 21.5")}},
				{"Keyboards and mice", 49, 0.5, "Keyboard, Mouse, Trackball", "Клавиатура, Мышь", nil},
				{"Storage", 79, 0.15, "Drive, Memory Stick, Memory Card", "Накопитель, Флешка",
					specs{capacities(0.45, "64 GB, 128 GB, 256 GB, 512 GB, 1 TB, 2 TB")}},
				{"Printers", 149, 6, "Printer, Scanner", "Принтер, Сканер",
					specs{feature(powerFeature, 0.8, "30, 300, 450")}},
			}},
			{"Television and sound", casing, []section{
				{"Televisions", 599, 14, "Television, Smart Screen", "Телевизор",
					specs{feature(screenFeature, 1, "55, 43, 65, 50, 32, 75, 85"),
						feature(powerFeature, 0.9, "120, 90, 180, 60")}},
				{"Headphones", 79, 0.2, "Headphones, Earbuds, Headset", "Наушники, Гарнитура", nil},
				{"Loudspeakers", 129, 2.4, "Speaker, Soundbar, Radio", "Колонка, Саундбар",
					specs{feature(powerFeature, 0.95, "20, 40, 100, 10, 300")}},
			}},
			{"Photo and wearables", casing, []section{
				{"Cameras", 699, 0.6, "Camera, Action Camera, Compact Camera", "Фотоаппарат", nil},
				{"Lenses", 399, 0.5, "Lens, Zoom Lens, Tripod", "Объектив, Штатив", nil},
				{"Smart watches", 199, 0.05, "Watch, Fitness Band", "Умные часы, Браслет",
					specs{feature(screenFeature, 0.9, "1.4, 1.9, 1.2")}},
			}},
		},
	}
}

func booksDepartment() department {
	return department{
		name: "Books", skuPrefix: "BO", namePattern: "The %A %N, %M (%B)",
		materialFormat: "Printed on %s.",
		brands: words(
			"Paperlane, Lighthouse Press, Quill & Co, Northern Letters, Inkwell House, Foxglove Books"),
		cyrillicBrands: words("Слово и Дело, Букварь Плюс"),
		adjectives: words(
			"Silent, Hidden, Northern, Golden, Everyday, Little, Last, Complete, Forgotten, Secret, Curious"),
		models: words("vol., edition, part"),
		uses:   words("long evenings, curious minds, the train, a present, reading aloud"),

		specs: specs{
			countries("Germany, United Kingdom, Latvia, Russia, China, Italy, United States"),
			seasons(0.4, "All year, Summer, Winter"), rating(),
			feature(languageFeature, 0.99, "English, Russian, German, French, Spanish, Ukrainian, Kazakh"),
		},

		subdepartments: []subdepartment{
			{"Fiction", "Paper", []section{
				{"Novels", 18, 0.45, "Harbour, Winter, House, River, Letter", "Роман о море, Дорога домой", nil},
				{"Crime", 15, 0.4, "Witness, Alibi, Clue, Verdict", "Тихий свидетель, Последняя улика", nil},
				{"Fantasy", 19, 0.6, "Crown, Dragon, Tower, Prophecy", "Башня ветров, Хранители огня", nil},
				{"Poetry", 12, 0.2, "Garden, Song, Hour, Island", "Стихи разных лет", nil},
			}},
			{"Non-fiction", "Paper", []section{
				{"Cookbooks", 27, 0.9, "Kitchen, Table, Bakery, Larder", "Домашняя выпечка, Кухня на каждый день", nil},
				{"History", 29, 0.8, "Empire, Century, City, Voyage", "История города, Век открытий", nil},
				{"Science", 31, 0.7, "Universe, Cell, Number, Atom", "Занимательная физика, Числа вокруг нас", nil},
				{"Travel", 22, 0.4, "Road, Coast, Map, Journey", "Путеводитель, Дороги севера", nil},
			}},
			{"Children's and school books", "Cardboard, Paper", []section{
				{"Picture books", 13, 0.35, "Bear, Moon, Hedgehog, Balloon", "Сказки на ночь, Мишка и луна",
					specs{feature(ageFeature, 0.95, "3 to 5 years, Up to 2 years, 6 to 8 years")}},
				{"Youth books", 15, 0.4, "Club, Island, School, Map", "Тайна острова",
					specs{feature(ageFeature, 0.95, "9 to 12 years, Over 12 years")}},
				{"Textbooks", 35, 0.9, "Algebra Course, Grammar, Atlas", "Учебник алгебры, Атлас",
					specs{feature(ageFeature, 0.8, "9 to 12 years, Over 12 years, 6 to 8 years")}},
			}},
		},
	}
}

func toysDepartment() department {
	return department{
		name: "Toys", skuPrefix: "TY",
		brands:         words("Brickaloo, Tumbletop, Merrydale, Pipkin, Woodling, Robo Rascals, Starbox"),
		cyrillicBrands: words("Непоседа, Ладушки"),
		adjectives:     words("Wooden, Musical, Magnetic, Giant, Cuddly, Glow, Remote, Classic, First, Travel"),
		models:         words("No., Pack"),
		modifiers:      giftModifiers(),
		uses:           words("rainy days, little hands, two to four players, birthdays, the whole family"),

		specs: specs{
			colours(0.85, "Multicolour, Red, Blue, Green, Yellow, Pink, White, Brown"),
			countries("China, Germany, Czechia, Vietnam, Denmark, Russia, Poland"),
			seasons(0.5, "All year, Summer, Winter"), rating(), warranty(0.7, "24, 12, 6"),
			feature(ageFeature, 0.97, "3 to 5 years, 6 to 8 years, Up to 2 years, 9 to 12 years, Over 12 years"),
			colourOptions("Red, Blue, Green, Yellow, Pink"),
		},

		subdepartments: []subdepartment{
			{"Building and models", "Plastic, Wood, Metal", []section{
				{"Building bricks", 35, 0.9, "Brick Set, Castle Set, City Set", "Конструктор",
					specs{capacities(0.5, "100 pcs, 250 pcs, 500 pcs, 1000 pcs")}},
				{"Train sets", 59, 1.8, "Train Set, Track Set, Locomotive", "Железная дорога", nil},
				{"Model kits", 29, 0.6, "Plane Kit, Ship Kit, Car Kit", "Сборная модель", nil},
			}},
			{"Dolls and soft toys", "Textile, Plastic, Wood", []section{
				{"Dolls", 29, 0.5, "Doll, Doll's House, Doll's Pram", "Кукла", nil},
				{"Soft toys", 19, 0.4, "Bear, Rabbit, Elephant, Owl", "Плюшевый мишка, Зайка", specs{sizes("S, M, L")}},
				{"Baby toys", 15, 0.25, "Rattle, Stacker, Play Mat", "Погремушка, Пирамидка", nil},
			}},
			{"Games", "Cardboard, Paper, Wood, Plastic", []section{
				{"Board games", 32, 1.1, "Board Game, Strategy Game, Quiz", "Настольная игра", nil},
				{"Puzzles", 15, 0.6, "Puzzle, Jigsaw", "Пазл",
					specs{capacities(0.3, "100 pcs, 500 pcs, 1000 pcs, 2000 pcs")}},
				{"Card games", 11, 0.2, "Card Game, Playing Cards", "Карточная игра", nil},
			}},
			{"Active play", "Plastic, Metal, Wood, Textile", []section{
				{"Toy cars", 15, 0.3, "Car, Fire Engine, Racing Car", "Машинка, Пожарная машина", nil},
				{"Outdoor toys", 25, 1.2, "Kite, Sand Set, Bubble Set", "Песочный набор, Воздушный змей", nil},
				{"Scooters", 69, 3.2, "Scooter, Balance Bike, Tricycle", "Самокат, Беговел", nil},
				{"Crafts", 17, 0.5, "Craft Set, Paint Set, Clay", "Набор для творчества", nil},
			}},
		},
	}
}

// Modifiers of food.
const (
	foodWrapping = `[{"id":"wrapping","name":"Gift wrapping","min":0,"max":1,"required":false,"items":[{"id":"paper",` +
		`"name":"Kraft paper","price":1.5},{"id":"box","name":"Wooden box","price":4.9}]},` +
		`{"id":"card","name":"Greeting card","min":0,"max":1,"required":false,"items":[{"id":"card",` +
		`"name":"Card with your words","price":0.99}]}]`
	grinding = `[{"id":"grind","name":"Grind","min":1,"max":1,"required":true,"items":[{"id":"whole",` +
		`"name":"Whole beans","price":0},{"id":"coarse","name":"Coarse","price":0.5},` +
		`{"id":"fine","name":"Fine","price":0.5}]}]`
	platter = `[{"id":"slicing","name":"Slicing","min":0,"max":1,"required":false,"items":[{"id":"thick",` +
		`"name":"Thick slices","price":0},{"id":"thin","name":"Thin slices","price":0}]},` +
		`{"id":"extras","name":"To go with it","min":0,"max":3,"required":false,"items":[` +
		`{"id":"mustard","name":"Mustard","price":0.9},{"id":"crackers","name":"Crackers","price":1.2},` +
		`{"id":"nuts","name":"Walnuts","price":1.99}]}]`
)

func foodDepartment() department {
	return department{
		name: "Food", skuPrefix: "FO",
		materialFormat: "Packed in %s.",
		brands: words(
			"Altenhof, Bella Costa, Mill & Meadow, Orchard Lane, Casa Nonna, Highland Leaf, Sunmarket, Daily Crust"),
		cyrillicBrands: words("Родные Просторы, Бабушкин Погреб"),
		adjectivesOf: map[string][]string{
			"Coffee":    words("Organic, Dark, Roasted, Classic, Mild, Strong"),
			"Tea":       words("Organic, Classic, Wild, Smoked, Fresh"),
			"Juices":    words("Organic, Fresh, Classic, Sweet, Cloudy"),
			"Water":     words("Still, Sparkling, Classic, Fresh"),
			"Pasta":     words("Organic, Classic, Wholegrain, Fresh"),
			"Oils":      words("Organic, Classic, Mild, Aromatic"),
			"Grains":    words("Organic, Classic, Wild, Golden"),
			"Preserves": words("Organic, Classic, Wild, Sweet"),
			"Spices":    words("Organic, Smoked, Sweet, Hot, Wild"),
			"Chocolate": words("Organic, Dark, Creamy, Classic, Sweet, Salted"),
			"Biscuits":  words("Classic, Creamy, Sweet, Spicy, Wholegrain"),
			"Nuts":      words("Roasted, Salted, Smoked, Organic, Spicy"),
			"Cheese":    words("Creamy, Smoked, Classic, Organic, Spicy"),
			"Sausages":  words("Smoked, Spicy, Classic, Organic, Salted"),
			"Bread":     words("Fresh, Classic, Wholegrain, Organic, Dark"),
		},
		models: words("No."),
		uses:   words("breakfast, a quick lunch, guests, a picnic, cold days"),

		specs: specs{
			countries("Italy, Germany, Russia, Poland, Spain, India, Greece, Kazakhstan, Brazil"),
			seasons(0.7, "All year, Summer, Autumn, Winter"), rating(),
			{name: dietFeature, share: 0.8, secondShare: 0.35,
				values: words("Vegetarian, Vegan, Gluten-free, Lactose-free, Halal, Sugar-free")},
			capacities(0.7, "100 g, 250 g, 500 g, 1 kg, 2 kg"),
		},

		modifiersOf: map[string][]string{
			"Coffee": {grinding}, "Tea": {foodWrapping}, "Preserves": {foodWrapping}, "Chocolate": {foodWrapping},
			"Biscuits": {foodWrapping}, "Nuts": {foodWrapping}, "Cheese": {platter}, "Sausages": {platter},
		},

		subdepartments: []subdepartment{
			{"Drinks", pack, []section{
				{"Coffee", 9, 0.5, "Coffee, Espresso, Filter Coffee", "Кофе", nil},
				{"Tea", 6, 0.15, "Black Tea, Green Tea, Herbal Tea", "Чай",
					specs{capacities(0.7, "50 g, 100 g, 250 g")}},
				{"Juices", 3, 1, "Apple Juice, Orange Juice, Nectar", "Сок, Морс",
					specs{capacities(0.6, "0.25 l, 0.5 l, 1 l, 2 l")}},
				{"Water", 1, 1.5, "Mineral Water, Spring Water", "Минеральная вода",
					specs{capacities(0.3, "0.5 l, 1 l, 1.5 l, 5 l")}},
			}},
			{"Pantry", pack, []section{
				{"Pasta", 2, 0.5, "Spaghetti, Penne, Noodles", "Макароны, Лапша", nil},
				{"Oils", 8, 0.8, "Olive Oil, Sunflower Oil, Vinegar", "Масло подсолнечное, Уксус",
					specs{capacities(0.6, "0.25 l, 0.5 l, 0.75 l, 1 l")}},
				{"Grains", 3, 0.8, "Rice, Buckwheat, Lentils, Oats", "Гречка, Рис", nil},
				{"Preserves", 4, 0.5, "Jam, Honey, Pickles", "Варенье, Мёд, Огурцы", nil},
				{"Spices", 3, 0.05, "Pepper, Paprika, Curry, Cinnamon", "Перец, Специи",
					specs{capacities(0.5, "15 g, 30 g, 50 g, 100 g")}},
			}},
			{"Sweets and snacks", pack, []section{
				{"Chocolate", 4, 0.1, "Chocolate, Pralines, Truffles", "Шоколад, Конфеты", nil},
				{"Biscuits", 3, 0.3, "Biscuits, Waffles, Gingerbread", "Печенье, Пряники", nil},
				{"Nuts", 6, 0.25, "Almonds, Cashews, Walnuts", "Миндаль, Орехи", nil},
			}},
			{"Fresh", "Paper, Plastic", []section{
				{"Cheese", 8, 0.3, "Cheddar, Gouda, Goat Cheese", "Сыр", nil},
				{"Sausages", 7, 0.4, "Salami, Ham, Sausage", "Колбаса, Ветчина", nil},
				{"Bread", 3, 0.6, "Rye Bread, Baguette, Rolls", "Хлеб, Батон",
					specs{capacities(0.8, "1 pc, 2 pcs, 4 pcs, 6 pcs")}},
			}},
		},
	}
}
