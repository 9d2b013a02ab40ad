package adminui_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// askedQuery is a query that was asked today.
type askedQuery struct {
	query                        string
	count, found, clicks, orders int64
}

// insertQueries stores queries that were asked some days ago.
func insertQueries(s *apitest.Server, storeID store.ID, daysAgo int64, queries ...askedQuery) {
	day := store.DayNumber(s.Clock.Now().UTC()) - daysAgo
	s.Write(func(ctx context.Context, q database.Querier) error {
		for _, a := range queries {
			_, err := q.Exec(ctx, `INSERT INTO search_queries
	(store_id, day, query, count, found, asked_at, clicks, orders)
VALUES ($1, $2, $3, $4, $5, 0, $6, $7)`, storeID, day, a.query, a.count, a.found, a.clicks, a.orders)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func TestQueries_showWhatFoundNothingFirst(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		v.get("/shop-search").wantStatus(200).contains("Nobody has searched in this period.")
		insertQueries(s.Server, s.store.StoreID, 0, askedQuery{"lamp", 5, 2, 1, 1},
			askedQuery{"luminaire", 3, 0, 0, 0})
		v.get("/shop-search?found=any&from=2020-01-01&to=2020-01-02").wantStatus(200).omits("lamp</th>")
		insertQueries(s.Server, s.store.StoreID, 1, askedQuery{"luminaire", 4, 1, 0, 0})
		insertQueries(s.Server, s.store.StoreID, 35, askedQuery{"chair", 9, 0, 0, 0})

		v.get("/shop-search").wantStatus(200).contains("luminaire</th>", ">7</td>",
			"/shop-search/synonyms/entry?word=luminaire", "/shop-search/pins/pin?query=luminaire").
			omits("lamp</th>", "chair")
		v.get("/shop-search?found=any").wantStatus(200).contains("luminaire</th>", "lamp</th>", ">5</td>").
			omits("chair")
		from := s.Clock.Now().UTC().AddDate(0, 0, -40).Format("2006-01-02")
		v.get("/shop-search?from="+from).wantStatus(200).contains("chair</th>", "luminaire</th>")
		v.get("/shop-search?from=soon").wantStatus(422).contains("Write a day such as")
		v.get("/shop-search?found=some").wantStatus(400)
	})
}

func TestQueries_areReadInPages(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	var asked []askedQuery
	for i := range 51 {
		asked = append(asked, askedQuery{fmt.Sprintf("query %02d", i), 100 - int64(i), 0, 0, 0})
	}
	insertQueries(s.Server, s.store.StoreID, 0, asked...)
	v := s.owner()
	v.get("/shop-search").contains("query 49</th>", "page=2").omits("query 50</th>")
	v.get("/shop-search?page=2").contains("query 50</th>", "page=1").omits("query 49</th>", "page=3")
	v.get("/shop-search?page=9").wantStatus(200).contains("Everything that people searched for was found.")
}

func TestSynonyms_areCreatedChangedAndDeleted(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		stored := func() string {
			return string(s.catalogAPI(200, "GET", "/v2/search/synonyms", nil).Body)
		}

		v.get("/shop-search/synonyms").wantStatus(200).contains("There are no synonyms yet.")
		form := v.get("/shop-search/synonyms/entry?word=luminaire").wantStatus(200).contains("finds nothing").
			form("entry")
		if form.Get("phrases") != "luminaire" {
			t.Errorf("the form has %q", form)
		}
		form.Set("do", "save")
		v.post("/shop-search/synonyms/entry", form).wantStatus(422).contains("at least two different phrases")
		form.Set("phrases", "luminaire\r\n !? \r\nlamp")
		v.post("/shop-search/synonyms/entry", form).wantStatus(422).contains("“!?”: This is empty")
		form.Set("phrases", "luminaire\r\nlamp")
		form.Set("do", "preview")
		s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": "Desk lamp"})
		v.post("/shop-search/synonyms/entry", form).wantStatus(200).contains("“lamp”", "no change",
			">finds nothing</span></h4>", "<strong><a href=", "Desk lamp</a></strong>")
		if strings.Contains(stored(), "lamp") {
			t.Error("the preview is saved")
		}
		form.Set("do", "save")
		v.post("/shop-search/synonyms/entry", form).wantRedirect("/shop-search/synonyms")
		v.get("/shop-search/synonyms").contains("luminaire = lamp")
		v.get("/shop-search/synonyms?q=Lamp").contains("luminaire = lamp")
		v.get("/shop-search/synonyms?q=chair").contains("Nothing matches.")

		entry := v.get("/shop-search/synonyms/entry?n=1").wantStatus(200).form("entry")
		late := v.get("/shop-search/synonyms/entry?n=1").form("entry")
		entry.Set("kind", "one_way")
		entry.Set("do", "save")
		v.post("/shop-search/synonyms/entry", entry).wantRedirect("/shop-search/synonyms")
		v.get("/shop-search/synonyms").contains("luminaire → lamp")
		late.Set("do", "delete")
		v.post("/shop-search/synonyms/entry", late).wantStatus(422).contains("Somebody else has changed this synonym")

		entry = v.get("/shop-search/synonyms/entry?n=1").form("entry")
		entry.Set("do", "delete")
		v.post("/shop-search/synonyms/entry", entry).wantRedirect("/shop-search/synonyms")
		if got := stored(); strings.Contains(got, "lamp") {
			t.Errorf("the deleted synonym is stored: %s", got)
		}
		v.get("/shop-search/synonyms/entry?n=1").wantStatus(404)
	})
}

