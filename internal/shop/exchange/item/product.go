package item

import (
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
)

// These are the limits of a product's lists. A longer list is probably a mistake of the client, and the transaction
// of its batch would hold its locks for too long.
const (
	maxVariants   = 10_000
	maxOptions    = 1_000
	maxRemainders = 1_000
	maxFeatures   = 1_000
	maxCategories = 1_000
	maxImages     = 250
	maxPrices     = 1_000
)

// Product returns the item type of products.
func Product() Type[catalog.ProductPush] {
	return Type[catalog.ProductPush]{"products", maxItemBytes, productMembers(), readProductPush}
}

// productParts holds the members of a product as they are read, in the order of the JSON text.
type productParts struct {
	catalog.ProductPush
	variants *[]catalog.VariantPush
	single   catalog.VariantPush
	images   imageMembers
	// singleImages are the images of single.
	singleImages imageMembers
	// singleMembers are the names of the members with the prefix variant_ that were sent.
	singleMembers []string
}

// imageMembers are the members images and images_mode of a product or a variant.
type imageMembers struct {
	mode catalog.ImagesMode
	list *[]catalog.ImagePush
}

// member reads a member. It returns false for another one.
func (m *imageMembers) member(f *itemReader, name string) bool {
	switch name {
	case "images":
		m.list = readImages(f)
	case "images_mode":
		m.mode = readImagesMode(f)
	default:
		return false
	}
	return true
}

// push combines the members. It returns nil if there is nothing to do.
func (m *imageMembers) push() *catalog.ImagesPush {
	if m.list == nil && m.mode != catalog.RemoveImages {
		return nil
	}
	p := &catalog.ImagesPush{Mode: m.mode}
	if m.list != nil && m.mode != catalog.RemoveImages {
		p.List = *m.list
	}
	if m.mode == "" {
		p.Mode = catalog.AddImages
	}
	return p
}

func readProductPush(f *itemReader) catalog.ProductPush {
	var p productParts

	f.item(&p.ID, &p.Version, func(name string) bool {
		if p.member(f, name) || p.singleMember(f, name) {
			return true
		}
		if name == "price" || name == "sku" {
			p.Misplaced = append(p.Misplaced, name)
		}
		return false
	})

	p.assemble(f)
	f.warnOfMarked(p.Mark)
	p.Part, p.Article = f.meta.Part, f.meta.Article
	p.GoodBarcodes = f.meta.Barcodes
	f.setName(p.Name, p.code())
	p.Headings = f.meta.Headings
	p.CompleteStock = f.meta.CompleteStock
	p.CompletePrices = f.meta.CompletePrices
	p.Currencies = f.meta.Currencies
	p.EmptyStock = f.meta.EmptyStock

	if p.hasRemainders() {
		p.Free = f.meta.freeStock()
	}

	p.Digest, f.scratch = digestProduct(&p.ProductPush, f.scratch)
	if line, ok := productLine(&f.meta, f.raw); ok && len(f.warnings) == 0 {
		p.Line = line.Digest
	}

	return p.ProductPush
}

// code returns the article of a product, or the first SKU of its variants.
func (p *productParts) code() string {
	code := p.Article
	if p.Variants == nil {
		return code
	}
	for _, v := range *p.Variants {
		if code == "" && v.SKU != nil {
			code = *v.SKU
		}
	}
	return code
}

// hasRemainders reports whether a variant has a list of remainders.
func (p *productParts) hasRemainders() bool {
	return p.Variants != nil && slices.ContainsFunc(*p.Variants, func(v catalog.VariantPush) bool {
		return v.Remainders != nil
	})
}

// assemble chooses between variants and single_variant, and combines lists of images with their modes.
func (p *productParts) assemble(f *itemReader) {
	var unused []string // members that the chosen form, variants or single_variant, does not use
	if p.Single {
		p.single.Images = p.singleImages.push()
		p.Variants = &[]catalog.VariantPush{p.single}
		if p.variants != nil {
			unused = []string{"variants"}
		}
	} else {
		p.Variants, unused = p.variants, p.singleMembers
	}

	for _, name := range unused {
		f.DropFailures(name)
	}

	f.warnOfUnused(p.Single, unused)

	p.Images = p.images.push()
}

// warnOfUnused adds a warning about members that the item has, but that its form does not use.
func (f *itemReader) warnOfUnused(single bool, unused []string) {
	if len(unused) == 0 {
		return
	}
	message := strings.Join(unused, ", ") + ": not used, since single_variant is not true. " +
		"Send single_variant: true with them, or put them into variants."
	if single {
		message = "variants: not used, since single_variant is true. Leave single_variant out, " +
			"or send variant_… members."
	}
	f.warnings = append(f.warnings, fault.Field{Field: unused[0], Code: "unused_members", Message: message})
}

