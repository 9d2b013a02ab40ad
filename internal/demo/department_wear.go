package demo

const (
	wearColours = "Black, White, Navy, Grey, Beige, Red, Green, Brown, Pink, Olive, Burgundy, Yellow, Turquoise, Orange"
	letterSizes = "XS, S, M, L, XL, XXL, 3XL"
	shoeSizes   = "35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46"
	babySizes   = "62, 68, 74, 80, 86, 92, 98, 104"
	cloth       = "Cotton, Polyester, Wool, Viscose, Linen, Elastane, Cashmere, Silk"
	upper       = "Leather, Textile, Suede, Synthetic leather, Rubber, Felt"
	flask       = "Plastic, Glass, Aluminium, Paper"
)

func clothesDepartment() department {
	return department{
		name: "Clothes", skuPrefix: "CL",
		brands: words(
			"Nordvik, Almira, Threadhouse, Lunara, Oakline, Vestal, Marsino, Fennimore, Coldbrook, Pellico"),
		cyrillicBrands: words("Северянка, Купава, Ткачиха"),
		adjectives: words(
			"Slim, Relaxed, Merino, Quilted, Classic, Cropped, Lightweight, Ribbed, Striped, Oversized, Washed, " +
				"Padded"),

		models: words("Fjord, Aurora, Linden, Harbour, Atlas, Juno, Poppy, Cedar"),
		uses:   words("cool evenings, the office, long walks, travelling light, every day of the week"),

		specs: specs{
			colours(0.98, wearColours),
			countries("Turkey, China, Bangladesh, Portugal, Italy, India, Vietnam, Poland, Uzbekistan"),
			seasons(0.95, "All year, Summer, Winter, Autumn, Spring"), rating(), warranty(0.3, "6, 3, 12"),
			feature(careFeature, 0.8,
				"Machine wash at 30 degrees, Hand wash only, Dry clean only, Do not tumble dry, Wash inside out"),
			sizes(letterSizes), colourOptions(wearColours),
		},

		subdepartments: []subdepartment{
			{"Women", cloth, []section{
				{"Dresses", 59, 0.35, "Dress, Shift Dress, Wrap Dress", "Платье, Сарафан", nil},
				{"Blouses", 35, 0.2, "Blouse, Tunic, Shirt", "Блузка, Туника", nil},
				{"Skirts", 39, 0.3, "Skirt, Midi Skirt, Pleated Skirt", "Юбка", nil},
				{"Women's coats", 129, 1.4, "Coat, Trench Coat, Parka", "Пальто, Плащ", nil},
			}},
			{"Men", cloth, []section{
				{"Shirts", 42, 0.25, "Shirt, Oxford Shirt, Flannel Shirt", "Рубашка, Сорочка", nil},
				{"Jeans", 69, 0.7, "Jeans, Chinos, Trousers", "Джинсы, Брюки", nil},
				{"Pullovers", 65, 0.5, "Pullover, Cardigan, Sweater", "Свитер, Джемпер", nil},
				{"Men's jackets", 119, 1.2, "Jacket, Bomber, Parka", "Куртка, Парка", nil},
				{"Suits", 249, 1.6, "Suit, Blazer", "Костюм, Пиджак", nil},
			}},
			{"Children", "Cotton, Polyester, Bamboo, Elastane, Wool", []section{
				{"Baby clothes", 15, 0.15, "Romper, Bodysuit, Overall", "Комбинезон, Ползунки",
					specs{sizes(babySizes)}},
				{"School clothes", 29, 0.3, "Pinafore, Polo Shirt, Trousers", "Школьная форма",
					specs{sizes(babySizes), colourOptions(wearColours)}},
				{"Nightwear", 19, 0.25, "Pyjamas, Nightshirt", "Пижама", nil},
			}},
			{"Accessories", "Wool, Cotton, Leather, Polyester, Cashmere, Silk", []section{
				{"Hats", 19, 0.1, "Hat, Beanie, Cap", "Шапка, Кепка", specs{colourOptions(wearColours)}},
				{"Scarves", 25, 0.15, "Scarf, Shawl", "Шарф, Платок", specs{colourOptions(wearColours)}},
				{"Belts", 29, 0.2, "Belt, Braces", "Ремень", specs{sizes("80, 85, 90, 95, 100, 105, 110")}},
			}},
		},
	}
}

