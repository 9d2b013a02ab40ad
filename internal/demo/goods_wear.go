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

func clothes() department {
	return department{
		name: "Clothes", code: "CL", pattern: "%B %A %N %M",
		made:       "Made of %s.",
		brands:     list("Nordvik, Almira, Threadhouse, Lunara, Oakline, Vestal, Marsino, Fennimore, Coldbrook, Pellico"),
		cyrillic:   list("Северянка, Купава, Ткачиха"),
		adjectives: list("Slim, Relaxed, Merino, Quilted, Classic, Cropped, Lightweight, Ribbed, Striped, Oversized, Washed, Padded"),
		models:     list("Fjord, Aurora, Linden, Harbour, Atlas, Juno, Poppy, Cedar"),
		uses:       list("cool evenings, the office, long walks, travelling light, every day of the week"),
		traits: []trait{
			colours(0.98, wearColours),
			countries("Turkey, China, Bangladesh, Portugal, Italy, India, Vietnam, Poland, Uzbekistan"),
			seasons(0.95, "All year, Summer, Winter, Autumn, Spring"),
			ratings(), warranty(0.3, "6, 3, 12"),
			extra(careFeature, 0.8, "Machine wash at 30 degrees, Hand wash only, Dry clean only, Do not tumble dry, Wash inside out"),
		},
		by: []split{bySize(letterSizes), byColour(wearColours)},
		aisles: []aisle{
			{"Women", cloth, []shelf{
				stand("Dresses", 59, 0.35, "Dress, Shift Dress, Wrap Dress", "Платье, Сарафан"),
				stand("Blouses", 35, 0.2, "Blouse, Tunic, Shirt", "Блузка, Туника"),
				stand("Skirts", 39, 0.3, "Skirt, Midi Skirt, Pleated Skirt", "Юбка"),
				stand("Women's coats", 129, 1.4, "Coat, Trench Coat, Parka", "Пальто, Плащ"),
			}},
			{"Men", cloth, []shelf{
				stand("Shirts", 42, 0.25, "Shirt, Oxford Shirt, Flannel Shirt", "Рубашка, Сорочка"),
				stand("Jeans", 69, 0.7, "Jeans, Chinos, Trousers", "Джинсы, Брюки"),
				stand("Pullovers", 65, 0.5, "Pullover, Cardigan, Sweater", "Свитер, Джемпер"),
				stand("Men's jackets", 119, 1.2, "Jacket, Bomber, Parka", "Куртка, Парка"),
				stand("Suits", 249, 1.6, "Suit, Blazer", "Костюм, Пиджак"),
			}},
			{"Children", "Cotton, Polyester, Bamboo, Elastane, Wool", []shelf{
				stand("Baby clothes", 15, 0.15, "Romper, Bodysuit, Overall", "Комбинезон, Ползунки").in(bySize(babySizes)),
				stand("School clothes", 29, 0.3, "Pinafore, Polo Shirt, Trousers", "Школьная форма").in(bySize(babySizes), byColour(wearColours)),
				stand("Nightwear", 19, 0.25, "Pyjamas, Nightshirt", "Пижама"),
			}},
			{"Accessories", "Wool, Cotton, Leather, Polyester, Cashmere, Silk", []shelf{
				stand("Hats", 19, 0.1, "Hat, Beanie, Cap", "Шапка, Кепка").in(byColour(wearColours)),
				stand("Scarves", 25, 0.15, "Scarf, Shawl", "Шарф, Платок").in(byColour(wearColours)),
				stand("Belts", 29, 0.2, "Belt, Braces", "Ремень").in(bySize("80, 85, 90, 95, 100, 105, 110")),
			}},
		},
	}
}

