package catalogui

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// maxParents is the number of categories that the form for a move offers as the new parent.
const maxParents = 200

// categoryPage is the data of the page of a category.
type categoryPage struct {
	*catalog.CategoryNode
	Path string
	// Name is what the form shows: the present name, or one that was refused.
	Name string
	// Slug and SEO are what the form shows, and FormerSlugs are the addresses that the category had before.
	Slug        string
	SEO         seo.Meta
	Description string
	Picture     categoryPicture
	FormerSlugs string
	// Inside and Place are the id of the parent and the place that the form for a move shows.
	Inside, Place string
	// Parents are the categories that can become the parent, and MoreParents is the number of those that are not shown.
	Parents     []*catalog.CategoryNode
	MoreParents int
	Search      string
	Errors      frame.FieldErrors
}

// IsInside reports whether the form for a move shows a category as the parent.
func (b *categoryPage) IsInside(n *catalog.CategoryNode) bool { return b.Inside == n.ID.String() }

func categoryIDInPath(r *httpapi.Request) catalog.CategoryID {
	return httpapi.PathID[catalog.Category](r, "id", "category")
}

func (ui *UI) categoryPage(r *httpapi.Request) (frame.View, error) {
	return ui.categoryView(r, categoryIDInPath(r))
}

func (ui *UI) categoryView(r *httpapi.Request, categoryID catalog.CategoryID) (frame.View, error) {
	text := r.Query.SearchText()
	tree, err := ui.readTree(r)
	if err != nil {
		return frame.View{}, err
	}

	n := tree.Find(categoryID)
	if n == nil {
		return frame.View{}, fault.Missing("category")
	}

	body := &categoryPage{CategoryNode: n, Path: categoriesPath + "/" + n.ID.String(), Name: n.Name,
		Place: strconv.Itoa(tree.Place(n)), Search: text}
	if n.Parent != nil {
		body.Inside = n.Parent.ID.String()
	}
	if err := ui.readAddress(r, body); err != nil {
		return frame.View{}, err
	}

	found, total := tree.Search(text, tree.Total)
	if n.Parent != nil && text != "" {
		body.Parents = append(body.Parents, n.Parent)
	}

	for _, other := range found {
		switch {
		case n.Contains(other) || (text != "" && other == n.Parent):
			total--
		case len(body.Parents) < maxParents:
			body.Parents = append(body.Parents, other)
		}
	}

	body.MoreParents = max(0, total-len(body.Parents))
	v := ui.pages.NewView(r, "Categories", "categories", body)
	v.Title = n.Name
	v.Crumbs = []frame.Link{{Text: v.T("Categories"), URL: categoriesPath}}

	for _, up := range n.Path() {
		if up != n {
			v.Crumbs = append(v.Crumbs, frame.Link{Text: up.Name, URL: categoriesPath + "/" + up.ID.String()})
		}
	}

	return v, nil
}

// readAddress fills in the slugs of a category, and what search engines are told of it.
func (ui *UI) readAddress(r *httpapi.Request, body *categoryPage) error {
	_, err := frame.ReadStore(ui.Frame, r, false, func(ctx context.Context, tx store.Tx) (struct{}, error) {
		c, err := ui.Catalog.Categories.Find(ctx, tx, body.ID)
		if err != nil {
			return struct{}{}, err
		}
		body.Slug = string(c.Slug)
		body.SEO = c.SEO
		body.Description = c.Description
		body.Picture = pictureOf(c.Image)
		former, err := slug.FormerOf(ctx, tx, slug.Category, body.ID)
		body.FormerSlugs = slug.Join(former)
		return struct{}{}, err
	})
	return err
}