func shoesDepartment() department {
	return department{
		name: "Shoes", skuPrefix: "SH",
		brands:         words("Strado, Wanderlux, Coblin, Feltmark, Marchetta, Tarnbeck, Solenne, Rookwell"),
		cyrillicBrands: words("Скороход Плюс, Топотун"),
		adjectives:     words("Leather, Suede, Waterproof, Cushioned, Vegan, Low, High, Lined, Woven, Flexible"),
		models:         words("Pace, Terra, Vienna, Ridge, Metro, Dune, Swift"),
		uses:           words("wet pavements, long days on your feet, the trail, the beach, an evening out"),

		specs: specs{
			colours(0.98, "Black, Brown, White, Grey, Navy, Beige, Red, Green, Olive"),
			countries("Italy, Vietnam, China, Portugal, Spain, Indonesia, Belarus"),
			seasons(0.98, "All year, Summer, Winter, Autumn, Spring"), rating(), warranty(0.7, "6, 3, 12"),
			feature(widthFeature, 0.9, "Regular, Wide, Narrow, Extra wide"),
			feature(careFeature, 0.6, "Brush when dry, Use a neutral cream, Keep away from heat"), sizes(shoeSizes),
			colourOptions("Black, Brown, White, Grey, Navy, Beige"),
		},

		subdepartments: []subdepartment{
			{"Everyday shoes", upper, []section{
				{"Sneakers", 79, 0.8, "Sneaker, Trainer, Court Shoe", "Кеды, Кроссовки", nil},
				{"Loafers", 89, 0.7, "Loafer, Moccasin", "Лоферы, Мокасины", nil},
				{"Ballet flats", 59, 0.4, "Ballerina, Flat", "Балетки", nil},
			}},
			{"Boots", upper, []section{
				{"Ankle boots", 109, 1.1, "Ankle Boot, Chelsea Boot", "Ботинки, Полусапоги", nil},
				{"Winter boots", 129, 1.5, "Winter Boot, Snow Boot", "Сапоги, Валенки", nil},
				{"Rubber boots", 39, 1.3, "Rubber Boot, Rain Boot", "Резиновые сапоги", nil},
				{"Hiking boots", 149, 1.4, "Hiking Boot, Trail Boot", "Треккинговые ботинки", nil},
			}},
			{"Light shoes", "Rubber, Textile, Leather, Felt, Cork", []section{
				{"Sandals", 45, 0.5, "Sandal, Trekking Sandal", "Сандалии, Босоножки", nil},
				{"Slippers", 25, 0.3, "Slipper, Clog, Mule", "Тапочки, Шлёпанцы", nil},
				{"Shoe care", 9, 0.15, "Shoe Cream, Brush, Insole", "Крем для обуви, Стельки",
					specs{colourOptions("Black, Brown, Neutral")}},
			}},
		},
	}
}

func sportDepartment() department {
	return department{
		name: "Sport", skuPrefix: "SP",
		brands:         words("Velotra, Kestrel Peak, Ironbay, Pulsar, Gripfast, Altitude Nine, Rowanfit, Blue Paddle"),
		cyrillicBrands: words("Спартакиада, Вершина"),
		adjectives:     words("Pro, Compact, Adjustable, Carbon, Training, Outdoor, Junior, Team, All-round, Racing"),
		models:         words("S, RX, T, Trail, Club, V"),
		uses:           words("the gym, weekends outdoors, daily training, beginners, competition"),

		specs: specs{
			colours(0.9, "Black, Blue, Red, Grey, Green, White, Orange, Yellow, Pink"),
			countries("China, Taiwan, Vietnam, Germany, Italy, Czechia, Austria"),
			seasons(0.8, "All year, Summer, Winter, Spring, Autumn"), rating(), warranty(0.9, "24, 12, 36, 60"),
			sizes("S, M, L, XL"), colourOptions("Black, Blue, Red, Grey"),
		},

		subdepartments: []subdepartment{
			{"Fitness", "Rubber, Foam, Steel, Polyester, Cotton", []section{
				{"Yoga mats", 29, 1.1, "Yoga Mat, Exercise Mat", "Коврик для йоги",
					specs{colourOptions("Black, Blue, Pink, Green, Grey")}},
				{"Weights", 39, 8, "Dumbbell, Kettlebell, Barbell Disc", "Гантели, Гиря",
					specs{capacities(0.3, "2 kg, 4 kg, 6 kg, 8 kg, 10 kg, 16 kg")}},
				{"Exercise machines", 399, 35, "Exercise Bike, Rower, Treadmill", "Велотренажёр, Беговая дорожка",
					specs{colourOptions("Black, Grey")}},
				{"Fitness clothes", 35, 0.3, "Leggings, Tank Top, Shorts", "Спортивный костюм, Шорты", nil},
			}},
			{"Cycling", "Aluminium, Steel, Plastic, Carbon", []section{
				{"Bicycles", 649, 14, "City Bike, Mountain Bike, Gravel Bike", "Велосипед", nil},
				{"Helmets", 59, 0.4, "Helmet, Road Helmet", "Шлем", nil},
				{"Bicycle parts", 25, 0.5, "Saddle, Pedal Set, Light Set, Lock", "Седло, Велозамок",
					specs{colourOptions("Black, Silver")}},
			}},
			{"Outdoors", "Polyester, Nylon, Cotton, Aluminium", []section{
				{"Tents", 189, 4, "Tent, Dome Tent, Tunnel Tent", "Палатка",
					specs{capacities(0.25, "2 persons, 3 persons, 4 persons, 6 persons")}},
				{"Sleeping bags", 89, 1.6, "Sleeping Bag, Quilt", "Спальный мешок", nil},
				{"Backpacks", 79, 1.1, "Backpack, Daypack, Hydration Pack", "Рюкзак",
					specs{capacities(0.2, "20 l, 30 l, 45 l, 60 l"), colourOptions("Black, Blue, Green")}},
			}},
			{"Games and water", "Rubber, Nylon, Polyester, Carbon, Synthetic leather", []section{
				{"Balls", 25, 0.5, "Football, Basketball, Volleyball", "Мяч",
					specs{colourOptions("White, Orange, Blue")}},
				{"Rackets", 69, 0.3, "Tennis Racket, Badminton Racket, Bat", "Ракетка", nil},
				{"Swimming", 25, 0.2, "Swim Goggles, Swim Cap, Swimsuit", "Очки для плавания, Купальник", nil},
			}},
		},
	}
}