func shoes() department {
	return department{
		name: "Shoes", code: "SH", pattern: "%B %A %N %M",
		made:       "Made of %s.",
		brands:     list("Strado, Wanderlux, Coblin, Feltmark, Marchetta, Tarnbeck, Solenne, Rookwell"),
		cyrillic:   list("Скороход Плюс, Топотун"),
		adjectives: list("Leather, Suede, Waterproof, Cushioned, Vegan, Low, High, Lined, Woven, Flexible"),
		models:     list("Pace, Terra, Vienna, Ridge, Metro, Dune, Swift"),
		uses:       list("wet pavements, long days on your feet, the trail, the beach, an evening out"),
		traits: []trait{
			colours(0.98, "Black, Brown, White, Grey, Navy, Beige, Red, Green, Olive"),
			countries("Italy, Vietnam, China, Portugal, Spain, Indonesia, Belarus"),
			seasons(0.98, "All year, Summer, Winter, Autumn, Spring"),
			ratings(), warranty(0.7, "6, 3, 12"),
			extra(widthFeature, 0.9, "Regular, Wide, Narrow, Extra wide"),
			extra(careFeature, 0.6, "Brush when dry, Use a neutral cream, Keep away from heat"),
		},
		by: []split{bySize(shoeSizes), byColour("Black, Brown, White, Grey, Navy, Beige")},
		aisles: []aisle{
			{"Everyday shoes", upper, []shelf{
				stand("Sneakers", 79, 0.8, "Sneaker, Trainer, Court Shoe", "Кеды, Кроссовки"),
				stand("Loafers", 89, 0.7, "Loafer, Moccasin", "Лоферы, Мокасины"),
				stand("Ballet flats", 59, 0.4, "Ballerina, Flat", "Балетки"),
			}},
			{"Boots", upper, []shelf{
				stand("Ankle boots", 109, 1.1, "Ankle Boot, Chelsea Boot", "Ботинки, Полусапоги"),
				stand("Winter boots", 129, 1.5, "Winter Boot, Snow Boot", "Сапоги, Валенки"),
				stand("Rubber boots", 39, 1.3, "Rubber Boot, Rain Boot", "Резиновые сапоги"),
				stand("Hiking boots", 149, 1.4, "Hiking Boot, Trail Boot", "Треккинговые ботинки"),
			}},
			{"Light shoes", "Rubber, Textile, Leather, Felt, Cork", []shelf{
				stand("Sandals", 45, 0.5, "Sandal, Trekking Sandal", "Сандалии, Босоножки"),
				stand("Slippers", 25, 0.3, "Slipper, Clog, Mule", "Тапочки, Шлёпанцы"),
				stand("Shoe care", 9, 0.15, "Shoe Cream, Brush, Insole", "Крем для обуви, Стельки").in(byColour("Black, Brown, Neutral")),
			}},
		},
	}
}

func sport() department {
	return department{
		name: "Sport", code: "SP", pattern: "%B %A %N %M",
		made:       "Made of %s.",
		brands:     list("Velotra, Kestrel Peak, Ironbay, Pulsar, Gripfast, Altitude Nine, Rowanfit, Blue Paddle"),
		cyrillic:   list("Спартакиада, Вершина"),
		adjectives: list("Pro, Compact, Adjustable, Carbon, Training, Outdoor, Junior, Team, All-round, Racing"),
		models:     list("S, RX, T, Trail, Club, V"),
		uses:       list("the gym, weekends outdoors, daily training, beginners, competition"),
		traits: []trait{
			colours(0.9, "Black, Blue, Red, Grey, Green, White, Orange, Yellow, Pink"),
			countries("China, Taiwan, Vietnam, Germany, Italy, Czechia, Austria"),
			seasons(0.8, "All year, Summer, Winter, Spring, Autumn"),
			ratings(), warranty(0.9, "24, 12, 36, 60"),
		},
		by: []split{bySize("S, M, L, XL"), byColour("Black, Blue, Red, Grey")},
		aisles: []aisle{
			{"Fitness", "Rubber, Foam, Steel, Polyester, Cotton", []shelf{
				stand("Yoga mats", 29, 1.1, "Yoga Mat, Exercise Mat", "Коврик для йоги").in(byColour("Black, Blue, Pink, Green, Grey")),
				stand("Weights", 39, 8, "Dumbbell, Kettlebell, Barbell Disc", "Гантели, Гиря").in(byCapacity("2 kg, 4 kg, 6 kg, 8 kg, 10 kg, 16 kg", 0.3)),
				stand("Exercise machines", 399, 35, "Exercise Bike, Rower, Treadmill", "Велотренажёр, Беговая дорожка").in(byColour("Black, Grey")),
				stand("Fitness clothes", 35, 0.3, "Leggings, Tank Top, Shorts", "Спортивный костюм, Шорты"),
			}},
			{"Cycling", "Aluminium, Steel, Plastic, Carbon", []shelf{
				stand("Bicycles", 649, 14, "City Bike, Mountain Bike, Gravel Bike", "Велосипед"),
				stand("Helmets", 59, 0.4, "Helmet, Road Helmet", "Шлем"),
				stand("Bicycle parts", 25, 0.5, "Saddle, Pedal Set, Light Set, Lock", "Седло, Велозамок").in(byColour("Black, Silver")),
			}},
			{"Outdoors", "Polyester, Nylon, Cotton, Aluminium", []shelf{
				stand("Tents", 189, 4, "Tent, Dome Tent, Tunnel Tent", "Палатка").in(byCapacity("2 persons, 3 persons, 4 persons, 6 persons", 0.25)),
				stand("Sleeping bags", 89, 1.6, "Sleeping Bag, Quilt", "Спальный мешок"),
				stand("Backpacks", 79, 1.1, "Backpack, Daypack, Hydration Pack", "Рюкзак").in(byCapacity("20 l, 30 l, 45 l, 60 l", 0.2), byColour("Black, Blue, Green")),
			}},
			{"Games and water", "Rubber, Nylon, Polyester, Carbon, Synthetic leather", []shelf{
				stand("Balls", 25, 0.5, "Football, Basketball, Volleyball", "Мяч").in(byColour("White, Orange, Blue")),
				stand("Rackets", 69, 0.3, "Tennis Racket, Badminton Racket, Bat", "Ракетка"),
				stand("Swimming", 25, 0.2, "Swim Goggles, Swim Cap, Swimsuit", "Очки для плавания, Купальник"),
			}},
		},
	}
}