// rejectCategory shows the page of a category with the reason why a form was refused.
func (ui *UI) rejectCategory(
	w http.ResponseWriter, r *httpapi.Request, categoryID catalog.CategoryID, err error,
) error {
	v, viewErr := ui.categoryView(r, categoryID)
	if viewErr != nil {
		return viewErr
	}

	b := v.Body.(*categoryPage)
	if r.PostForm.Has("name") {
		b.Name = r.PostForm.Get("name")
	}
	if r.PostForm.Has("slug") {
		b.Slug = r.PostForm.Get("slug")
		b.SEO = postedSEO(r)
	}
	if r.PostForm.Has("description") {
		b.Description = postedDescription(r)
	}

	if r.PostForm.Has("place") {
		b.Inside, b.Place = r.PostForm.Get("parent"), r.PostForm.Get("place")
	}

	if fault.KindOf(err) == fault.Stale {
		return ui.pages.Reject(w, "category", v, v.Stale(v.T("“%s”", b.PathNames())))
	}

	b.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
	return ui.pages.Reject(w, "category", v, v.Refusal(err))
}

// postedSEO returns what the form says that search engines are told.
func postedSEO(r *httpapi.Request) seo.Meta {
	return seo.Meta{Title: r.PostForm.Get("seo_title"), Description: r.PostForm.Get("seo_description"),
		NoIndex: r.PostForm.Get("seo_noindex") == "1"}
}

// postedDescription returns the description with the line ends that are stored: browsers send \r\n.
func postedDescription(r *httpapi.Request) string {
	return strings.ReplaceAll(r.PostForm.Get("description"), "\r\n", "\n")
}

func (ui *UI) renameCategory(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	categoryID := categoryIDInPath(r)
	pre := frame.RenderedVersion(r)

	name := r.PostForm.Get("name")
	edit := catalog.CategoryEdit{Name: &name}
	if r.PostForm.Has("slug") {
		edit.Slug = new(slug.Slug(strings.TrimSpace(r.PostForm.Get("slug"))))
		edit.SEO = new(postedSEO(r))
	}
	if r.PostForm.Has("description") {
		edit.Description = new(postedDescription(r))
	}

	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Category, error) {
		return ui.Catalog.Categories.Edit(ctx, tx, categoryID, edit, pre)
	})
	if frame.Refused(err) {
		return ui.rejectCategory(w, r, categoryID, err)
	}
	return ui.Done(w, r, err, categoriesPath+"/"+categoryID.String(), ui.pages.Language(r).T("Saved."))
}

// categoryDeletion is the data of the page that asks whether to delete a category.
type categoryDeletion struct {
	*catalog.CategoryNode
	Path   string
	Impact catalog.CategoryImpact
}

func (ui *UI) categoryDeletionView(r *httpapi.Request) (frame.View, error) {
	categoryID := categoryIDInPath(r)

	read := func(ctx context.Context, tx store.Tx) (b categoryDeletion, err error) {
		tree, err := catalog.ReadCategoryTree(ctx, tx)
		if err != nil {
			return b, err
		}
		if b.CategoryNode = tree.Find(categoryID); b.CategoryNode == nil {
			return b, fault.Missing("category")
		}

		b.Path = categoriesPath + "/" + b.ID.String()
		b.Impact, err = ui.Catalog.Categories.Impact(ctx, tx, categoryID)
		return b, err
	}

	body, err := frame.ReadStore(ui.Frame, r, true, read) // counts the products
	if err != nil {
		return frame.View{}, err
	}

	v := ui.pages.NewView(r, "Delete", "categories", body)
	v.Crumbs = []frame.Link{{Text: v.T("Categories"), URL: categoriesPath}, {Text: body.Name, URL: body.Path}}
	return v, nil
}

func (ui *UI) deleteCategory(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	categoryID := categoryIDInPath(r)
	pre := frame.RenderedVersion(r)
	deleted, err := frame.ChangeLong(r, func(ctx context.Context, tx store.Tx) (catalog.Category, error) {
		c, err := ui.Catalog.Categories.Find(ctx, tx, categoryID)
		if err != nil {
			return c, err
		}
		return c, ui.Catalog.Categories.Delete(ctx, tx, categoryID, pre)
	})
	if frame.Refused(err) {
		v, viewErr := ui.categoryDeletionView(r)
		if viewErr != nil {
			return viewErr
		}
		return ui.pages.Reject(w, "category_delete", v, v.StaleImpact())
	}

	return ui.Done(w, r, err, categoriesPath, ui.pages.Language(r).T("“%s” is deleted.", deleted.Name))
}
