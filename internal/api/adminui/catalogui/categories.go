package catalogui

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

const categoriesPath = "/categories"

// maxListedCategories is the number of children of a category, and of results of a search, that a page shows.
const maxListedCategories = 500

// categoryTree is the data of the page with the tree.
type categoryTree struct {
	Search string
	// Rows are the root categories, or those that match the search.
	Rows []categoryRow
	// More is the number of rows that are not shown.
	More  int
	Total int
	// Back is the address of the page with what is open, for forms that return to it.
	Back string
	// Name is the name of a new category that was refused, and Parent the one below which it is to be.
	Name   string
	Parent *catalog.CategoryNode
	Errors frame.FieldErrors
}

// categoryRow is a category in the tree, with its children if it is open.
type categoryRow struct {
	*catalog.CategoryNode
	// Path has the names of the ancestors and of the category; it is set for the results of a search.
	Path string
	// Products is the number of products in the category and below it, if it is Counted.
	Products int64
	Counted  bool
	Place    int
	Last     bool // the last one among its siblings
	Open     bool
	// Above is the name of the sibling before it, or "". Moved says that it has just been moved.
	Above string
	Moved bool
	// Toggle is the address of the tree in which the category is open, or closed if it is open here.
	Toggle string
	Rows   []categoryRow
	More   int
}

// ParentID returns the id of the parent, or "" for a root category.
func (c categoryRow) ParentID() string {
	if c.Parent == nil {
		return ""
	}
	return c.Parent.ID.String()
}

// categoryRows makes the rows of a tree.
type categoryRows struct {
	open     []string // the ids of the open categories
	moved    string   // the id of the category that was just moved, or ""
	products map[catalog.CategoryID]int64
}

func (m categoryRows) row(n *catalog.CategoryNode, place int, last bool) categoryRow {
	id := n.ID.String()
	row := categoryRow{CategoryNode: n, Place: place, Last: last, Open: slices.Contains(m.open, id),
		Moved: id == m.moved}
	row.Products = m.products[n.ID]
	row.Counted = m.products != nil

	if len(n.Children) == 0 {
		return row
	}

	open := slices.DeleteFunc(slices.Clone(m.open), func(other string) bool { return other == id })
	if !row.Open {
		open = append(open, id)
	}

	row.Toggle = openTree(open)
	if row.Open {
		row.Rows, row.More = m.rows(n.Children)
	}

	return row
}

// rows returns the rows of siblings and the number of those that are not shown.
func (m categoryRows) rows(siblings []*catalog.CategoryNode) (rows []categoryRow, more int) {
	for i, n := range siblings[:min(len(siblings), maxListedCategories)] {
		row := m.row(n, i+1, i == len(siblings)-1)
		if i > 0 {
			row.Above = siblings[i-1].Name
		}
		rows = append(rows, row)
	}
	return rows, len(siblings) - len(rows)
}

// openTree returns the address of the tree in which these categories are open.
func openTree(open []string) string {
	if len(open) == 0 {
		return categoriesPath
	}
	return categoriesPath + "?" + url.Values{"open": open}.Encode()
}

func (ui *UI) categoriesPage(r *httpapi.Request) (frame.View, error) {
	return ui.categoriesView(r, r.URL.Query())
}

// categoriesView returns the page of the tree in which the categories of the query are open.
func (ui *UI) categoriesView(r *httpapi.Request, query url.Values) (frame.View, error) {
	body := &categoryTree{Search: r.Query.SearchText(), Back: openTree(query["open"])}
	tree, err := ui.readTree(r)
	if err != nil {
		return frame.View{}, err
	}

	m := categoryRows{open: query["open"], moved: query.Get(movedParam), products: ui.productsOfCategories(r)}
	body.Total = tree.Total
	body.Parent = findCategory(tree, query.Get("below"))
	if body.Search == "" {
		body.Rows, body.More = m.rows(tree.Roots)
	} else {
		found, total := tree.Search(body.Search, maxListedCategories)
		for _, n := range found {
			row := m.row(n, tree.Place(n), false)
			row.Path = n.PathNames()
			row.Rows = nil
			row.Toggle = ""
			body.Rows = append(body.Rows, row)
		}

		body.More = total - len(found)
	}

	return ui.pages.NewView(r, "Categories", "categories", body), nil
}

func findCategory(tree *catalog.CategoryTree, text string) *catalog.CategoryNode {
	categoryID, err := id.Parse[catalog.Category](text)
	if err != nil {
		return nil
	}
	return tree.Find(categoryID)
}

func (ui *UI) readTree(r *httpapi.Request) (*catalog.CategoryTree, error) {
	return frame.InStore(r, ui.Read(r), catalog.ReadCategoryTree)
}

// productsOfCategories returns the number of live products in each category and below it, as the storefront counts
// them. It returns nil if that is not known at the moment, because the search is starting.
func (ui *UI) productsOfCategories(r *httpapi.Request) map[catalog.CategoryID]int64 {
	var counts map[catalog.CategoryID]int64
	query := search.Query{WithFacets: true, Limit: 1}
	err := frame.FindProducts(ui.Frame, r, ui.Search, query,
		func(_ context.Context, _ store.Tx, found search.Result) error {
			counts = map[catalog.CategoryID]int64{}
			for _, c := range found.Facets.Categories {
				counts[c.ID] = c.Count
			}
			return nil
		})
	if err != nil {
		return nil
	}
	return counts
}