func beautyDepartment() department {
	return department{
		name: "Beauty", skuPrefix: "BE", modifiers: giftModifiers(),
		materialFormat: "Packed in %s.",
		brands:         words("Serelle, Dermavia, Rosehip & Rye, Mirabel, Puralin, Velmour, Botanica Seven, Kalmia"),
		cyrillicBrands: words("Чистотелова, Белая Роза"),
		adjectives: words(
			"Hydrating, Gentle, Vitamin, Night, Matte, Nourishing, Soothing, Mineral, Long-lasting, Fragrance-free"),
		models: words("No."),
		uses:   words("dry skin, sensitive skin, daily care, a fresh look, travelling"),

		specs: specs{
			colours(0.7, "Transparent, Red, Pink, Brown, Beige, Black, White, Burgundy"),
			countries("France, South Korea, Germany, Poland, Italy, Japan, Russia, Bulgaria"),
			seasons(0.7, "All year, Summer, Winter"), rating(), warranty(0.5, "24, 36, 12, 18"),
			capacities(0.3, "30 ml, 50 ml, 75 ml, 100 ml, 200 ml, 400 ml"),
		},

		subdepartments: []subdepartment{
			{"Face", flask, []section{
				{"Creams", 24, 0.12, "Cream, Day Cream, Serum", "Крем, Сыворотка", nil},
				{"Cleansing", 14, 0.2, "Cleansing Gel, Toner, Micellar Water", "Гель для умывания, Тоник", nil},
				{"Masks", 9, 0.1, "Face Mask, Sheet Mask, Peel", "Маска для лица", nil},
			}},
			{"Make-up", flask, []section{
				{"Lips", 16, 0.05, "Lipstick, Lip Gloss, Lip Balm", "Помада, Блеск для губ",
					specs{colourOptions("Red, Pink, Brown, Beige, Burgundy")}},
				{"Eyes", 15, 0.05, "Mascara, Eyeliner, Eyeshadow", "Тушь, Тени",
					specs{colourOptions("Black, Brown, Beige")}},
				{"Nails", 8, 0.05, "Nail Polish, Base Coat", "Лак для ногтей",
					specs{colourOptions("Red, Pink, Burgundy, White, Black, Transparent")}},
			}},
			{"Hair and body", flask, []section{
				{"Shampoos", 9, 0.4, "Shampoo, Conditioner, Hair Mask", "Шампунь, Бальзам", nil},
				{"Body care", 11, 0.4, "Shower Gel, Body Lotion, Scrub", "Гель для душа, Лосьон", nil},
				{"Sun care", 17, 0.25, "Sun Cream, Sun Spray, After Sun", "Солнцезащитный крем", nil},
				{"Hair dryers", 59, 0.7, "Hair Dryer, Straightener, Curler", "Фен, Утюжок",
					specs{colourOptions("Black, White, Pink"),
						feature(powerFeature, 0.95, "1800, 2000, 1600, 2200, 45")}},
			}},
			{"Fragrance", "Glass, Ceramic, Aluminium", []section{
				{"Perfumes", 69, 0.3, "Eau de Parfum, Eau de Toilette", "Духи, Туалетная вода", nil},
				{"Home fragrance", 25, 0.4, "Scented Candle, Diffuser", "Ароматическая свеча", nil},
			}},
		},
	}
}
