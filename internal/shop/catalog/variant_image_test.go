package catalog_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// variantWith returns the edit of a variant with this SKU and these images.
func variantWith(sku string, images ...Image) VariantEdit {
	return VariantEdit{SKU: &sku, ExternalID: &sku, Price: new(money.NewPrice(100)), Images: new(idsOf(images...))}
}

// variantImages returns the images of each live variant of a product, by SKU.
func (s *imageFixture) variantImages(p fullProduct) map[string][]ImageID {
	s.Helper()
	images := map[string][]ImageID{}
	s.Read(func(tx store.Tx) error {
		list, _, err := s.Products.ListVariants(s.Context(), tx, p.Product, Live, 100, 0)
		for _, v := range list {
			images[v.SKU] = idsOf(v.Images...)
		}
		return err
	})
	return images
}

func (s *imageFixture) wantVariantImages(p fullProduct, sku string, want ...Image) {
	s.Helper()
	if got := s.variantImages(p)[sku]; !slices.Equal(got, idsOf(want...)) {
		s.Errorf("variant %s has the images %v, want %v", sku, got, idsOf(want...))
	}
	for _, v := range s.load(p.ID).Variants {
		if v.SKU == sku && !slices.Equal(idsOf(v.Images...), idsOf(want...)) {
			s.Errorf("the product shows the images %v of variant %s, want %v", idsOf(v.Images...), sku, idsOf(want...))
		}
	}
}

// wantOwner checks that an image belongs to the product, and to one of its variants or to none.
func (s *imageFixture) wantOwner(im Image, productID *ProductID, ofVariant bool) {
	s.Helper()
	got := s.image(im.ID)
	if (got.ProductID == nil) != (productID == nil) || (got.VariantID != nil) != ofVariant {
		s.Errorf("image %s belongs to product %v and variant %v", im.ID, got.ProductID, got.VariantID)
	}
}

func TestVariantImages_areItsOwnOrThoseOfItsProduct(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		shared, own, other := s.upload(), s.upload(), s.upload()
		p := s.mustCreate(ProductEdit{Images: new(idsOf(shared)),
			Variants: &[]VariantEdit{variantWith("a", own, shared), variantWith("b", shared)}})

		s.wantVariantImages(p, "a", own, shared)
		s.wantVariantImages(p, "b", shared)
		s.wantOwner(own, &p.ID, true)
		s.wantOwner(shared, &p.ID, false)
		if got := s.imageIDsOf(p); !slices.Equal(got, idsOf(shared)) {
			s.Errorf("the product has the images %v, want its own only", got)
		}

		// An image that the variant owns and that is not listed any more belongs to nothing.
		p = s.mustEdit(p.ID, ProductEdit{Variants: &[]VariantEdit{variantWith("a", shared, other), variantWith("b")}})
		s.wantVariantImages(p, "a", shared, other)
		s.wantVariantImages(p, "b")
		s.wantOwner(own, nil, false)
		s.wantOwner(other, &p.ID, true)

		// An image that the product loses is taken off its variants, unless the same edit gives it to one of them.
		p = s.mustEdit(p.ID, ProductEdit{Images: &[]ImageID{}})
		s.wantVariantImages(p, "a", other)
		s.wantOwner(shared, nil, false)
		p = s.mustEdit(p.ID, withImages(shared))
		p = s.mustEdit(p.ID, ProductEdit{Images: &[]ImageID{},
			Variants: &[]VariantEdit{variantWith("a", shared), variantWith("b")}})
		s.wantVariantImages(p, "a", shared)
		s.wantOwner(shared, &p.ID, true)
	})
}