func TestPins_areArrangedBeforeTheyAreSaved(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		const path = "/shop-search/pins/pin"
		ids := map[string]string{}
		for _, name := range []string{"Desk lamp", "Floor lamp", "Torch"} {
			ids[name] = s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": name}).Text("data.id")
		}

		press := func(form url.Values, do string) response {
			form.Set("do", do)
			return v.post(path, form)
		}

		v.get("/shop-search/pins").wantStatus(200).contains("No products are pinned yet.")
		form := v.get(path + "?query=light").wantStatus(200).contains("Find products above and pin them.").form("pin")
		press(form, "save").wantStatus(422).contains("Name at least one product")
		form.Set("choose", "torch")
		form = press(form, "find").wantStatus(200).contains("Pin “Torch”").omits("Pin “Desk lamp”").form("pin")
		form = press(form, "add:"+ids["Torch"]).wantStatus(200).contains("<strong>Torch</strong>").form("pin")
		form = press(form, "add:"+ids["Desk lamp"]).wantStatus(200).form("pin")
		form = press(form, "up:"+ids["Desk lamp"]).wantStatus(200).form("pin")
		form = press(form, "add:"+ids["Floor lamp"]).wantStatus(200).form("pin")
		form = press(form, "remove:"+ids["Floor lamp"]).wantStatus(200).form("pin")
		press(form, "save").wantRedirect("/shop-search/pins")
		v.get("/shop-search/pins").contains("light</th>", "Desk lamp</a></li><li>")
		v.get("/shop-search/pins?q=torch").contains("light</th>")
		v.get("/shop-search/pins?q=chair").contains("Nothing matches.")
		want := fmt.Sprintf(`["%s","%s"]`, ids["Desk lamp"], ids["Torch"])
		if got := s.catalogAPI(200, "GET", "/v2/search/pins", nil).Text("data.0.products"); got != want {
			t.Errorf("the products are %s, want %s", got, want)
		}

		press(form, "save").wantStatus(422).contains("The search reads this query like")
		form = v.get(path + "?query=Light").wantStatus(200).form("pin")
		late := v.get(path + "?query=Light").form("pin")
		press(form, "remove:"+ids["Torch"]).wantStatus(200)
		form["product"] = []string{ids["Floor lamp"]}
		press(form, "save").wantRedirect("/shop-search/pins")
		press(late, "save").wantStatus(422).contains("Now it is: Floor lamp.")
		form = v.get(path + "?query=light").form("pin")
		late = v.get(path + "?query=light").form("pin")
		press(form, "delete").wantRedirect("/shop-search/pins")
		press(late, "save").wantStatus(422).contains("Somebody else has deleted this")
		v.get("/shop-search/pins").contains("No products are pinned yet.")
	})
}

