package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/change"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

func (api *API) categoryHandlers() namedResourceHandlers[catalog.Category, catalog.CategoryEdit, spec.Category] {
	return namedResourceHandlers[catalog.Category, catalog.CategoryEdit, spec.Category]{
		noun: "category", path: "/v2/categories", tag: change.CategoryTag,
		read: readCategoryEdit, shape: api.categoryShape,
		idAndVersion: func(c *catalog.Category) (catalog.CategoryID, int64) { return c.ID, c.Version },
		useCases: namedResourceUseCases[catalog.Category, catalog.CategoryEdit]{
			list: api.listCategories, find: api.catalog.Categories.Find, create: api.catalog.Categories.Create,
			edit: api.catalog.Categories.Edit, delete: api.catalog.Categories.Delete,
		},
	}
}

func (api *API) listCategories(r *httpapi.Request) httpapi.PageReader[catalog.Category] {
	return httpapi.Filtered(categoryFilter(r), api.catalog.Categories.List)
}

// categoryFilter reads the query parameters q and parent_id. A parent_id selects the children of that category; "root"
// selects the categories without a parent.
func categoryFilter(r *httpapi.Request) catalog.CategoryFilter {
	f := catalog.CategoryFilter{Search: r.Query.SearchText()}
	parent, given := r.Query.Param("parent_id")
	if f.Roots = parent == "root"; f.Roots || !given {
		return f
	}
	parentID, err := id.Parse[catalog.Category](parent)
	if err != nil {
		r.Query.BadParam("parent_id", "must be the id of a category, or the word root")
	}
	f.ParentID = &parentID
	return f
}

// readCategoryEdit reads the body of a request that creates or edits a category. It ignores read-only members, so that
// a client may send back a category it has read.
func readCategoryEdit(r *wire.Reader) (e catalog.CategoryEdit) {
	r.Object(func(name string) {
		switch name {
		case "name":
			e.Name = wire.OrNil(rule.ReadName(r))
		case "external_id":
			e.ExternalID = rule.ReadExternalIDOrNull(r)
		case "slug":
			e.Slug = wire.OrNil(slug.Read(r))
		case "seo":
			e.SEO = wire.OrNil(seo.Read(r))
		case "description":
			e.Description = wire.OrNil(catalog.ReadDescription(r))
		case "image":
			e.Image = readImageOrNull(r)
		case "parent_id":
			if e.Root = r.Null(); !e.Root {
				e.ParentID = wire.OrNil(wire.ID[catalog.Category](r))
			}
		}
	})

	return e
}

// showCategoryBySlug responds with the category that has or had the slug.
func (api *API) showCategoryBySlug(w http.ResponseWriter, r *httpapi.Request) error {
	address := slugInPath(r, "category")
	r.Query.Extras()
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		owner, err := slug.Find(ctx, tx, slug.Category, address)
		if err != nil {
			return err
		}
		c, err := api.catalog.Categories.Find(ctx, tx, catalog.CategoryID(owner.ID))
		if err != nil {
			return err
		}

		shape := api.categoryShape(r)(&c)
		shape.CanonicalSlug = string(c.Slug)
		out.CacheTag = change.CategoryTag + c.ID.String()
		if c.Slug != address { // another category may get a former slug
			out.CacheTag = change.ListTag + "," + out.CacheTag
		}
		out.WriteResource(c.Version, shape)
		return nil
	})
}

// readImageOrNull reads the picture of a category: the id of an image, or a category's own image as it was read, or
// null.
func readImageOrNull(r *wire.Reader) **catalog.ImageID {
	if r.Null() {
		return new(*catalog.ImageID)
	}
	imageID := productapi.ReadRef[imagefile.Image](r)
	return new(&imageID)
}

// categoryShape returns a function that returns the shape of a category in the response to a request.
func (api *API) categoryShape(r *httpapi.Request) func(*catalog.Category) spec.Category {
	base := api.imageBaseURL(r)
	dates := r.Dates()
	return func(c *catalog.Category) spec.Category { return categoryOf(base, r.Principal.Store.ID, c, dates) }
}

func categoryOf(base string, storeID store.ID, c *catalog.Category, dates *locale.Dates) spec.Category {
	shape := spec.Category{
		ID: schema.ID(c.ID), ExternalID: schema.OrNull(c.ExternalID), Name: c.Name,
		Description: c.Description, Slug: slugOrNull(c.Slug), SEO: spec.SEOOf(c.SEO),
		ParentID:  schema.IDOrNull(c.ParentID),
		CreatedAt: schema.NewDate(c.CreatedAt, dates), UpdatedAt: schema.NewDate(c.UpdatedAt, dates),
	}
	if c.Image != nil {
		shape.Image = schema.NotNull(shownImageOf(base, storeID, c.Image))
	}

	return shape
}

// slugOrNull returns a slug, or null for a thing that has none yet.
func slugOrNull(s slug.Slug) schema.Nullable[string] {
	if s == "" {
		return schema.Nullable[string]{}
	}
	return schema.NotNull(string(s))
}
