package storeapi

import (
	"context"
	"io"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// categoryHandlers returns the handlers of categories.
func (api *API) categoryHandlers() namedHandlers[catalog.Category, catalog.CategoryEdit, spec.Category] {
	return namedHandlers[catalog.Category, catalog.CategoryEdit, spec.Category]{
		noun: "category", path: "/v2/categories",
		read: readCategory, shape: categoryOf,
		idAndVersion: func(c *catalog.Category) (catalog.CategoryID, int64) { return c.ID, c.Version },
		useCases: namedUseCases[catalog.Category, catalog.CategoryEdit]{
			list: api.listCategories, find: api.catalog.Categories.Find, create: api.catalog.Categories.Create,
			edit: api.catalog.Categories.Edit, delete: api.catalog.Categories.Delete,
		},
	}
}

func (api *API) listCategories(r *httpapi.Request) (httpapi.PageReader[catalog.Category], error) {
	f, err := categoryFilter(r)
	return func(ctx context.Context, tx store.Tx, limit, offset int64) ([]catalog.Category, int64, error) {
		return api.catalog.Categories.List(ctx, tx, f, limit, offset)
	}, err
}

// categoryFilter reads the query parameters q and parent_id. The id of a category selects its children, the word root
// selects the categories without a parent.
func categoryFilter(r *httpapi.Request) (f catalog.CategoryFilter, err error) {
	if f.Search, err = r.SearchText(); err != nil {
		return f, err
	}
	parent, err := r.Param("parent_id")
	if err != nil || !r.URL.Query().Has("parent_id") {
		return f, err
	}
	if f.Roots = parent == "root"; f.Roots {
		return f, nil
	}
	parentID, err := id.Parse[catalog.Category](parent)
	if err != nil {
		return f, fault.New(fault.Malformed, "malformed_query",
			"The query parameter parent_id must be the id of a category, or the word root.")
	}
	f.ParentID = &parentID
	return f, nil
}

// readCategory reads the body of a create or an edit. It ignores read-only members, so that a client may send back a
// category it has read.
func readCategory(body io.Reader) (catalog.CategoryEdit, error) {
	var e catalog.CategoryEdit
	r := wire.NewReader(body)
	err := r.Document(func(name string) {
		switch name {
		case "name":
			if s, ok := r.Name(); ok {
				e.Name = &s
			}
		case "external_id":
			e.ExternalID = readExternalID(r)
		case "parent_id":
			if e.Root = r.Null(); e.Root {
				return
			}
			if parentID, ok := wire.ID[catalog.Category](r); ok {
				e.ParentID = &parentID
			}
		}
	})
	return e, err
}

func categoryOf(c *catalog.Category, dates *locale.Dates) spec.Category {
	return spec.Category{
		ID: openapi.ID(c.ID), ExternalID: openapi.OrNull(c.ExternalID), Name: c.Name,
		ParentID:  openapi.IDOrNull(c.ParentID),
		CreatedAt: openapi.NewDate(c.CreatedAt, dates), UpdatedAt: openapi.NewDate(c.UpdatedAt, dates),
	}
}