func TestVariantImages_refuseThoseOfOtherOwners(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		foreign, sibling, free := s.upload(), s.upload(), s.upload()
		s.mustCreate(withImages(foreign))
		p := s.mustCreate(ProductEdit{Variants: &[]VariantEdit{variantWith("a", sibling)}})
		deleted := s.upload()
		s.must(s.deleteImage(deleted.ID))

		for want, e := range map[string]ProductEdit{
			"variants[1].images[0] image_taken of another product": {Variants: &[]VariantEdit{variantWith("a"),
				variantWith("b", foreign)}},
			"variants[1].images[1] image_taken": {Variants: &[]VariantEdit{variantWith("a", sibling),
				variantWith("b", free, sibling)}},
			"variants[0].images[0] unknown_image": {Variants: &[]VariantEdit{variantWith("a", deleted)}},
			"variants[0].images[1] duplicate_image": {Variants: &[]VariantEdit{
				variantWith("a", free, free)}},
			"variants[1].images[0] image_taken": {Variants: &[]VariantEdit{variantWith("a", free),
				variantWith("b", free)}},
			"images[0] image_taken": withImages(sibling),
		} {
			err := s.edit(p.ID, e)
			field, code, _ := strings.Cut(want, " ")
			code, _, _ = strings.Cut(code, " ")
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || len(f.Fields) != 1 || f.Fields[0].Field != field || f.Fields[0].Code != code {
				s.Errorf("%s: got %v", want, err)
			}
		}
		s.wantVariantImages(p, "a", sibling)
	})
}

// The images that a variant owns are deleted with it, those that it shares are not.
func TestDeleteVariant_deletesItsImages(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		shared, own, kept := s.upload(), s.upload(), s.upload()
		p := s.mustCreate(ProductEdit{Images: new(idsOf(shared)),
			Variants: &[]VariantEdit{variantWith("a", own, shared), variantWith("b", kept)}})
		s.Write(func(tx store.Tx) error {
			return s.Products.DeleteVariant(s.Context(), tx, p.ID, s.load(p.ID).Variants[0].ID, nil)
		})
		s.removeOrphans(time.Second)
		s.wantFiles(shared, kept)

		s.Write(func(tx store.Tx) error { return s.Products.Delete(s.Context(), tx, p.ID, nil) })
		s.removeOrphans(time.Second)
		s.wantFiles()
	})
}

func TestDeleteImage_takesItOffVariants(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		shared, own := s.upload(), s.upload()
		p := s.mustCreate(ProductEdit{Images: new(idsOf(shared)),
			Variants: &[]VariantEdit{variantWith("a", own, shared), variantWith("b", shared)}})
		s.must(s.deleteImage(shared.ID))
		s.wantVariantImages(p, "a", own)
		s.wantVariantImages(p, "b")
		version := s.load(p.ID).Version
		s.must(s.deleteImage(own.ID))
		if now := s.load(p.ID); now.Version != version+1 {
			s.Errorf("the product has version %d, want %d", now.Version, version+1)
		}
	})
}

// pushedVariant returns a pushed variant with images.
func pushedVariant(id string, mode ImagesMode, images ...ImagePush) VariantPush {
	return VariantPush{ID: id, SKU: &id, Price: new(money.NewPrice(100)), Images: &ImagesPush{mode, images}}
}

// wantWidths checks the widths of the images of a variant, which tell images apart.
func (s *downloadFixture) wantWidths(productID ProductID, sku string, widths ...int64) {
	s.Helper()
	for _, v := range s.load(productID).Variants {
		if v.SKU != sku {
			continue
		}
		var got []int64
		for _, im := range v.Images {
			got = append(got, im.Width)
		}
		if !slices.Equal(got, widths) {
			s.Errorf("variant %s has images of the widths %v, want %v", sku, got, widths)
		}
		return
	}
	s.Errorf("there is no variant %s", sku)
}

