package adminui_test

import (
	"bytes"
	"encoding/base64"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
)

// sendFile posts the form that uploads a file.
func (v *client) sendFile(entity, name, content string) response {
	v.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	if err := form.WriteField("entity", entity); err != nil {
		v.t.Fatal(err)
	}

	if name != "" {
		part, err := form.CreateFormFile("file", name)
		if err != nil {
			v.t.Fatal(err)
		}
		if _, err := part.Write([]byte(content)); err != nil {
			v.t.Fatal(err)
		}
	}

	if err := form.Close(); err != nil {
		v.t.Fatal(err)
	}

	req, err := http.NewRequestWithContext(v.t.Context(), "POST", v.AdminURL+"/exchange/upload", &b)
	if err != nil {
		v.t.Fatal(err)
	}

	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.AddCookie(&http.Cookie{Name: sessionCookie, Value: v.session})

	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()

	var text bytes.Buffer
	if _, err := text.ReadFrom(resp.Body); err != nil {
		v.t.Fatal(err)
	}

	return response{resp, text.String(), v.t}
}

// A file is checked, changes nothing until it is applied, and can be removed instead.
func TestUpload_checksAndAppliesFile(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.get("/exchange/upload").wantStatus(200).wantHTML().contains("Check the file", "variant_id")
		table := "id;name;price\n1;Lamp <b>;10\n2;Shade;ten\n"
		dry := v.sendFile("products", `C:\files\my products.csv`, table).wantStatus(303).Header.Get("Location")
		v.eventuallyShows(dry, "Apply the file").wantHTML().
			contains("my products.csv", "A trial: nothing was changed. Only a part would be applied", "unreadable_line",
				"price").
			omits(`C:\files`, "data-live")
		v.get("/exchange").wantStatus(200).contains("trial", "my products.csv", s.store.AdminEmail)

		if n := s.countProducts(); n != 0 {
			t.Errorf("the trial made %d products", n)
		}

		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get(dry).wantStatus(200).omits("Apply the file")
		for _, path := range []string{dry + "/apply", dry + "/discard"} {
			viewer.post(path, url.Values{}).wantStatus(403).wantHTML()
		}

		viewer.get("/exchange/upload").wantStatus(403)
		viewer.sendFile("products", "x.csv", table).wantStatus(403)

		applied := v.post(dry+"/apply", url.Values{}).wantStatus(303).Header.Get("Location")
		v.eventuallyShows(applied, "Only a part was applied").contains("Show the trial")
		v.get(dry).wantStatus(200).omits("Remove the file")

		if n := s.countProducts(); n != 1 {
			t.Errorf("there are %d products, want 1", n)
		}

		v.post(dry+"/apply", url.Values{}).wantStatus(409).wantHTML()
		v.post(dry+"/discard", url.Values{}).wantStatus(409).wantHTML()

		second := v.sendFile("stocks", "stocks.json",
			`[{"id": 1, "name": "Main"}]`).wantStatus(303).Header.Get("Location")
		v.eventuallyShows(second, "Remove the file")
		v.post(second+"/discard", url.Values{}).wantRedirect(second)
		v.get(second).wantStatus(200).omits("Apply the file")
		s.wantAudit("run.uploaded", "run.applied", "run.discarded")

		old := v.sendFile("products", "old.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 xls").wantStatus(422).wantHTML()
		old.contains("Excel before 2007")

		v.sendFile("products", "", "").wantStatus(422).wantHTML().contains("Choose a file.")
		v.sendFile("products", "empty.csv", " \n").wantStatus(422).wantHTML().contains("not empty")
		v.sendFile("shoes", "x.csv", table).wantStatus(422).wantHTML().contains("Choose what the file has")
		v.post("/exchange/upload", url.Values{"entity": {"products"}}).wantStatus(415).wantHTML()
		other := s.Provision("owner@south.example")
		stranger := s.signIn(other.AdminEmail, other.AdminPassword)
		stranger.post(dry+"/apply", url.Values{}).wantStatus(404).wantHTML()
		stranger.post(dry+"/discard", url.Values{}).wantStatus(404).wantHTML()
	})
}