func (ui *UI) createCategory(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	below := r.PostForm.Get("parent")
	name := r.PostForm.Get("name")
	e := catalog.CategoryEdit{Name: &name, Root: below == ""}
	var err error
	if below != "" {
		e.ParentID, err = parseCategoryID(below)
	}

	var created catalog.Category
	if err == nil {
		created, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Category, error) {
			return ui.Catalog.Categories.Create(ctx, tx, e)
		})
	}

	back := backToTree(r)
	if frame.Refused(err) {
		query, _ := url.ParseQuery(back.RawQuery)
		query.Set("below", below)
		v, viewErr := ui.categoriesView(r, query)
		if viewErr != nil {
			return viewErr
		}

		b := v.Body.(*categoryTree)
		b.Name, b.Errors = name, frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		return ui.pages.Reject(w, "categories", v, v.T("Nothing was saved: look at the marked fields."))
	}

	return ui.Done(w, r, err, openBelow(back, below), ui.pages.Language(r).T("“%s” is created.", created.Name))
}

func parseCategoryID(text string) (*catalog.CategoryID, error) {
	categoryID, err := id.Parse[catalog.Category](text)
	if err != nil {
		return nil, unknownParent()
	}
	return &categoryID, nil
}

func unknownParent() error {
	return fault.OneField("parent_id", "unknown_category", "There is no such category.")
}

// backToTree returns the address of the tree from which the operator came.
func backToTree(r *httpapi.Request) *url.URL {
	back, err := url.Parse(frame.BackTo(r, categoriesPath))
	if err != nil {
		return &url.URL{Path: categoriesPath}
	}
	return back
}

// openBelow returns the address of the tree with a category opened, too.
func openBelow(back *url.URL, categoryID string) string {
	open := back.Query()["open"]
	if categoryID != "" && !slices.Contains(open, categoryID) {
		open = append(open, categoryID)
	}
	return openTree(open)
}

// stepCategory moves a category by one step: a button of the tree sends its id and the direction.
func (ui *UI) stepCategory(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	text, direction, _ := strings.Cut(r.PostForm.Get("step"), " ")
	tree, err := ui.readTree(r)
	if err != nil {
		return err
	}

	n := findCategory(tree, text)
	if n == nil {
		return fault.Missing("category")
	}
	parent, place, ok := tree.Step(n, catalog.Step(direction))
	if !ok {
		return frame.Redirect(w, r.Request, backToTree(r).String())
	}

	// A step is relative to the tree that was just read, not to the one that the page shows.
	return ui.move(w, r, tree, n, parent, place, func(version int64) bool { return version == n.Version })
}

// moveCategory moves a category to the parent and the place that the form names. A place of "" means the last.
func (ui *UI) moveCategory(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	categoryID := httpapi.PathID[catalog.Category](r, "id", "category")
	tree, err := ui.readTree(r)
	if err != nil {
		return err
	}

	n := tree.Find(categoryID)
	if n == nil {
		return fault.Missing("category")
	}

	var parent *catalog.CategoryNode
	place := 0
	if text := r.PostForm.Get("parent"); text != "" {
		if parent = findCategory(tree, text); parent == nil {
			return ui.rejectCategory(w, r, n.ID, unknownParent())
		}
	}

	if strings.TrimSpace(r.PostForm.Get("place")) != "" {
		if place, err = readPlace(r, "place"); err != nil {
			return ui.rejectCategory(w, r, n.ID, err)
		}
	}

	return ui.move(w, r, tree, n, parent, place, frame.RenderedVersion(r))
}

// move moves a category of the tree below a parent, or to the root for nil, and returns to the tree, in which the
// parent is open.
func (ui *UI) move(
	w http.ResponseWriter, r *httpapi.Request, tree *catalog.CategoryTree, n, parent *catalog.CategoryNode,
	place int, pre fault.Precondition,
) error {
	var parentID *catalog.CategoryID
	var to string
	if parent != nil {
		parentID = &parent.ID
		to = parent.ID.String()
	}

	undo := url.Values{"parent": {""}, "place": {strconv.Itoa(tree.Place(n))}}
	if n.Parent != nil {
		undo.Set("parent", n.Parent.ID.String())
	}

	c, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Category, error) {
		return ui.Catalog.Categories.Move(ctx, tx, n.ID, parentID, place, pre)
	})
	if frame.Refused(err) {
		return ui.rejectCategory(w, r, n.ID, err)
	}
	if err != nil {
		return err
	}

	target := openBelow(backToTree(r), to)
	undo.Set("back", target)
	undo.Set("version", strconv.FormatInt(c.Version, 10))

	return ui.RedirectWith(w, r, withMoved(target, n.ID), frame.Toast{
		Text: movedText(ui.pages.Language(r), n, parent, place),
		Undo: &frame.Undo{Action: categoriesPath + "/" + n.ID.String() + "/move", Fields: undo}})
}

// movedParam has the id of the category that the tree marks because it was just moved.
const movedParam = "moved"

// withMoved returns the address of the tree that marks a category.
func withMoved(target string, moved catalog.CategoryID) string {
	u, err := url.Parse(target)
	if err != nil {
		return target
	}
	query := u.Query()
	query.Set(movedParam, moved.String())
	u.RawQuery = query.Encode()
	return u.String()
}

// movedText says where a category, as it was before, was moved. A place of 0 is the last.
func movedText(l *frame.Language, n, parent *catalog.CategoryNode, place int) string {
	switch {
	case parent == n.Parent && place > 0:
		return l.T("“%s” is moved to place %s.", n.Name, l.Number(place))
	case parent == n.Parent:
		return l.T("“%s” is moved to the end.", n.Name)
	case parent == nil:
		return l.T("“%s” is moved to the top level.", n.Name)
	}
	return l.T("“%s” is moved into “%s”.", n.Name, parent.Name)
}