func TestPushedImages_ofVariantsFollowTheirMode(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		for i := range 4 {
			s.serveImage(fmt.Sprint(i), 11+i)
		}
		uploaded := s.upload() // 4 pixels wide
		push := func(variants ...VariantPush) ProductPush {
			p := s.productPush("1", ReplaceImages, s.imageAt("0"))
			p.Variants = &variants
			return p
		}

		first := push(pushedVariant("a", AddImages, s.imageAt("1"), ImagePush{ID: uploaded.ID.String()}),
			pushedVariant("b", AddImages, s.imageAt("1")))
		p := s.pushOne("created", first)
		s.runJobs()
		s.wantImages(p.ID, 11)
		s.wantWidths(p.ID, "a", 12, 4)
		s.wantWidths(p.ID, "b", 12)
		s.wantOutcomes("unchanged", first)

		// A variant may name an image of its product, which stays the product's.
		shared := ImagePush{ID: shownIDs(s.load(p.ID))[0].String()}
		s.pushOne("updated", push(pushedVariant("a", ReplaceImages, s.imageAt("2"), shared),
			pushedVariant("b", AddImages, s.imageAt("2"), shared)))
		s.runJobs()
		s.wantImages(p.ID, 11)
		s.wantWidths(p.ID, "a", 13, 11)
		s.wantWidths(p.ID, "b", 12, 13, 11)

		// An image at a known URL that changes is replaced, with the product also where variants share it.
		s.serveImage("0", 21)
		s.serveImage("2", 23)
		s.pushOne("updated", push(pushedVariant("a", ReplaceImages, s.imageAt("2"), shared),
			pushedVariant("b", RemoveImages)))
		s.runJobs()
		s.wantImages(p.ID, 21)
		s.wantWidths(p.ID, "a", 23, 21)
		s.wantWidths(p.ID, "b")

		// What the product loses and a variant of the same item names becomes the variant's.
		kept := ImagePush{ID: shownIDs(s.load(p.ID))[0].String()}
		last := push(pushedVariant("a", ReplaceImages, kept), pushedVariant("b", AddImages))
		last.Images = &ImagesPush{Mode: RemoveImages}
		s.pushOne("updated", last)
		s.runJobs()
		s.wantImages(p.ID)
		s.wantWidths(p.ID, "a", 21)
		s.wantReports()
		s.wantNoLeftovers()
	})
}

// An image of another product, or of another variant, is not attached; neither is anything of a locked product.
func TestPushedImages_ofVariantsAreIgnoredIfTakenOrLocked(t *testing.T) {
	eachDownloadFixture(t, func(s *downloadFixture) {
		foreign, sibling, free := s.upload(), s.upload(), s.upload()
		s.mustCreate(withImages(foreign))
		named := func(im Image) ImagePush { return ImagePush{ID: im.ID.String()} }
		push := ProductPush{ID: "1", Name: new("Lamp"), Variants: &[]VariantPush{
			pushedVariant("a", AddImages, named(sibling)),
			pushedVariant("b", AddImages, named(foreign), named(sibling))}}
		p := s.pushOne("created ~variants[1].images[0]:image_taken ~variants[1].images[1]:image_taken", push)
		s.wantVariantImages(p, "a", sibling)
		s.wantVariantImages(p, "b")

		s.mustEdit(p.ID, ProductEdit{Locks: new(productfield.Images)})
		push.Variants = &[]VariantPush{pushedVariant("a", ReplaceImages, named(free)), pushedVariant("b", AddImages)}
		out := s.push(push)
		if len(out[0].Warnings) != 1 || out[0].Warnings[0].Code != "locked" ||
			out[0].Warnings[0].Field != "variants[0].images" {
			s.Errorf("the outcome is %+v, want a warning locked", out[0])
		}
		s.wantVariantImages(p, "a", sibling)
	})
}

// Images that were stored without a color get it in the background, one that cannot be decoded a neutral one. The
// products that show them get a new version.
func TestFillColors_givesExistingImagesTheirColor(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		good, broken := s.upload(), s.upload()
		want := good.Color
		p := s.mustCreate(withImages(good))
		folder := s.Store.ID.String() + "/" + broken.ID.String() + "/"
		s.must(s.blobs.Put(s.Context(), folder+broken.File(imagefile.Original), []byte("x")))
		s.Exec("UPDATE images SET color = '' WHERE store_id = $1", s.Store.ID)

		s.must(s.Images.FillColors(s.Context(), s.DB, s.files))
		if got := s.image(good.ID).Color; got != want || want == "" {
			s.Errorf("the color is %q, was %q", got, want)
		}
		if got := s.image(broken.ID).Color; got != imagefile.UnknownColor {
			s.Errorf("the color of a broken image is %q", got)
		}
		if now := s.load(p.ID); now.Version != p.Version+1 || now.Images[0].Color != want {
			s.Errorf("the product has version %d and shows the color %q", now.Version, now.Images[0].Color)
		}
	})
}