func beauty() department {
	return department{
		name: "Beauty", code: "BE", pattern: "%B %A %N %M",
		made:       "Packed in %s.",
		brands:     list("Serelle, Dermavia, Rosehip & Rye, Mirabel, Puralin, Velmour, Botanica Seven, Kalmia"),
		cyrillic:   list("Чистотелова, Белая Роза"),
		adjectives: list("Hydrating, Gentle, Vitamin, Night, Matte, Nourishing, Soothing, Mineral, Long-lasting, Fragrance-free"),
		models:     list("No."),
		uses:       list("dry skin, sensitive skin, daily care, a fresh look, travelling"),
		traits: []trait{
			colours(0.7, "Transparent, Red, Pink, Brown, Beige, Black, White, Burgundy"),
			countries("France, South Korea, Germany, Poland, Italy, Japan, Russia, Bulgaria"),
			seasons(0.7, "All year, Summer, Winter"),
			ratings(), warranty(0.5, "24, 36, 12, 18"),
		},
		by: []split{byCapacity("30 ml, 50 ml, 75 ml, 100 ml, 200 ml, 400 ml", 0.3)},
		aisles: []aisle{
			{"Face", flask, []shelf{
				stand("Creams", 24, 0.12, "Cream, Day Cream, Serum", "Крем, Сыворотка"),
				stand("Cleansing", 14, 0.2, "Cleansing Gel, Toner, Micellar Water", "Гель для умывания, Тоник"),
				stand("Masks", 9, 0.1, "Face Mask, Sheet Mask, Peel", "Маска для лица"),
			}},
			{"Make-up", flask, []shelf{
				stand("Lips", 16, 0.05, "Lipstick, Lip Gloss, Lip Balm", "Помада, Блеск для губ").in(byColour("Red, Pink, Brown, Beige, Burgundy")),
				stand("Eyes", 15, 0.05, "Mascara, Eyeliner, Eyeshadow", "Тушь, Тени").in(byColour("Black, Brown, Beige")),
				stand("Nails", 8, 0.05, "Nail Polish, Base Coat", "Лак для ногтей").in(byColour("Red, Pink, Burgundy, White, Black, Transparent")),
			}},
			{"Hair and body", flask, []shelf{
				stand("Shampoos", 9, 0.4, "Shampoo, Conditioner, Hair Mask", "Шампунь, Бальзам"),
				stand("Body care", 11, 0.4, "Shower Gel, Body Lotion, Scrub", "Гель для душа, Лосьон"),
				stand("Sun care", 17, 0.25, "Sun Cream, Sun Spray, After Sun", "Солнцезащитный крем"),
				stand("Hair dryers", 59, 0.7, "Hair Dryer, Straightener, Curler", "Фен, Утюжок").in(byColour("Black, White, Pink")).with(extra(powerFeature, 0.95, "1800, 2000, 1600, 2200, 45")),
			}},
			{"Fragrance", "Glass, Ceramic, Aluminium", []shelf{
				stand("Perfumes", 69, 0.3, "Eau de Parfum, Eau de Toilette", "Духи, Туалетная вода"),
				stand("Home fragrance", 25, 0.4, "Scented Candle, Diffuser", "Ароматическая свеча"),
			}},
		},
	}
}
