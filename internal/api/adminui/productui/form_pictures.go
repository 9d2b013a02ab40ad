package productui

import (
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
)

// maxTicks bounds the images that the grid offers: the rows of a page times the images of the product.
const maxTicks = 5000

// rowPictures are the images of a row of the grid: ids of images of the product, which several rows may have, and of
// the variant's own.
type rowPictures struct {
	Ticked []string // in display order
	// Was are those that were ticked when the form was filled from the stored product.
	Was []string
	// own are the images that only the variant has. They are not posted.
	own []pictureView
	// gone says that an image was ticked that the product has lost since.
	gone bool
}

// pictureTick is an image that can be ticked in a row.
type pictureTick struct {
	pictureView
	Number int // among the images of the product; 0 for the variant's own
	Ticked bool
}

// pictures reads the images of a row. Their order is that of the stored product, if it has them.
func (f *formReader) pictures(prefix string) rowPictures {
	ticked := f.Values[prefix+".image"]
	return rowPictures{Ticked: slices.Clone(ticked[:min(len(ticked), maxRows)]),
		Was: strings.Fields(f.Get(prefix + ".images"))}
}

// addPictures adds the images of a stored variant to its row.
func (s *storedProduct) addPictures(v *catalog.Variant, row *variantRow) {
	for i := range v.Images {
		im := &v.Images[i]
		row.Pictures.Ticked = append(row.Pictures.Ticked, im.ID.String())
		ofProduct := func(other catalog.Image) bool { return other.ID == im.ID }
		if !slices.ContainsFunc(s.Images, ofProduct) {
			row.Pictures.own = append(row.Pictures.own, pictureViews(v.Images[i:i+1])...)
		}
	}
	row.Pictures.Was = slices.Clone(row.Pictures.Ticked)
}

// takePictures adds the images of the stored product to the form, and puts those of its rows in order. Images that the
// product or the variant no longer has are not ticked any more: the buttons of images change them at once, so that the
// form may be older than they are.
func (form *productForm) takePictures(stored *productForm) {
	form.Pictures = stored.Pictures
	shared := map[string]bool{}
	for _, p := range form.Pictures {
		shared[p.ID] = true
	}

	for _, v := range form.Variants {
		theirs := rowPictures{}
		for _, row := range stored.Variants {
			if row.ID == v.ID && !v.IsNew() {
				theirs = row.Pictures
			}
		}
		if !form.PicturesShown {
			v.Pictures = theirs
			continue
		}
		v.Pictures.complete(theirs, shared)
	}
}

// complete brings the images of a posted row up to date with those of its stored variant.
func (p *rowPictures) complete(stored rowPictures, shared map[string]bool) {
	has := func(id string) bool {
		return shared[id] || slices.ContainsFunc(stored.own, func(o pictureView) bool { return o.ID == id })
	}

	var ticked []string
	for _, id := range p.Was {
		if has(id) && slices.Contains(p.Ticked, id) {
			ticked = append(ticked, id)
		}
	}
	for _, id := range p.Ticked {
		switch {
		case slices.Contains(ticked, id):
		case has(id):
			ticked = append(ticked, id)
		case !slices.Contains(p.Was, id):
			p.gone = true
		}
	}

	p.Ticked = ticked
	p.Was = slices.DeleteFunc(p.Was, func(id string) bool { return !has(id) })
	p.own = stored.own
}

// picturesChanged reports whether a variant has other stored images than when the form was rendered.
func (form *productForm) picturesChanged(stored *productForm) bool {
	if !form.PicturesShown {
		return false
	}
	for _, v := range form.Variants {
		for _, row := range stored.Variants {
			if row.ID == v.ID && !v.IsNew() && !slices.Equal(v.Pictures.Was, row.Pictures.Ticked) {
				return true
			}
		}
	}
	return false
}