// member reads a member of the product itself. It returns false for an unknown one.
func (p *productParts) member(f *itemReader, name string) bool {
	switch name {
	case "single_variant":
		if !f.Null() {
			p.Single, _ = f.Bool()
		}
	case "variants":
		p.variants = readVariants(f)
	case "features":
		p.Features = readReferences(f, maxFeatures, true)
	case "categories":
		p.Categories = readCategories(f)
	case "canonical_category":
		if p.CanonicalCategory = new(string); !f.Null() {
			p.CanonicalCategory = wire.OrNil(rule.ReadExternalID(f.Reader))
		}
	case "modifiers":
		p.Modifiers = wire.OrNil(catalog.ReadModifiers(f.Reader))
	case "archived", "deleted":
		f.readMark(&p.Mark, name)
	default:
		return p.images.member(f, name) || catalog.ProductScalars.ReadPush(f.Reader, name, &p.ProductPush)
	}

	return true
}

// singleMember reads a member whose name begins with variant_, which a product with single_variant may have. It returns
// false for other members.
func (p *productParts) singleMember(f *itemReader, name string) bool {
	member, found := strings.CutPrefix(name, "variant_")
	if !found || member == "id" ||
		!p.singleImages.member(f, member) && !readVariantPushMember(f, member, &p.single) {
		return false
	}
	p.singleMembers = append(p.singleMembers, name)
	return true
}

// readVariantPushMember reads a member of a variant other than its id and its images. It returns false for an unknown
// one.
func readVariantPushMember(f *itemReader, name string, v *catalog.VariantPush) bool {
	switch name {
	case "remainders":
		v.Remainders = readRemainders(f)
	case "options":
		v.Options = readReferences(f, maxOptions, false)
	case "prices":
		v.Prices = readPrices(f)
	default:
		return catalog.VariantScalars.ReadPush(f.Reader, name, v)
	}
	return true
}

// readVariants reads the variants of a product. Their ids must be distinct.
func readVariants(f *itemReader) *[]catalog.VariantPush {
	known := positions[string]{}
	var v catalog.VariantPush // one for all, since it escapes
	return readPushedList(f, maxVariants, "variants", func() (catalog.VariantPush, bool) {
		v = catalog.VariantPush{}
		images := imageMembers{}
		named := false
		ok := f.object(func(name string) bool {
			if name == "id" {
				named = true
				v.ID, _ = rule.ReadExternalID(f.Reader)
				return true
			}
			return images.member(f, name) || readVariantPushMember(f, name, &v)
		})
		v.Images = images.push()
		f.require(ok, named, "id", "A variant needs the id that your system knows it by. "+
			"A product with one variant may use single_variant instead.")

		if first, duplicate := known.firstPosition(v.ID); v.ID != "" && duplicate {
			f.FailAt("id", "duplicate_id",
				"variants[%d] has the same id; each variant of a product needs its own.", first)
		}

		return v, ok
	})
}

// readReferences reads [{id, value_id}]. If several is set, an attribute may have more than one value, each only once.
func readReferences(f *itemReader, limit int, several bool) *[]catalog.ReferencePush {
	known := positions[string]{}
	whole := positions[catalog.ReferencePush]{}
	return readPushedList(f, limit, "references", func() (ref catalog.ReferencePush, ok bool) {
		var named, valued bool

		ok = f.object(func(name string) bool {
			switch name {
			case "id":
				named = true
				ref.Attribute, _ = rule.ReadExternalID(f.Reader)
			case "value_id":
				valued = true
				ref.Value, _ = rule.ReadExternalID(f.Reader)
			default:
				return false
			}

			return true
		})

		f.require(ok, named, "id", "The id that your system knows this by is needed here.")
		f.require(ok, valued, "value_id", "The id that your system knows the value by is needed here.")

		if several {
			_, duplicate := whole.firstPosition(ref)
			return ref, ok && !duplicate
		}

		if first, duplicate := known.firstPosition(ref.Attribute); ref.Attribute != "" && duplicate {
			f.FailAt("id", "duplicate_option",
				"The element %d of this list is the same option; a variant has one value of each.", first)
		}

		return ref, ok
	})
}

// readRemainders reads [{stock_id, quantity}].
func readRemainders(f *itemReader) *[]catalog.StockedPush {
	known := positions[string]{}
	return readPushedList(f, maxRemainders, "remainders", func() (m catalog.StockedPush, ok bool) {
		var stock, quantity bool

		ok = f.object(func(name string) bool {
			switch name {
			case "stock_id":
				stock = true
				m.Stock, _ = rule.ReadExternalID(f.Reader)
			case "quantity":
				quantity = true
				m.Quantity, _ = money.ReadQuantity(f.Reader)
			default:
				return false
			}

			return true
		})

		f.requireStock(ok, stock, quantity)

		if first, duplicate := known.firstPosition(m.Stock); m.Stock != "" && duplicate {
			f.FailAt("stock_id", "duplicate_stock",
				"The element %d of this list is of the same stock; each may be named once.", first)
		}

		return m, ok
	})
}

