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
		name: "Clothes", skuPrefix: "CL", namePattern: "%B %A %N %M",
		materialFormat: "Made of %s.",
		brands: splitList(
			"Nordvik, Almira, Threadhouse, Lunara, Oakline, Vestal, Marsino, Fennimore, Coldbrook, Pellico"),
		cyrillicBrands: splitList("Северянка, Купава, Ткачиха"),
		adjectives:     splitList("Slim, Relaxed, Merino, Quilted, Classic, Cropped, Lightweight, Ribbed, Striped, Oversized, Washed, Padded"),
		models:         splitList("Fjord, Aurora, Linden, Harbour, Atlas, Juno, Poppy, Cedar"),
		uses:           splitList("cool evenings, the office, long walks, travelling light, every day of the week"),
		featureSpecs: []featureSpec{
			colourSpec(0.98, wearColours),
			countrySpec("Turkey, China, Bangladesh, Portugal, Italy, India, Vietnam, Poland, Uzbekistan"),
			seasonSpec(0.95, "All year, Summer, Winter, Autumn, Spring"),
			ratingSpec(), warrantySpec(0.3, "6, 3, 12"),
			newFeatureSpec(careFeature, 0.8,
				"Machine wash at 30 degrees, Hand wash only, Dry clean only, Do not tumble dry, Wash inside out"),
		},
		optionSpecs: []optionSpec{sizeSpec(letterSizes), colourOptionSpec(wearColours)},
		subdepartments: []subdepartment{
			{"Women", cloth, []section{
				newSection("Dresses", 59, 0.35, "Dress, Shift Dress, Wrap Dress", "Платье, Сарафан"),
				newSection("Blouses", 35, 0.2, "Blouse, Tunic, Shirt", "Блузка, Туника"),
				newSection("Skirts", 39, 0.3, "Skirt, Midi Skirt, Pleated Skirt", "Юбка"),
				newSection("Women's coats", 129, 1.4, "Coat, Trench Coat, Parka", "Пальто, Плащ"),
			}},
			{"Men", cloth, []section{
				newSection("Shirts", 42, 0.25, "Shirt, Oxford Shirt, Flannel Shirt", "Рубашка, Сорочка"),
				newSection("Jeans", 69, 0.7, "Jeans, Chinos, Trousers", "Джинсы, Брюки"),
				newSection("Pullovers", 65, 0.5, "Pullover, Cardigan, Sweater", "Свитер, Джемпер"),
				newSection("Men's jackets", 119, 1.2, "Jacket, Bomber, Parka", "Куртка, Парка"),
				newSection("Suits", 249, 1.6, "Suit, Blazer", "Костюм, Пиджак"),
			}},
			{"Children", "Cotton, Polyester, Bamboo, Elastane, Wool", []section{
				newSection("Baby clothes", 15, 0.15, "Romper, Bodysuit, Overall", "Комбинезон, Ползунки").
					withOptions(sizeSpec(babySizes)),
				newSection("School clothes", 29, 0.3, "Pinafore, Polo Shirt, Trousers", "Школьная форма").
					withOptions(sizeSpec(babySizes), colourOptionSpec(wearColours)),
				newSection("Nightwear", 19, 0.25, "Pyjamas, Nightshirt", "Пижама"),
			}},
			{"Accessories", "Wool, Cotton, Leather, Polyester, Cashmere, Silk", []section{
				newSection("Hats", 19, 0.1, "Hat, Beanie, Cap", "Шапка, Кепка").
					withOptions(colourOptionSpec(wearColours)),
				newSection("Scarves", 25, 0.15, "Scarf, Shawl", "Шарф, Платок").
					withOptions(colourOptionSpec(wearColours)),
				newSection("Belts", 29, 0.2, "Belt, Braces", "Ремень").
					withOptions(sizeSpec("80, 85, 90, 95, 100, 105, 110")),
			}},
		},
	}
}

