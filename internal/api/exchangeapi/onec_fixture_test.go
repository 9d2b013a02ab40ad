package exchangeapi_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// oneC is a client that behaves as 1C does.
type oneC struct {
	*apitest.Server
	t        *testing.T
	password string
	cookie   string
	kind     string
}

func newOneC(t *testing.T, s *apitest.Server) *oneC {
	return &oneC{Server: s.WithTB(t), t: t, password: s.Exchange, kind: "catalog"}
}

// call sends a request and returns the lines of the response. The query consists of names and values.
func (c *oneC) call(method, mode string, body any, query ...string) []string {
	c.t.Helper()
	values := url.Values{"type": {c.kind}, "mode": {mode}}
	for i := 0; i < len(query); i += 2 {
		values.Set(query[i], query[i+1])
	}

	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("1c:"+c.password))
	options := []apitest.RequestOption{apitest.Header("Authorization", basic),
		apitest.Header("Content-Type", "application/octet-stream")}
	if c.cookie != "" {
		options = append(options, apitest.Header("Cookie", c.cookie), apitest.Header("Authorization", ""))
	}

	r := c.Do(method, "/v2/sync-gate/commerceml?"+values.Encode(), body, options...)
	if r.Status != 200 {
		c.t.Fatalf("mode=%s: status %d, want 200: %s", mode, r.Status, r.Body)
	}

	return strings.Split(string(r.Body), "\n")
}

// want sends a request and requires the first line of the response. It repeats the request while it is in progress.
func (c *oneC) want(verdict, mode string, body any, query ...string) []string {
	c.t.Helper()
	method := "GET"
	if body != nil {
		method = "POST"
	}
	lines := c.call(method, mode, body, query...)
	for lines[0] == "progress" && verdict != "progress" {
		lines = c.call(method, mode, body, query...)
	}
	if lines[0] != verdict {
		c.t.Fatalf("mode=%s %v: %q, want %s", mode, query, lines, verdict)
	}
	return lines
}

// begin logs in and begins a session.
func (c *oneC) begin() *oneC {
	c.t.Helper()
	c.cookie = ""
	lines := c.want("success", "checkauth", nil)
	c.cookie = lines[1] + "=" + lines[2]
	if c.kind == "sale" { // files with orders are applied as they come
		c.want("zip=no", "init", nil)
	} else {
		c.want("zip=yes", "init", nil)
	}
	return c
}

// send sends a file in one part.
func (c *oneC) send(name, content string) {
	c.t.Helper()
	c.want("success", "file", content, "filename", name)
}

// apply repeats the import of a file until it is no more in progress.
func (c *oneC) apply(name string) {
	c.t.Helper()
	c.want("success", "import", nil, "filename", name)
}

// exchange sends files and imports them, in this order: names and contents.
func (c *oneC) exchange(files ...string) {
	c.t.Helper()
	c.begin()
	for i := 0; i < len(files); i += 2 {
		c.send(files[i], files[i+1])
	}
	for i := 0; i < len(files); i += 2 {
		if strings.HasSuffix(files[i], ".xml") {
			c.apply(files[i])
		}
	}
}

// product reads a product by its external id.
func (c *oneC) product(externalID string) *apitest.Response {
	c.t.Helper()
	r := c.Get("/v2/products?archived=any&external_ids=" + url.QueryEscape(externalID))
	return c.Get("/v2/products/" + r.Text("data.0.id"))
}

// runs returns the last runs, newest first: entity, created, updated, unchanged, failed, warnings.
func (c *oneC) runs(n int) (list []string) {
	c.t.Helper()
	r := c.Get("/v2/sync-gate/runs", apitest.As(c.Exchange))
	for i := range n {
		at := "data." + strconv.Itoa(i) + "."
		var words []string
		for _, name := range []string{"entity", "created", "updated", "unchanged", "failed", "warnings"} {
			words = append(words, r.Text(at+name))
		}
		list = append(list, strings.Join(words, " "))
	}
	return list
}

func (c *oneC) settings(json string) {
	c.t.Helper()
	if r := c.DoAdmin("PUT", "/api/store/settings", `{"commerceml": `+json+`}`); r.Status != 200 {
		c.t.Fatalf("settings: %d %s", r.Status, r.Body)
	}
}

func oneCDocument(body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<КоммерческаяИнформация ВерсияСхемы="2.08">` + body +
		`</КоммерческаяИнформация>`
}

func goodsFile(flag string, goods ...string) string {
	return oneCDocument(`<Каталог СодержитТолькоИзменения="` + flag + `"><Ид>cat</Ид><Товары>` +
		strings.Join(goods, "") + `</Товары></Каталог>`)
}

func good(id, name, more string) string {
	return `<Товар><Ид>` + id + `</Ид><Наименование>` + name + `</Наименование>` + more + `</Товар>`
}

func offersFile(offers ...string) string {
	return oneCDocument(`<ПакетПредложений СодержитТолькоИзменения="false"><ТипыЦен><ТипЦены><Ид>retail</Ид>` +
		`<Наименование>Розничная</Наименование></ТипЦены>` +
		`<ТипЦены><Ид>trade</Ид><Наименование>Оптовая</Наименование></ТипЦены></ТипыЦен><Предложения>` +
		strings.Join(offers, "") + `</Предложения></ПакетПредложений>`)
}

// offer returns an offer with a price and characteristics: names and values.
func offer(id, name, price, more string, characteristics ...string) string {
	text := `<Предложение><Ид>` + id + `</Ид>`
	if name != "" {
		text += `<Наименование>` + name + `</Наименование>`
	}

	if len(characteristics) > 0 {
		text += `<ХарактеристикиТовара>`
		for pair := range slices.Chunk(characteristics, 2) {
			text += `<ХарактеристикаТовара><Наименование>` + pair[0] + `</Наименование><Значение>` + pair[1] +
				`</Значение></ХарактеристикаТовара>`
		}
		text += `</ХарактеристикиТовара>`
	}

	if price != "" {
		text += `<Цены><Цена><ИдТипаЦены>retail</ИдТипаЦены><ЦенаЗаЕдиницу>` + price + `</ЦенаЗаЕдиницу></Цена>` +
			`<Цена><ИдТипаЦены>trade</ИдТипаЦены><ЦенаЗаЕдиницу>1</ЦенаЗаЕдиницу></Цена></Цены>`
	}

	return text + more + `</Предложение>`
}

// zipped returns an archive of files: names and contents.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for pair := range slices.Chunk(files, 2) {
		w, err := z.Create(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(pair[1])); err != nil {
			t.Fatal(err)
		}
	}

	if err := z.Close(); err != nil {
		t.Fatal(err)
	}

	return b.Bytes()
}