// readPrices reads [{price_list_id, price, from_quantity?}]. If a list and quantity occur twice, the last price counts,
// with a warning.
func readPrices(f *itemReader) *[]catalog.PricedPush {
	type step struct {
		list     string
		quantity money.Quantity
	}
	known := positions[step]{}
	path := f.Path()

	list := readPushedList(f, maxPrices, "prices", func() (catalog.PricedPush, bool) {
		var read listPriceReader
		ok := f.object(func(name string) bool { return read.member(f, name) })
		f.require(ok, read.listed, "price_list_id", "The id that your system knows the price list by is needed here.")
		f.require(ok, read.priced, "price", "The price is needed here; null removes it from the list.")
		return read.finish(), ok
	})

	last := (*list)[:0]
	for _, p := range *list {
		first, twice := known.firstPosition(step{p.List, p.FromQuantity})
		if !twice {
			last = append(last, p)
			continue
		}
		last[first] = p
		f.warnings = append(f.warnings, fault.NewField(path, "duplicate_price",
			"The price list %s has two prices from the quantity %s on; the last one counts.", p.List,
			p.FromQuantity.Text()))
	}
	return &last
}

// readCategories reads a list of ids and drops duplicates.
func readCategories(f *itemReader) *[]string {
	known := positions[string]{}
	return readPushedList(f, maxCategories, "categories", func() (string, bool) {
		c, ok := rule.ReadExternalID(f.Reader)
		_, duplicate := known.firstPosition(c)
		return c, ok && !duplicate
	})
}

// readImages reads a list of URLs, {url} or {id}. It keeps duplicates, because warnings refer to positions in the list.
func readImages(f *itemReader) *[]catalog.ImagePush {
	return readPushedList(f, maxImages, "images", func() (im catalog.ImagePush, ok bool) {
		if !f.IsObject() {
			im.URL, ok = readURL(f)
			return im, ok
		}

		ok = f.object(func(name string) bool {
			switch name {
			case "url":
				im.URL, _ = readURL(f)
			case "id":
				im.ID, _ = rule.ReadExternalID(f.Reader)
			default:
				return false
			}

			return true
		})

		f.require(ok, im != (catalog.ImagePush{}), "url",
			`An image is given by its address, {"url": …}, or by the id of one that was uploaded before, {"id": …}.`)
		if im.ID != "" {
			im.URL = ""
		}

		return im, ok
	})
}

// maxURL is the maximum length of the URL of an image, in bytes.
const maxURL = 2048

func readURL(f *itemReader) (string, bool) {
	s, ok := f.String()
	if !ok {
		return "", false
	}
	if s = strings.TrimSpace(s); s == "" {
		f.Failf("invalid_url", "The address of an image is needed here, such as https://shop.example/lamp.jpg.")
		return "", false
	}
	if len(s) > maxURL {
		f.Failf("too_long", "An address may have at most %d bytes; this one has %d.", maxURL, len(s))
		return "", false
	}
	return s, true
}

func readImagesMode(f *itemReader) catalog.ImagesMode {
	s, ok := f.String()
	if !ok {
		return ""
	}
	switch mode := catalog.ImagesMode(s); mode {
	case catalog.AddImages, catalog.ReplaceImages, catalog.RemoveImages:
		return mode
	}
	f.Failf("unknown_images_mode", "Use add, which is the default, replace or remove.")
	return ""
}

// readPushedList reads a list of at most limit elements. The function read reads one element, and returns false to
// leave it out. No element is kept after one that breaks a rule: the item fails.
func readPushedList[T any](f *itemReader, limit int, what string, read func() (T, bool)) *[]T {
	list := []T{}
	n := 0
	keeps := f.KeepsElements()

	f.Array(func(int) {
		if n++; n > limit {
			f.Skip()
			return
		}
		if one, ok := read(); ok && keeps() {
			list = append(list, one)
		}
	})
	if n > limit {
		f.Failf("too_many", "At most %d %s are allowed here; this list has %d.", limit, what, n)
	}

	return &list
}

// positions maps the elements of a list to the positions of their first occurrences.
type positions[T comparable] map[T]int

// firstPosition returns the position of an earlier occurrence of an element; otherwise it adds the element.
func (f positions[T]) firstPosition(one T) (first int, duplicate bool) {
	first, duplicate = f[one]
	if !duplicate {
		f[one] = len(f)
	}
	return first, duplicate
}