func shoesDepartment() department {
	return department{
		name: "Shoes", skuPrefix: "SH", namePattern: "%B %A %N %M",
		materialFormat: "Made of %s.",
		brands:         splitList("Strado, Wanderlux, Coblin, Feltmark, Marchetta, Tarnbeck, Solenne, Rookwell"),
		cyrillicBrands: splitList("Скороход Плюс, Топотун"),
		adjectives:     splitList("Leather, Suede, Waterproof, Cushioned, Vegan, Low, High, Lined, Woven, Flexible"),
		models:         splitList("Pace, Terra, Vienna, Ridge, Metro, Dune, Swift"),
		uses:           splitList("wet pavements, long days on your feet, the trail, the beach, an evening out"),
		featureSpecs: []featureSpec{
			colourSpec(0.98, "Black, Brown, White, Grey, Navy, Beige, Red, Green, Olive"),
			countrySpec("Italy, Vietnam, China, Portugal, Spain, Indonesia, Belarus"),
			seasonSpec(0.98, "All year, Summer, Winter, Autumn, Spring"),
			ratingSpec(), warrantySpec(0.7, "6, 3, 12"),
			newFeatureSpec(widthFeature, 0.9, "Regular, Wide, Narrow, Extra wide"),
			newFeatureSpec(careFeature, 0.6, "Brush when dry, Use a neutral cream, Keep away from heat"),
		},
		optionSpecs: []optionSpec{sizeSpec(shoeSizes), colourOptionSpec("Black, Brown, White, Grey, Navy, Beige")},
		subdepartments: []subdepartment{
			{"Everyday shoes", upper, []section{
				newSection("Sneakers", 79, 0.8, "Sneaker, Trainer, Court Shoe", "Кеды, Кроссовки"),
				newSection("Loafers", 89, 0.7, "Loafer, Moccasin", "Лоферы, Мокасины"),
				newSection("Ballet flats", 59, 0.4, "Ballerina, Flat", "Балетки"),
			}},
			{"Boots", upper, []section{
				newSection("Ankle boots", 109, 1.1, "Ankle Boot, Chelsea Boot", "Ботинки, Полусапоги"),
				newSection("Winter boots", 129, 1.5, "Winter Boot, Snow Boot", "Сапоги, Валенки"),
				newSection("Rubber boots", 39, 1.3, "Rubber Boot, Rain Boot", "Резиновые сапоги"),
				newSection("Hiking boots", 149, 1.4, "Hiking Boot, Trail Boot", "Треккинговые ботинки"),
			}},
			{"Light shoes", "Rubber, Textile, Leather, Felt, Cork", []section{
				newSection("Sandals", 45, 0.5, "Sandal, Trekking Sandal", "Сандалии, Босоножки"),
				newSection("Slippers", 25, 0.3, "Slipper, Clog, Mule", "Тапочки, Шлёпанцы"),
				newSection("Shoe care", 9, 0.15, "Shoe Cream, Brush, Insole", "Крем для обуви, Стельки").
					withOptions(colourOptionSpec("Black, Brown, Neutral")),
			}},
		},
	}
}

func sportDepartment() department {
	return department{
		name: "Sport", skuPrefix: "SP", namePattern: "%B %A %N %M",
		materialFormat: "Made of %s.",
		brands: splitList(
			"Velotra, Kestrel Peak, Ironbay, Pulsar, Gripfast, Altitude Nine, Rowanfit, Blue Paddle"),
		cyrillicBrands: splitList("Спартакиада, Вершина"),
		adjectives: splitList(
			"Pro, Compact, Adjustable, Carbon, Training, Outdoor, Junior, Team, All-round, Racing"),
		models: splitList("S, RX, T, Trail, Club, V"),
		uses:   splitList("the gym, weekends outdoors, daily training, beginners, competition"),
		featureSpecs: []featureSpec{
			colourSpec(0.9, "Black, Blue, Red, Grey, Green, White, Orange, Yellow, Pink"),
			countrySpec("China, Taiwan, Vietnam, Germany, Italy, Czechia, Austria"),
			seasonSpec(0.8, "All year, Summer, Winter, Spring, Autumn"),
			ratingSpec(), warrantySpec(0.9, "24, 12, 36, 60"),
		},
		optionSpecs: []optionSpec{sizeSpec("S, M, L, XL"), colourOptionSpec("Black, Blue, Red, Grey")},
		subdepartments: []subdepartment{
			{"Fitness", "Rubber, Foam, Steel, Polyester, Cotton", []section{
				newSection("Yoga mats", 29, 1.1, "Yoga Mat, Exercise Mat", "Коврик для йоги").
					withOptions(colourOptionSpec("Black, Blue, Pink, Green, Grey")),
				newSection("Weights", 39, 8, "Dumbbell, Kettlebell, Barbell Disc", "Гантели, Гиря").
					withOptions(capacitySpec("2 kg, 4 kg, 6 kg, 8 kg, 10 kg, 16 kg", 0.3)),
				newSection("Exercise machines", 399, 35, "Exercise Bike, Rower, Treadmill", "Велотренажёр, Беговая дорожка").withOptions(colourOptionSpec("Black, Grey")),
				newSection("Fitness clothes", 35, 0.3, "Leggings, Tank Top, Shorts", "Спортивный костюм, Шорты"),
			}},
			{"Cycling", "Aluminium, Steel, Plastic, Carbon", []section{
				newSection("Bicycles", 649, 14, "City Bike, Mountain Bike, Gravel Bike", "Велосипед"),
				newSection("Helmets", 59, 0.4, "Helmet, Road Helmet", "Шлем"),
				newSection("Bicycle parts", 25, 0.5, "Saddle, Pedal Set, Light Set, Lock", "Седло, Велозамок").
					withOptions(colourOptionSpec("Black, Silver")),
			}},
			{"Outdoors", "Polyester, Nylon, Cotton, Aluminium", []section{
				newSection("Tents", 189, 4, "Tent, Dome Tent, Tunnel Tent", "Палатка").
					withOptions(capacitySpec("2 persons, 3 persons, 4 persons, 6 persons", 0.25)),
				newSection("Sleeping bags", 89, 1.6, "Sleeping Bag, Quilt", "Спальный мешок"),
				newSection("Backpacks", 79, 1.1, "Backpack, Daypack, Hydration Pack", "Рюкзак").
					withOptions(capacitySpec("20 l, 30 l, 45 l, 60 l", 0.2), colourOptionSpec("Black, Blue, Green")),
			}},
			{"Games and water", "Rubber, Nylon, Polyester, Carbon, Synthetic leather", []section{
				newSection("Balls", 25, 0.5, "Football, Basketball, Volleyball", "Мяч").
					withOptions(colourOptionSpec("White, Orange, Blue")),
				newSection("Rackets", 69, 0.3, "Tennis Racket, Badminton Racket, Bat", "Ракетка"),
				newSection("Swimming", 25, 0.2, "Swim Goggles, Swim Cap, Swimsuit", "Очки для плавания, Купальник"),
			}},
		},
	}
}