// What was not read of a table stands above everything else, with the column that was probably meant. Errors have the
// lines and the columns of the file, its lines come back as a table, and no button is there if nothing can be applied.
func TestUpload_speaksOfColumnsAndLines(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		dry := v.sendFile("products", "p.csv", "id;name;categorys;price\n1;Lamp;x;-1\n").wantStatus(303).
			Header.Get("Location")
		page := v.eventuallyShows(dry, "The file has nothing that can be applied").wantHTML().
			contains("These columns are not known", "<code>categorys</code>; did you mean <code>categories</code>?",
				"Download the failed lines").omits("Apply the file", "Written in")
		if strings.Index(page.text, "categorys") > strings.Index(page.text, `class="tally"`) {
			t.Error("the ignored column is below the numbers")
		}

		v.get(dry+"/errors").wantStatus(200).wantHTML().contains(`data-label="Line">2<`, "<code>price</code>").
			omits("variant_price")
		rejects := v.get(dry + "/rejects").wantStatus(200)
		if got := rejects.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
			t.Errorf("the failed lines are %s", got)
		}
		rejects.contains("line;error;id;name;categorys;price\r\n", ";1;Lamp;x;-1\r\n")
		v.get(dry+"/rejects", "Accept-Language", "ru").wantStatus(200).contains("line;error;id;name;", "categorys")

		cyrillic := v.sendFile("products", "p.csv", "id;name\n1;\xd1\xf2\xee\xeb\n").wantStatus(303).
			Header.Get("Location")
		v.eventuallyShows(cyrillic, "Apply the file").contains("Written in", "Windows-1251", "Стол")
		s.pushText("products", `{"payload":[{"id":1,"name":"Стол"}]}`)
		same := v.sendFile("products", "p.csv", "id;name\n1;\xd1\xf2\xee\xeb\n").wantStatus(303).
			Header.Get("Location")
		v.eventuallyShows(same, "The shop has all of the file already").omits("Apply the file")
	})
}