// The page says for each product how the words match, and why it comes after the one before it.
func TestWhy_explainsTheOrder(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		for _, name := range []string{"Desk lamps", "Lamp", "Big desk lamp", "Torch"} {
			s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": name})
		}
		s.catalogAPI(200, "PUT", "/v2/search/synonyms", map[string]any{"groups": [][]string{{"luminaire", "torch"}}})

		v.get("/shop-search/why").wantStatus(200).contains("Write what people search for.")
		v.get("/shop-search/why?q=chair").wantStatus(200).contains("The search finds nothing.",
			"/shop-search/synonyms/entry?word=chair", "/shop-search/pins/pin?query=chair")
		v.get("/shop-search/why?q=lamp").wantStatus(200).contains("3 products", "the word itself",
			"another form of the word", "at the beginning of the name", "its words stand further from the beginning",
			"out of stock or without a price")
		v.get("/shop-search/why?q=luminaire").contains("synonym: torch", "Torch</a>", "Points: 40")
		v.get("/shop-search/why?q=lapm").contains("typing error, read as “lamp”", "understood as “lamp”")
		v.get("/shop-search/why?q=lamp+chair").contains("No product has all the words", "not there")
		v.get("/shop-search/why?q=lamp&page=2").wantStatus(200)
		insertQueries(s.Server, s.store.StoreID, 0, askedQuery{"lamp", 5, 0, 1, 1})
		v.get("/shop-search").contains("/shop-search/why?q=lamp")
		v.get("/shop-search/synonyms").contains("/shop-search/why?q=luminaire")
	})
}

// The page explains twenty products; the first of the next page comes after the last of the one before.
func TestWhy_isReadInPages(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	for i := range 21 {
		s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": fmt.Sprintf("Lamp %02d", i)})
	}
	v := s.owner()
	v.get("/shop-search/why?q=lamp").contains("Lamp 20</a>", "Lamp 01</a>", "page=2").omits("Lamp 00</a>")
	v.get("/shop-search/why?q=lamp&page=2").contains("Lamp 00</a>", "the one before it is newer", ">21</span>").
		omits("Lamp 01</a>")
}

// The preview of a pin is what the search finds with it.
func TestPins_previewFollowsTheRulesOfTheForm(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	torch := s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": "Torch"}).Text("data.id")
	s.catalogAPI(201, "POST", "/v2/products", map[string]any{"name": "Lamp"})
	s.catalogAPI(200, "PUT", "/v2/search/pins", []map[string]any{{"query": "lamp", "products": []string{torch}}})
	v := s.owner()
	form := v.get("/shop-search/pins/pin?query=lamp").wantStatus(200).contains("2 products").omits("1 product<").
		form("pin")
	form.Set("do", "remove:"+torch)
	v.post("/shop-search/pins/pin", form).wantStatus(200).contains("2 products", "1 product<")
}

// Viewers see synonyms and pins, without forms.
func TestShopSearch_isReadByViewers(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	s.catalogAPI(200, "PUT", "/v2/search/synonyms", map[string]any{"groups": [][]string{{"lamp", "light"}}})
	v := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
	v.get("/shop-search").wantStatus(200)
	v.get("/shop-search/synonyms").wantStatus(200).contains("lamp = light").omits("/shop-search/synonyms/entry")
	v.get("/shop-search/why?q=lamp").wantStatus(200).contains("The search finds nothing.").
		omits("/shop-search/synonyms/entry", "/shop-search/pins/pin")
	v.get("/shop-search/pins").wantStatus(200).omits("/shop-search/pins/pin")
	v.get("/shop-search/synonyms/entry").wantStatus(403)
	v.get("/shop-search/pins/pin").wantStatus(403)
}