func beautyDepartment() department {
	return department{
		name: "Beauty", skuPrefix: "BE", namePattern: "%B %A %N %M",
		materialFormat: "Packed in %s.",
		brands: splitList(
			"Serelle, Dermavia, Rosehip & Rye, Mirabel, Puralin, Velmour, Botanica Seven, Kalmia"),
		cyrillicBrands: splitList("Чистотелова, Белая Роза"),
		adjectives: splitList(
			"Hydrating, Gentle, Vitamin, Night, Matte, Nourishing, Soothing, Mineral, Long-lasting, Fragrance-free"),
		models: splitList("No."),
		uses:   splitList("dry skin, sensitive skin, daily care, a fresh look, travelling"),
		featureSpecs: []featureSpec{
			colourSpec(0.7, "Transparent, Red, Pink, Brown, Beige, Black, White, Burgundy"),
			countrySpec("France, South Korea, Germany, Poland, Italy, Japan, Russia, Bulgaria"),
			seasonSpec(0.7, "All year, Summer, Winter"),
			ratingSpec(), warrantySpec(0.5, "24, 36, 12, 18"),
		},
		optionSpecs: []optionSpec{capacitySpec("30 ml, 50 ml, 75 ml, 100 ml, 200 ml, 400 ml", 0.3)},
		subdepartments: []subdepartment{
			{"Face", flask, []section{
				newSection("Creams", 24, 0.12, "Cream, Day Cream, Serum", "Крем, Сыворотка"),
				newSection("Cleansing", 14, 0.2, "Cleansing Gel, Toner, Micellar Water", "Гель для умывания, Тоник"),
				newSection("Masks", 9, 0.1, "Face Mask, Sheet Mask, Peel", "Маска для лица"),
			}},
			{"Make-up", flask, []section{
				newSection("Lips", 16, 0.05, "Lipstick, Lip Gloss, Lip Balm", "Помада, Блеск для губ").
					withOptions(colourOptionSpec("Red, Pink, Brown, Beige, Burgundy")),
				newSection("Eyes", 15, 0.05, "Mascara, Eyeliner, Eyeshadow", "Тушь, Тени").
					withOptions(colourOptionSpec("Black, Brown, Beige")),
				newSection("Nails", 8, 0.05, "Nail Polish, Base Coat", "Лак для ногтей").
					withOptions(colourOptionSpec("Red, Pink, Burgundy, White, Black, Transparent")),
			}},
			{"Hair and body", flask, []section{
				newSection("Shampoos", 9, 0.4, "Shampoo, Conditioner, Hair Mask", "Шампунь, Бальзам"),
				newSection("Body care", 11, 0.4, "Shower Gel, Body Lotion, Scrub", "Гель для душа, Лосьон"),
				newSection("Sun care", 17, 0.25, "Sun Cream, Sun Spray, After Sun", "Солнцезащитный крем"),
				newSection("Hair dryers", 59, 0.7, "Hair Dryer, Straightener, Curler", "Фен, Утюжок").withOptions(colourOptionSpec("Black, White, Pink")).withFeatures(newFeatureSpec(powerFeature, 0.95, "1800, 2000, 1600, 2200, 45")),
			}},
			{"Fragrance", "Glass, Ceramic, Aluminium", []section{
				newSection("Perfumes", 69, 0.3, "Eau de Parfum, Eau de Toilette", "Духи, Туалетная вода"),
				newSection("Home fragrance", 25, 0.4, "Scented Candle, Diffuser", "Ароматическая свеча"),
			}},
		},
	}
}