func (s *fixture) countProducts() (n int64) {
	s.t.Helper()
	err := s.App.DB.Read(s.t.Context(), func(q database.Querier) error {
		return database.QueryRow(s.t.Context(), q, "SELECT COUNT(*) FROM products WHERE store_id = $1",
			[]any{s.store.StoreID}, &n)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// The page of 1C has the address, makes the password, which works, and offers what the last exchange brought.
func TestOneC_connectsAndSaves(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.get("/exchange/1c").wantStatus(200).wantHTML().contains("/v2/sync-gate/commerceml", "Make a password",
			"Nothing has come from 1C yet", "1C was not here yet.")
		made := v.post("/exchange/1c/token", url.Values{"password": {s.store.AdminPassword}}).wantStatus(201).wantHTML()
		token := made.between(`id="token" rows="2" readonly spellcheck="false" data-select>`, "<")
		basic := apitest.Header("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("1c:"+token)))
		call := func(method, query, body string) string {
			return string(s.Do(method, "/v2/sync-gate/commerceml?type=catalog&"+query, body, basic).Body)
		}
		call("GET", "mode=init", "")
		call("POST", "mode=file&filename=offers.xml",
			`<КоммерческаяИнформация><ПакетПредложений><ТипыЦен><ТипЦены><Ид>t1</Ид>`+
				`<Наименование>Розничная</Наименование></ТипЦены>`+
				`<ТипЦены><Ид>t2</Ид><Наименование>Оптовая</Наименование></ТипЦены></ТипыЦен><Предложения>`+
				`<Предложение><Ид>p</Ид><Наименование>Стол</Наименование><Аналоги>x</Аналоги></Предложение>`+
				`</Предложения>`+
				`</ПакетПредложений></КоммерческаяИнформация>`)
		if answer := call("GET", "mode=import&filename=offers.xml", ""); !strings.HasPrefix(answer, "success") {
			t.Fatalf("import answers %q", answer)
		}

		v.get("/exchange/1c").wantStatus(200).wantHTML().contains("1C was last here:", `hx-select="#contact"`,
			"It said «type=catalog mode=import filename=offers.xml», "+
				"we answered «success: 3 items were applied, 0 failed. Warnings: 2. ",
			"Оптовая", "Offers of a good",
			"Variants of a product", `id="price-type-not-chosen"`, "The shop takes «Розничная».", `id="not-kept"`,
			"Аналоги", "Where is it in 1C?").omits(token, `id="needs-full"`, `id="foreign-price-type"`)
		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get("/exchange/1c").wantStatus(200).wantHTML().contains(`id="price-type-not-chosen"`,
			"The shop takes «Розничная».").omits("Choose the right one", "<select")
		v.post("/exchange/1c", url.Values{"price_type": {"t2"}, "missing": {"archive"},
			"more": {"Вес, Страна"}, "state_confirmed": {"Собран, Упакован"}}).wantStatus(303)
		v.get("/exchange/1c").wantStatus(200).contains(`value="t2" selected`, `value="archive" selected`,
			`value="Страна" checked`, `value="Собран, Упакован"`, `id="needs-full"`).omits("price-type-not-chosen")
		s.wantAudit("settings.changed")
		v.post("/exchange/1c", url.Values{"zero_price": {"free"}, "package_minutes": {"45"}}).wantStatus(303)
		v.get("/exchange/1c").wantStatus(200).contains(`value="free" selected`, `value="45"`, `value="t2" selected`,
			`value="archive" selected`)

		// 1C sends roubles to a new shop, whose currency nobody has set.
		call("GET", "mode=init", "")
		call("POST", "mode=file&filename=prices.xml", `<КоммерческаяИнформация><ПакетПредложений><ТипыЦен><ТипЦены>`+
			`<Ид>t2</Ид><Наименование>Оптовая</Наименование><Валюта>руб</Валюта></ТипЦены></ТипыЦен>`+
			`</ПакетПредложений></КоммерческаяИнформация>`)
		call("GET", "mode=import&filename=prices.xml", "")
		v.get("/exchange/1c").wantStatus(200).wantHTML().contains(`id="foreign-price-type"`,
			"The prices «Оптовая» of 1C are in руб, and the currency of the shop is USD.")
		viewer.get("/exchange/1c").wantStatus(200).wantHTML().contains(`id="foreign-price-type"`, `id="needs-full"`,
			`<dd id="price-type">Оптовая (руб)</dd>`, "Archive them").omits("/settings#currency", "<select")

		for _, wrong := range []url.Values{{"package_minutes": {"0"}}, {"package_minutes": {"1441"}},
			{"package_minutes": {"a while"}}} {
			v.post("/exchange/1c", wrong).wantStatus(422).contains("Use a whole number of minutes from 1 to 1440.")
		}

		v.post("/exchange/1c",
			url.Values{"zero_price": {"cheap"}}).wantStatus(422).contains("Use none, which is the default, or free.")
		sale := func(token string) string {
			basic := apitest.Header("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("1c:"+token)))
			return string(s.Do("GET", "/v2/sync-gate/commerceml?type=sale&mode=success", "", basic).Body)
		}
		if answer := sale(token); !strings.HasPrefix(answer, "failure") {
			t.Errorf("without the tick, 1C may exchange orders: %q", answer)
		}

		made = v.post("/exchange/1c/token", url.Values{"password": {s.store.AdminPassword},
			"orders": {"1"}}).wantStatus(201)
		withOrders := made.between(`id="token" rows="2" readonly spellcheck="false" data-select>`, "<")
		if answer := sale(withOrders); !strings.HasPrefix(answer, "success") {
			t.Errorf("with the tick, 1C may not exchange orders: %q", answer)
		}

		v.post("/exchange/1c",
			url.Values{"missing": {"burn"}}).wantStatus(422).wantHTML().contains("look at the marked fields")
		manager := s.signIn(s.newOperator(access.Manager), apitest.OperatorPassword)
		manager.get("/exchange/1c").wantStatus(200).contains("An owner of the store makes the password here")
		manager.post("/exchange/1c", url.Values{}).wantStatus(403).wantHTML()
	})
}

// The page that connects 1C says, for each program of 1C by the name that its users know, where the exchange is.
func TestOneC_saysWhereTheExchangeIsInEachProgram(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		s.owner().get("/exchange/1c", "Accept-Language", "ru").wantStatus(200).contains("УТ 11", "КА 2", "ERP", "УНФ",
			"Розница", "Бухгалтерия 3.0", "Обмен с сайтами").
			omits("Trade Management", "Small Business", "Retail", "Accounting")
	})
}

// The page of an order shows the number of the payment that 1C has sent.
func TestOneC_showsThePaymentOfAnOrder(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		id := s.createShirts("Shirt", "AB-12").order(1, "Anna", "anna@example.com")
		v := s.owner()
		v.get("/orders/" + id).wantStatus(200).omits("Number of the payment in 1C")
		made := v.post("/exchange/1c/token", url.Values{"password": {s.store.AdminPassword}, "orders": {"1"}})
		token := made.wantStatus(201).between(`id="token" rows="2" readonly spellcheck="false" data-select>`, "<")

		answer := s.Do("POST", "/v2/sync-gate/commerceml?type=sale&mode=file&filename=orders.xml",
			`<КоммерческаяИнформация><Документ><Номер>1</Номер><ЗначенияРеквизитов><ЗначениеРеквизита><Наименование>`+
				`Номер оплаты по 1С</Наименование><Значение>PP-42</Значение></ЗначениеРеквизита></ЗначенияРеквизитов>`+
				`</Документ></КоммерческаяИнформация>`,
			apitest.Header("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("1c:"+token))))
		if string(answer.Body) != "success" {
			t.Fatalf("the file with orders is answered %q", answer.Body)
		}
		v.get("/orders/"+id).wantStatus(200).contains("Number of the payment in 1C", "PP-42")
	})
}

// The page that says how to connect makes a token, which works, with the real address.
func TestConnect_makesToken(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.get("/exchange/connect").wantStatus(200).wantHTML().contains("/v2/sync-gate/products", "xt_…", "Make a token")
		v.post("/exchange/connect", url.Values{"password": {"wrong"}}).wantStatus(422).wantHTML().
			contains("The password is wrong").omits("data-copy=\"token\"")
		s.Clock.Advance(2e9) // a wrong password locks the account for a second
		made := v.post("/exchange/connect", url.Values{"password": {s.store.AdminPassword}}).wantStatus(201).wantHTML()
		token := made.between(`id="token" rows="2" readonly spellcheck="false" data-select>`, "<")
		made.contains("Authorization: Bearer "+token, "VITRINE_EXCHANGE_TOKEN="+token)

		r := s.Do("POST", "/v2/sync-gate/stocks", strings.NewReader(`{"payload":[{"id":1,"name":"Main"}]}`),
			apitest.As(token))
		if r.Status != 200 {
			t.Errorf("a push with the new token got %d", r.Status)
		}

		s.wantAudit("key.created")
		if r := s.Do("GET", "/v2/sync-gate/stocks", nil, apitest.As(token)); r.Status != 403 {
			t.Errorf("without the tick, an export got %d", r.Status)
		}

		made = v.post("/exchange/connect", url.Values{"password": {s.store.AdminPassword},
			"exports": {"1"}}).wantStatus(201)
		reader := made.between(`id="token" rows="2" readonly spellcheck="false" data-select>`, "<")
		if r := s.Do("GET", "/v2/sync-gate/stocks", nil, apitest.As(reader)); r.Status != 200 {
			t.Errorf("with the tick, an export got %d", r.Status)
		}

		v.get("/exchange/connect").wantStatus(200).contains("Accounting").omits(token)
		manager := s.signIn(s.newOperator(access.Manager), apitest.OperatorPassword)
		manager.get("/exchange/connect").wantStatus(200).contains("An owner of the store makes the token here")
		manager.post("/exchange/connect", url.Values{}).wantStatus(403).wantHTML()

		s.pushText("products", `{"payload":[{"id":1,"name":"Lamp","categories":["light"]}]}`)
		v.get("/exchange/pending").wantStatus(200).wantHTML().contains("Category", "<code>light</code>")
	})
}

