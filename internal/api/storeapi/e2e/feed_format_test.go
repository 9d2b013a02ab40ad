package e2e

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// xmlNode is an element of a feed.
type xmlNode struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []xmlNode  `xml:",any"`
}

func (n *xmlNode) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (n *xmlNode) all(name string) (found []*xmlNode) {
	for i := range n.Children {
		if n.Children[i].XMLName.Local == name {
			found = append(found, &n.Children[i])
		}
	}
	return found
}

// text returns the text of the only element with this name, or "".
func (n *xmlNode) text(name string) string {
	if found := n.all(name); len(found) == 1 {
		return found[0].Text
	}
	return ""
}

func (n *xmlNode) texts(name string) (texts []string) {
	for _, child := range n.all(name) {
		texts = append(texts, child.Text)
	}
	return texts
}

// parseXML parses a document strictly.
func parseXML(t *testing.T, document []byte) *xmlNode {
	t.Helper()
	if !utf8.Valid(document) || !bytes.HasPrefix(document, []byte(`<?xml version="1.0" encoding="UTF-8"?>`)) {
		t.Errorf("the feed is not XML in UTF-8")
	}
	var root xmlNode
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimSuffix(document, []byte("\n"))))
	d.Strict = true
	if err := d.Decode(&root); err != nil {
		t.Fatalf("the feed is not well-formed: %v\n%s", err, document)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Errorf("there is something behind the root element")
	}
	return &root
}

var (
	feedAmount = regexp.MustCompile(`^[0-9]+\.[0-9]{2}$`)
	feedPrice  = regexp.MustCompile(`^[0-9]+\.[0-9]{2} [A-Z]{3}$`)
	feedNumber = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)
	feedCode   = regexp.MustCompile(`^([0-9]{8}|[0-9]{12,14})$`)
)

// ymlElements are the elements of an offer in YML that the feed uses, with how often each may stand there.
var ymlElements = map[string]int{"url": 1, "price": 1, "oldprice": 1, "vat": 1, "currencyId": 1, "categoryId": 1,
	"picture": 10, "name": 1, "vendor": 1, "vendorCode": 1, "description": 1, "country_of_origin": 1, "barcode": 20,
	"param": 1000, "weight": 1}

// checkYML checks the rules of YML, and returns the offers by their names.
func checkYML(t *testing.T, document []byte) map[string]*xmlNode {
	t.Helper()
	root := parseXML(t, document)
	if root.XMLName.Local != "yml_catalog" || len(root.all("shop")) != 1 {
		t.Fatalf("the root is %s", root.XMLName.Local)
	}
	if _, err := time.Parse(time.RFC3339, root.attr("date")); err != nil {
		t.Errorf("the date: %v", err)
	}
	shop := root.all("shop")[0]
	for _, name := range []string{"name", "company", "url"} {
		if shop.text(name) == "" {
			t.Errorf("the shop has no %s", name)
		}
	}
	currency := shop.all("currencies")[0].all("currency")[0]
	if currency.attr("rate") != "1" {
		t.Errorf("the rate is %s", currency.attr("rate"))
	}

	categories := map[string]bool{}
	for _, c := range shop.all("categories")[0].all("category") {
		if !feedNumber.MatchString(c.attr("id")) || categories[c.attr("id")] || strings.TrimSpace(c.Text) == "" {
			t.Errorf("category %s %q", c.attr("id"), c.Text)
		}
		if parent := c.attr("parentId"); parent != "" && !categories[parent] {
			t.Errorf("the parent of %q is not before it", c.Text)
		}
		categories[c.attr("id")] = true
	}

	offers := map[string]*xmlNode{}
	ids := map[string]bool{}
	for _, o := range shop.all("offers")[0].all("offer") {
		id := o.attr("id")
		if id == "" || len(id) > 80 || ids[id] || o.attr("available") != "true" && o.attr("available") != "false" {
			t.Errorf("the offer %q available=%q", id, o.attr("available"))
		}
		ids[id] = true
		if group := o.attr("group_id"); group != "" && (!feedNumber.MatchString(group) || len(group) > 9) {
			t.Errorf("the group %q", group)
		}
		checkYMLOffer(t, o, categories, currency.attr("id"))
		offers[o.text("name")] = o
	}
	return offers
}

func checkYMLOffer(t *testing.T, o *xmlNode, categories map[string]bool, currency string) {
	t.Helper()
	seen := map[string]int{}
	for _, child := range o.Children {
		name := child.XMLName.Local
		if seen[name]++; seen[name] > ymlElements[name] || child.Text == "" {
			t.Errorf("element %d %s: %q", seen[name], name, child.Text)
		}
	}

	for _, name := range []string{"url", "price", "currencyId", "categoryId", "picture", "name"} {
		if seen[name] == 0 {
			t.Errorf("an offer has no %s", name)
		}
	}
	price, _ := strconv.ParseFloat(o.text("price"), 64)
	old, _ := strconv.ParseFloat(o.text("oldprice"), 64)
	switch {
	case !feedAmount.MatchString(o.text("price")) || price <= 0:
		t.Errorf("the price %q", o.text("price"))
	case seen["oldprice"] > 0 && old <= price:
		t.Errorf("the old price %q of %q", o.text("oldprice"), o.text("price"))
	case o.text("currencyId") != currency || !categories[o.text("categoryId")]:
		t.Errorf("currency %q, category %q", o.text("currencyId"), o.text("categoryId"))
	case utf8.RuneCountInString(o.text("name")) > 150 || utf8.RuneCountInString(o.text("description")) > 3000:
		t.Errorf("name %q or description %q is too long", o.text("name"), o.text("description"))
	}

	for _, code := range o.texts("barcode") {
		if !feedCode.MatchString(code) {
			t.Errorf("the barcode %q", code)
		}
	}
	for _, address := range append(o.texts("picture"), o.text("url")) {
		checkAddress(t, address)
	}
	for _, p := range o.all("param") {
		if p.attr("name") == "" {
			t.Errorf("a param without a name: %q", p.Text)
		}
	}
	if vat := o.text("vat"); vat != "" && !slices.Contains([]string{"VAT_0", "VAT_5", "VAT_7", "VAT_10", "VAT_20",
		"VAT_22"}, vat) {
		t.Errorf("the VAT %q", vat)
	}
}

