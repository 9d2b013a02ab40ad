package adminui_test

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"vitrine/internal/kit/database"
)

// The columns of options stand in one order, the oldest option first, before the product is saved and after it,
// whatever their names are.
func TestProduct_columnsOfOptionsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s) // with the option Size
	colour := s.catalogAPI(201, "POST", "/v2/variant-options", `{"name": "Colour"}`).Text("data.id")
	v := s.owner()

	form := v.get("/products/new").wantStatus(200).form("product-form")
	form.Set("name", "Gloves")
	form["cross_option"] = []string{colour, c.option}
	form.Set("step", "choose-values")
	form = v.post("/products/new", form).wantStatus(200).form("product-form")
	form["cross_value."+c.option] = []string{c.small, c.large}
	form.Set("cross_other."+colour, "Red")
	form.Set("step", "add-combinations")
	filled := v.post("/products/new", form).wantStatus(200)

	form = filled.form("product-form")
	form.Set("step", "save-adding-values")
	location := v.post("/products/new", form).wantStatus(303).Header.Get("Location")
	stored := v.get(location).wantStatus(200)

	optionName := regexp.MustCompile(`name="option_name" value="([^"]+)"`)
	for i, page := range []response{filled, stored} {
		first := strconv.Itoa(1 - i) // the row that a new product has is not stored
		var columns []string
		for _, found := range optionName.FindAllStringSubmatch(page.text, -1) {
			columns = append(columns, found[1])
		}
		if !slices.Equal(columns, []string{"Size", "Colour"}) {
			t.Errorf("%s has the columns %v, want Size and Colour", page.requestLine(), columns)
		}

		var rows url.Values = page.form("product-form")
		row := "variant." + first + ".option."
		if got := rows.Get(row+"0") + " " + rows.Get(row+"1"); got != "S Red" {
			t.Errorf("%s begins with %q, want S Red", page.requestLine(), got)
		}
	}
}