// In a real Chromium an owner uploads a table, reads the report and applies the file.
func TestBrowser_upload(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	file := filepath.Join(t.TempDir(), "products.csv")
	if err := os.WriteFile(file, []byte("id,name,price\n1,Lamp,10\n2,Shade,20\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base+"/exchange"), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(b.follow("Upload a file"), chromedp.WaitVisible(chromedp.ID("file")))
	b.wantFitsPhone("the upload")
	b.do(chromedp.SetUploadFiles(chromedp.ID("file"), []string{file}), b.press("Check the file"),
		chromedp.WaitVisible(chromedp.CSS(".exchange-apply")))
	b.wantFitsPhone("a checked file")

	if n := s.countProducts(); n != 0 {
		t.Errorf("the trial made %d products", n)
	}

	b.do(b.press("Apply the file"), chromedp.WaitNotPresent(chromedp.CSS(".exchange-apply")),
		chromedp.WaitVisible(chromedp.CSS(`#run .lead [data-state="good"]`)))
	if n := s.countProducts(); n != 2 {
		t.Errorf("there are %d products, want 2", n)
	}

	b.do(chromedp.Navigate(base+"/exchange/connect"), chromedp.WaitVisible(chromedp.ID("curl")))
	b.wantFitsPhone("how to connect")

	if messages := b.consoleMessages(); len(messages) > 0 {
		t.Errorf("the console shows %q", messages)
	}
}

// A supplier's file with columns of its own is mapped once, with guesses; the next one is read at once.
func TestUpload_asksForColumns(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		file := "Артикул;Наименование;Цена, руб.;Остаток;Заметка\nA-1;Стол <b>;1 234,50 ₽;5;x\n"
		page := v.sendFile("products", "supplier.csv", file).wantStatus(303).Header.Get("Location")
		run, isColumns := strings.CutSuffix(page, "/columns")
		if !isColumns {
			t.Fatalf("the file leads to %s", page)
		}

		v.get(run).wantStatus(200).wantHTML().contains("Choose the columns").omits("Apply the file")
		v.get(page).wantStatus(200).wantHTML().contains("Заметка", "1 234,50 ₽", `value="found-by-sku" selected`,
			`value="name" selected`, `value="price" selected`).omits("Стол <b>")
		viewer := s.signIn(s.newOperator(access.Viewer), apitest.OperatorPassword)
		viewer.get(page).wantStatus(403)
		viewer.post(page, url.Values{}).wantStatus(403)

		v.post(page, url.Values{"column_1": {"name"}}).wantStatus(422).wantHTML().contains("must have the column id")
		chosen := url.Values{"column_0": {"sku-and-id"}, "column_1": {"name"}, "column_2": {"price"}}
		v.post(page, chosen).wantRedirect(run)
		v.eventuallyShows(run, "Apply the file").contains("Стол")
		v.get(page).wantStatus(200).contains(`value="sku-and-id" selected`)

		next := v.sendFile("products", "next.csv", strings.ReplaceAll(file, "A-1", "A-2")).wantStatus(303).
			Header.Get("Location")
		v.eventuallyShows(next, "Apply the file")
		s.wantAudit("run.uploaded", "run.columns_chosen", "run.uploaded")
		v.get(page+"?header=1").wantStatus(200).wantHTML().contains("The line with the headings", "A-1")
		v.get(page + "?header=7").wantStatus(422)
		v.get(page + "?header=x").wantStatus(400)
		v.post(run+"/discard", url.Values{}).wantRedirect(run)
		v.get(page).wantStatus(409)
	})
}
