package demo

import (
	"slices"

	"vitrine/internal/demo/drawing"
)

// maxColourPictures is how many colours of a product have pictures.
const maxColourPictures = 5

// The shares of the products that have a picture of a part of them, and one in a room.
const detailShare, sceneShare = 0.5, 0.25

// Pictures returns the pictures of product i, in display order: the product in each colour of its variants, the first
// one followed, for some products, by one of a part of it and one in a room.
func (g *Generator) Pictures(i int) []drawing.Spec {
	p := g.Product(i)
	rng := newProductRand(^g.seed, uint64(i)) // independent of the random generator of the product
	front := drawing.Spec{
		Kind: kindOf(g.Categories()[p.Categories[0]].Name, p.Noun), Material: g.value(p, g.material),
		Style: rng.IntN(drawing.Styles),
	}
	switch drawing.LabelOf(front.Kind) {
	case drawing.BrandLabel:
		front.Label = p.Brand
	case drawing.NounLabel:
		front.Label = p.Noun
	case drawing.TitleLabel:
		front.Label = p.Title
		if front.Label == "" {
			front.Label = p.Noun
		}
	}

	var pictures []drawing.Spec
	shown := g.coloursOf(p)
	for _, colour := range shown[:min(len(shown), maxColourPictures)] {
		front.Colour = colour
		pictures = append(pictures, front)
	}

	var views []drawing.Spec
	for _, v := range []struct {
		view  drawing.View
		share float64
	}{{drawing.Detail, detailShare}, {drawing.Scene, sceneShare}} {
		if rng.chance(v.share) {
			view := pictures[0]
			view.View = v.view
			views = append(views, view)
		}
	}
	return slices.Insert(pictures, 1, views...)
}

// pictureText returns what a picture of product i shows: its name, and its colour if that is another one in other
// pictures.
func (g *Generator) pictureText(i int, picture drawing.Spec) string {
	p := g.Product(i)
	if picture.View != drawing.Front || g.variantColours(p) == nil {
		return p.Name
	}
	return p.Name + " – " + picture.Colour
}

// picturesOfVariants returns the picture of each variant of product i that has one in its colour: the index in
// Pictures, by the external id of the variant.
func (g *Generator) picturesOfVariants(i int, pictures []drawing.Spec) map[string]int {
	ofColour := map[string]int{}
	for k, p := range pictures {
		if p.View == drawing.Front {
			ofColour[p.Colour] = k
		}
	}

	shown := map[string]int{}
	for _, v := range g.Product(i).Variants {
		for _, colour := range g.variantColours(Product{Variants: []Variant{v}}) {
			if k, ok := ofColour[colour]; ok {
				shown[v.ExternalID] = k
			}
		}
	}
	return shown
}

// coloursOf returns the colours of a product's variants, or its own one. It is "" if the product has none.
func (g *Generator) coloursOf(p Product) []string {
	if names := g.variantColours(p); names != nil {
		return names
	}
	return []string{g.value(p, g.colour)}
}

// variantColours returns the colours of a product's variants, in their order; nil if they have none.
func (g *Generator) variantColours(p Product) (names []string) {
	attribute, isOption := g.options.attribute[g.colour]
	for _, v := range p.Variants {
		for _, o := range v.Options {
			if !isOption || o.Attribute != attribute {
				continue
			}
			if c := g.options.list[attribute].Values[o.Value]; !slices.Contains(names, c) {
				names = append(names, c)
			}
		}
	}
	return names
}

// value returns the first value of a feature, or "".
func (g *Generator) value(p Product, name string) string {
	attribute, ok := g.features.attribute[name]
	index := slices.IndexFunc(p.Features, func(c Choice) bool { return c.Attribute == attribute })
	if !ok || index < 0 {
		return ""
	}
	return g.features.list[attribute].Values[p.Features[index].Value]
}
