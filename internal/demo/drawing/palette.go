package drawing

import "strings"

// palette has the colours of the catalogues, in English and in Russian.
var palette = map[string]rgb{
	"black": {42, 42, 46}, "white": {243, 241, 236}, "grey": {140, 144, 148}, "silver": {194, 198, 203},
	"navy": {40, 56, 98}, "blue": {58, 108, 178}, "turquoise": {70, 170, 168}, "green": {78, 134, 92},
	"olive": {116, 118, 72}, "yellow": {232, 190, 72}, "gold": {206, 168, 94}, "orange": {222, 130, 62},
	"terracotta": {192, 104, 78}, "red": {190, 58, 56}, "burgundy": {118, 40, 58}, "pink": {224, 152, 170},
	"beige": {218, 200, 172}, "brown": {126, 86, 60}, "oak": oak, "walnut": walnut,
	"transparent": {222, 232, 234}, "neutral": {214, 196, 160}, "multicolour": {222, 120, 70},

	"чёрный": {42, 42, 46}, "белый": {243, 241, 236}, "серый": {140, 144, 148}, "серебристый": {194, 198, 203},
	"тёмно-синий": {40, 56, 98}, "синий": {58, 108, 178}, "голубой": {128, 178, 216}, "зелёный": {78, 134, 92},
	"хаки": {116, 118, 72}, "жёлтый": {232, 190, 72}, "золотистый": {206, 168, 94}, "оранжевый": {222, 130, 62},
	"бронзовый": {158, 112, 66}, "красный": {190, 58, 56}, "бордовый": {118, 40, 58}, "розовый": {224, 152, 170},
	"фиолетовый": {122, 86, 158}, "бежевый": {218, 200, 172}, "коричневый": {126, 86, 60}, "хром": chrome,
	"прозрачный": {222, 232, 234}, "разноцветный": {222, 120, 70},
}

// material is what a product is made of, as far as it can be seen.
type material byte

const (
	unknownMaterial material = iota
	wooden
	metallic
	leathery
	woven
	glazed
	glassy
	wickerwork
	plastic
	woollen
	furry
)

var materials = map[string]material{
	"wood": wooden, "bamboo": wooden, "дерево": wooden, "бамбук": wooden,
	"steel": metallic, "metal": metallic, "aluminium": metallic, "cast iron": metallic, "металл": metallic,
	"сталь": metallic, "нержавеющая сталь": metallic, "алюминий": metallic, "латунь": metallic,
	"leather": leathery, "suede": leathery, "synthetic leather": leathery, "натуральная кожа": leathery,
	"искусственная кожа": leathery, "замша": leathery,
	"textile": woven, "cotton": woven, "linen": woven, "polyester": woven, "nylon": woven, "viscose": woven,
	"ткань": woven, "текстиль": woven, "хлопок": woven, "лён": woven, "полиэстер": woven, "нейлон": woven,
	"ceramic": glazed, "керамика": glazed, "фарфор": glazed,
	"glass": glassy, "стекло": glassy, "хрусталь": glassy,
	"rattan": wickerwork, "plastic": plastic, "пластик": plastic,
	"wool": woollen, "cashmere": woollen, "felt": woollen, "шерсть": woollen, "войлок": woollen, "кашемир": woollen,
	"акрил": woollen, "плюш": furry, "искусственный мех": furry,
}

// ColourNames returns the colours that a picture can have, in small letters.
func ColourNames() []string {
	var names []string
	for name := range palette {
		names = append(names, name)
	}
	return names
}

// chooseColours sets the colours and the material of the product.
func (d *drawing) chooseColours(k design) {
	c, known := palette[strings.ToLower(d.Colour)]
	d.known = known
	d.c = c
	if !known {
		d.c = k.usual
		if len(k.others) > 0 && d.Style > 0 {
			d.c = k.others[(d.Style-1)%len(k.others)]
		}
	}

	d.material = materials[strings.ToLower(d.Material)]
	partners := []rgb{white, charcoal, brass, beech, palette["navy"], palette["terracotta"]}
	d.second = partners[(d.Style+len(d.Kind))%len(partners)]
	if distance(d.second, d.c) < 90 {
		d.second = d.c.contrast()
	}
}

func distance(a, b rgb) float32 {
	abs := func(x float32) float32 { return max(x, -x) }
	return abs(a.r-b.r) + abs(a.g-b.g) + abs(a.b-b.b)
}

// isWood reports whether the colour is one of wood.
func (d *drawing) isWood() bool { return d.c == oak || d.c == walnut }

// made returns the surface of the product by its material, or usual if the material does not say.
func (d *drawing) made(usual func(rgb) surface) surface {
	if d.isWood() {
		return wood(d.c)
	}

	switch d.material {
	case wooden:
		if distance(d.c, oak) < 170 || distance(d.c, walnut) < 90 {
			return wood(d.c)
		}
		return satin(d.c) // painted
	case metallic:
		return metal(mix(d.c, steel, 0.25))
	case leathery:
		return leather(d.c)
	case woven:
		return cloth(d.c)
	case glazed:
		return glossy(d.c)
	case wickerwork:
		return wicker(mix(d.c, kraft, 0.45))
	case plastic:
		return satin(d.c)
	case woollen:
		return knitted(d.c)
	case furry:
		return plush(d.c)
	}
	return usual(d.c)
}

// frame returns the surface of legs and the like: wood or metal.
func (d *drawing) frame() surface {
	switch {
	case d.material == metallic:
		return metal(steel)
	case d.material == wooden || d.isWood():
		return wood(mix(d.c, oak, 0.6))
	}
	return []surface{wood(beech), wood(walnut), satin(charcoal), metal(brass)}[d.one(4)]
}
