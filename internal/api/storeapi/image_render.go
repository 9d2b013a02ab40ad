package storeapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// eventImageBaseURL returns the base URL of the images in the webhooks of a changed order, or an empty string if there
// shall be none. A visitor chooses the Host of a request, and the receivers of webhooks would trust it. So without a
// public URL, the Host of a visitor's request counts only if it is this machine, as in development.
func (api *API) eventImageBaseURL(r *httpapi.Request) string {
	base := api.imageBaseURL(r)
	if api.publicURL == "" && r.Principal.Kind != access.SecretKey && !httpapi.IsLocalOrigin(base) {
		return ""
	}
	return base
}

// imageBaseURL returns the base URL of image files: the configured public URL, or else the scheme and host of the
// request.
func (api *API) imageBaseURL(r *httpapi.Request) string { return r.BaseURL(api.publicURL) }

// imageOf returns an image in the form that the routes below /v2/images respond with.
func imageOf(base string, storeID store.ID, im *catalog.Image, dates *locale.Dates) spec.Image {
	url := func(size imagefile.Size) string { return string(im.AppendPath([]byte(base), storeID, size)) }
	shape := spec.Image{
		ID: schema.ID(im.ID), ExternalID: schema.OrNull(im.ExternalID), OwnerID: schema.IDOrNull(im.ProductID),
		URL: url(imagefile.Original), Width: im.Width, Height: im.Height,
		Thumbnails: spec.Thumbnails{Small: url(imagefile.Small), Medium: url(imagefile.Medium)},
		Srcset:     spec.SrcsetOf(url(imagefile.Original), im.Width),
		Alt:        schema.OrNull(im.Alt), Color: spec.ColorOf(im.Color),
		CreatedAt: schema.NewDate(im.CreatedAt, dates), UpdatedAt: schema.NewDate(im.UpdatedAt, dates),
	}

	switch {
	case im.CategoryID != nil:
		shape.OwnerType, shape.OwnerID = schema.NotNull("category"), schema.IDOrNull(im.CategoryID)
	case im.VariantID != nil:
		shape.OwnerType, shape.OwnerID = schema.NotNull("variant"), schema.IDOrNull(im.VariantID)
	case im.ProductID != nil:
		shape.OwnerType = schema.NotNull("product")
	}

	return shape
}

// shownImageOf returns the shape of an image as products and categories show it.
func shownImageOf(base string, storeID store.ID, im *catalog.Image) spec.ProductImage {
	url := func(size imagefile.Size) string { return string(im.AppendPath([]byte(base), storeID, size)) }
	return spec.ProductImage{
		ID: schema.ID(im.ID), URL: url(imagefile.Original), Width: im.Width, Height: im.Height,
		Thumbnails: spec.Thumbnails{Small: url(imagefile.Small), Medium: url(imagefile.Medium)},
		Srcset:     spec.SrcsetOf(url(imagefile.Original), im.Width),
		Alt:        schema.OrNull(im.Alt), Color: spec.ColorOf(im.Color),
	}
}