func checkAddress(t *testing.T, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(address) > 2000 {
		t.Errorf("the address %q", address)
	}
}

// googleLimits are the attributes of Google that the feed uses, with their longest texts.
var googleLimits = map[string]int{"id": 50, "item_group_id": 50, "title": 150, "description": 5000, "link": 2000,
	"image_link": 2000, "additional_image_link": 2000, "availability": 20, "price": 50, "sale_price": 50, "brand": 70,
	"gtin": 14, "mpn": 70, "identifier_exists": 3, "condition": 11, "google_product_category": 750, "product_type": 750,
	"color": 100, "size": 100, "material": 200, "pattern": 100, "gender": 6, "age_group": 7, "shipping_weight": 20,
	"custom_label_0": 100, "custom_label_1": 100, "custom_label_2": 100, "custom_label_3": 100, "custom_label_4": 100}

// checkGoogle checks the rules of Google Merchant Center for RSS, and returns the items by title.
func checkGoogle(t *testing.T, document []byte) map[string]map[string]string {
	t.Helper()
	root := parseXML(t, document)
	if root.XMLName.Local != "rss" || root.attr("version") != "2.0" {
		t.Fatalf("the root is %s", root.XMLName.Local)
	}
	channel := root.all("channel")[0]
	for _, name := range []string{"title", "link", "description"} {
		if channel.text(name) == "" {
			t.Errorf("the channel has no %s", name)
		}
	}

	var items []map[string]string
	for _, node := range channel.all("item") {
		item := map[string]string{}
		for _, child := range node.Children {
			name := child.XMLName.Local
			if child.XMLName.Space != "http://base.google.com/ns/1.0" || child.Text == "" {
				t.Errorf("element %v %q", child.XMLName, child.Text)
			}
			if item[name] != "" {
				if name != "additional_image_link" {
					t.Errorf("%s stands twice", name)
				}
				item[name] += ","
			}
			item[name] += child.Text
		}
		items = append(items, item)
	}
	return checkItems(t, items)
}

// checkCSV checks the same of a table.
func checkCSV(t *testing.T, document []byte) map[string]map[string]string {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(document))
	lines, err := r.ReadAll() // every line has as many fields as the first
	if err != nil || len(lines) == 0 {
		t.Fatalf("the table: %v", err)
	}

	var items []map[string]string
	for _, line := range lines[1:] {
		item := map[string]string{}
		for i, name := range lines[0] {
			if line[i] != "" {
				item[name] = line[i]
			}
		}
		items = append(items, item)
	}
	return checkItems(t, items)
}

func checkItems(t *testing.T, items []map[string]string) map[string]map[string]string {
	t.Helper()
	byTitle, ids := map[string]map[string]string{}, map[string]bool{}
	for _, item := range items {
		for name, value := range item {
			if limit := googleLimits[name]; name != "additional_image_link" && utf8.RuneCountInString(value) > limit {
				t.Errorf("%s has more than %d characters: %q", name, limit, value)
			}
		}

		for _, name := range []string{"id", "title", "description", "link", "image_link", "availability", "price",
			"condition"} {
			if item[name] == "" {
				t.Errorf("an item has no %s: %v", name, item)
			}
		}

		checkItem(t, item)
		if ids[item["id"]] {
			t.Errorf("two items are %s", item["id"])
		}
		ids[item["id"]] = true
		byTitle[item["title"]] = item
	}
	return byTitle
}

func checkItem(t *testing.T, item map[string]string) {
	t.Helper()
	price, _ := strconv.ParseFloat(strings.Fields(item["price"])[0], 64)
	if !feedPrice.MatchString(item["price"]) || price <= 0 {
		t.Errorf("the price %q", item["price"])
	}
	if sale := item["sale_price"]; sale != "" {
		amount, _ := strconv.ParseFloat(strings.Fields(sale)[0], 64)
		if !feedPrice.MatchString(sale) || amount >= price {
			t.Errorf("the sale price %q of %q", sale, item["price"])
		}
	}

	for name, known := range map[string][]string{
		"availability":      {"in_stock", "out_of_stock", "preorder", "backorder"},
		"condition":         {"new", "refurbished", "used"},
		"identifier_exists": {"yes", "no", ""}, "gender": {"male", "female", "unisex", ""},
		"age_group": {"newborn", "infant", "toddler", "kids", "adult", ""},
	} {
		if !slices.Contains(known, item[name]) {
			t.Errorf("%s is %q", name, item[name])
		}
	}

	hasCodes := item["gtin"] != "" || item["brand"] != "" && item["mpn"] != ""
	if hasCodes == (item["identifier_exists"] == "no") || item["gtin"] != "" && !feedCode.MatchString(item["gtin"]) {
		t.Errorf("codes: %v", item)
	}
	images := strings.Split(item["additional_image_link"], ",")
	if len(images) > 10 {
		t.Errorf("%d additional images", len(images))
	}
	for _, address := range append(images, item["link"], item["image_link"]) {
		if address != "" {
			checkAddress(t, address)
		}
	}
	if weight := item["shipping_weight"]; weight != "" && !strings.HasSuffix(weight, " kg") {
		t.Errorf("the weight %q", weight)
	}
}
