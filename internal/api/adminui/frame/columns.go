package frame

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/api/httpapi"
)

// Column is a column of a list.
type Column struct {
	// Name is the column in the query of the list. A column without a name is always shown.
	Name string
	// Text is the heading, in the language of the page.
	Text, Class string
	// Sorts are the values of the query parameter sort that sort by the column: by the first click on the heading, and
	// by the next one. A value that begins with a hyphen sorts from the largest to the smallest.
	Sorts []string
}

// Columns are the columns of a list, in their order, of which a person chooses those that are shown.
type Columns struct {
	all    []Column
	chosen []string // the names in the query; nil without a choice
	sort   string   // as in the query
	link   func(name, value string) string
}

// columnsParam is the query parameter with the names of the chosen columns, with commas between them. columnParam has
// one of them, and may be repeated, as the ticks of the form send it.
const (
	columnsParam = "columns"
	columnParam  = "column"
)

// NewColumns returns columns that are all shown and cannot be sorted by.
func NewColumns(all []Column) Columns { return Columns{all: all} }

// ReadColumns reads which columns of a list the query chooses. Names that the list does not have are ignored: a saved
// view may be older than the list. sort is the sort order, and link returns the address of the first page of the list
// with another value of a parameter.
func ReadColumns(r *httpapi.Request, all []Column, sort string, link func(name, value string) string) Columns {
	c := Columns{all: all, sort: sort, link: link}
	names := r.Query.Params(columnParam)
	if text, _ := r.Query.Param(columnsParam); text != "" {
		names = append(slices.Clone(names), strings.Split(text, ",")...)
	}
	for i := range all {
		if name := all[i].Name; name != "" && slices.Contains(names, name) {
			c.chosen = append(c.chosen, name)
		}
	}
	return c
}

// Param returns the choice as the value of the query parameter columns; "" without one.
func (c Columns) Param() string { return strings.Join(c.chosen, ",") }

// Shows reports whether the list shows the column with this name.
func (c Columns) Shows(name string) bool {
	return c.chosen == nil || slices.Contains(c.chosen, name)
}

// Choices returns the columns that can be chosen.
func (c Columns) Choices() []Column {
	return slices.DeleteFunc(slices.Clone(c.all), func(column Column) bool { return column.Name == "" })
}

// Head is the heading of a column: the data of the template "heads".
type Head struct {
	Text, Class string
	// URL sorts the list by the column; "" if it cannot be sorted by it.
	URL string
	// Sort is the value of aria-sort; "" if the list is not sorted by the column.
	Sort string
}

// Heads returns the headings of the columns that are shown.
func (c Columns) Heads() (heads []Head) {
	for i := range c.all {
		column := &c.all[i]
		if column.Name != "" && !c.Shows(column.Name) {
			continue
		}

		head := Head{Text: column.Text, Class: column.Class}
		if at := slices.Index(column.Sorts, c.sort); at >= 0 {
			head.Sort = "ascending"
			if strings.HasPrefix(c.sort, "-") {
				head.Sort = "descending"
			}
		}
		if len(column.Sorts) > 0 && c.link != nil {
			next := column.Sorts[0]
			if next == c.sort && len(column.Sorts) > 1 {
				next = column.Sorts[1]
			}
			head.URL = c.link("sort", next)
		}
		heads = append(heads, head)
	}

	return heads
}

// ColumnChoice is the data of the template "column-choice": a form with a tick for each column.
type ColumnChoice struct {
	Columns
	// Path is the path of the list, and Hidden the parameters that the form keeps.
	Path   string
	Hidden []Param
}

// Param is a parameter of a query, as a hidden field of a form.
type Param struct{ Name, Value string }

// HiddenParams returns the parameters in the query of an address, sorted by their names and without some of them.
func HiddenParams(address string, without ...string) (list []Param) {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if slices.Contains(without, name) {
			continue
		}
		for _, value := range query[name] {
			list = append(list, Param{name, value})
		}
	}
	return list
}