// edit returns the images that the row asks for, or nil if they stay.
func (p *rowPictures) edit(at place, wrong *formErrors) *[]catalog.ImageID {
	if p.gone {
		wrong.add(at, wrong.l.T("An image that was ticked is no longer one of this product."))
	}
	if slices.Equal(p.Ticked, p.Was) {
		return nil
	}
	list := make([]catalog.ImageID, len(p.Ticked))
	for i, text := range p.Ticked {
		list[i] = parseID[imagefile.Image](text, at, wrong)
	}
	return &list
}

// merge takes the stored images of a variant, unless the operator has changed those of the row.
func (p *rowPictures) merge(stored rowPictures) {
	if slices.Equal(p.Ticked, p.Was) {
		p.Ticked = stored.Ticked
	}
	p.Was = stored.Ticked
	p.own = stored.own
}

// pictureNames returns the images of a row as people know them: by their numbers.
func (form *productForm) pictureNames(v *variantRow, l *frame.Language) string {
	names := make([]string, len(v.Pictures.Ticked))
	for i, id := range v.Pictures.Ticked {
		names[i] = l.T("Its own image")
		if n := slices.IndexFunc(form.Pictures, func(p pictureView) bool { return p.ID == id }); n >= 0 {
			names[i] = l.T("Image %s", strconv.Itoa(n+1))
		}
	}
	return strings.Join(names, ", ")
}

// Ticks returns the images that can be ticked in a row: the variant's own, then those of the product. The grid of a
// large product offers only the first images, and those that are ticked.
func (form *productForm) Ticks(v *variantRow) []pictureTick {
	list := make([]pictureTick, 0, len(v.Pictures.own)+len(form.Pictures))
	for _, p := range v.Pictures.own {
		list = append(list, pictureTick{p, 0, slices.Contains(v.Pictures.Ticked, p.ID)})
	}
	for i, p := range form.Pictures {
		ticked := slices.Contains(v.Pictures.Ticked, p.ID)
		if ticked || i < form.offeredPictures() {
			list = append(list, pictureTick{p, i + 1, ticked})
		}
	}
	return list
}

func (form *productForm) offeredPictures() int { return maxTicks / max(1, len(form.Variants)) }

// LeavesPicturesOut reports whether the product has more images than the grid offers.
func (form *productForm) LeavesPicturesOut() bool { return len(form.Pictures) > form.offeredPictures() }

// ShowsPictures reports whether the grid has the images of variants: a single variant looks like its product.
func (form *productForm) ShowsPictures() bool {
	if form.ID == "" {
		return false
	}
	return len(form.Variants) > 1 || form.VariantPages > 1 ||
		slices.ContainsFunc(form.Variants, func(v *variantRow) bool { return len(v.Pictures.Ticked) > 0 })
}

// copyPictures ticks the images of the product that the first row of each value of an option has in all rows with this
// value. Rows without images come first for no value, and a variant's own images stay its own.
func (form *productForm) copyPictures(optionID string) {
	column := slices.IndexFunc(form.Options, func(c choice) bool { return c.ID == optionID })
	if column < 0 {
		return
	}

	first := map[string]*variantRow{}
	for _, v := range form.Variants {
		value := strings.ToLower(v.Options[column].Text)
		if value != "" && !v.Removed && first[value] == nil && len(form.sharedPictures(v)) > 0 {
			first[value] = v
		}
	}

	for _, v := range form.Variants {
		from := first[strings.ToLower(v.Options[column].Text)]
		if from != nil && from != v && !v.Removed {
			v.Pictures.Ticked = slices.Concat(form.ownPictures(v), form.sharedPictures(from))
		}
	}
}

// sharedPictures and ownPictures return the ticked images of a row that the product has, and those that it has not.
func (form *productForm) sharedPictures(v *variantRow) []string {
	return slices.DeleteFunc(slices.Clone(v.Pictures.Ticked), func(id string) bool { return !form.hasPicture(id) })
}

func (form *productForm) ownPictures(v *variantRow) []string {
	return slices.DeleteFunc(slices.Clone(v.Pictures.Ticked), form.hasPicture)
}

func (form *productForm) hasPicture(id string) bool {
	return slices.ContainsFunc(form.Pictures, func(p pictureView) bool { return p.ID == id })
}
