package storeapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/productapi"
	"vitrine/internal/api/storeapi/productcache"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

func TestDocument_describesExactlyTheRoutes(t *testing.T) {
	t.Parallel()
	doc, routes := newDocument(t)
	var want, got, ids []string
	for _, r := range routes {
		want = append(want, strings.ToLower(r.Method)+" "+strings.ReplaceAll(r.Path, "{$}", ""))
	}

	for path, item := range doc.root["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			got = append(got, method+" "+path)
			ids = append(ids, operation.(map[string]any)["operationId"].(string))
		}
	}

	slices.Sort(want)
	slices.Sort(got)

	if !slices.Equal(want, got) {
		t.Errorf("the document describes\n%v\nwant the routes\n%v", got, want)
	}

	slices.Sort(ids)
	if n := len(ids); len(slices.Compact(ids)) != n {
		t.Errorf("operation ids repeat: %v", ids)
	}
}

func TestDocument_referencesResolve(t *testing.T) {
	t.Parallel()
	doc, _ := newDocument(t)
	refs := 0
	var walk func(v any)

	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				refs++
				if doc.find(ref) == nil {
					t.Errorf("the reference %s does not resolve", ref)
				}
			}

			for _, member := range v {
				walk(member)
			}

		case []any:
			for _, element := range v {
				walk(element)
			}
		}
	}

	walk(doc.root)
	if refs < 100 {
		t.Errorf("the document has only %d references", refs)
	}
}

// With dates=iso every date is a string, but in webhooks, and every operation requires the parameter.
func TestDocument_hasISODates(t *testing.T) {
	t.Parallel()
	doc := newISODocument(t)
	text := string(doc.text)
	webhooks := text[strings.Index(text, `"webhooks":`):strings.LastIndex(text, `"components":`)]
	all := strings.Count(text, `#/components/schemas/DateObject"`)
	if all == 0 || strings.Count(webhooks, `#/components/schemas/DateObject"`) != all {
		t.Errorf("%d references to date objects, some outside of webhooks", all)
	}

	if got := toText(doc.find("#/components/schemas/Store")); !strings.Contains(got,
		`"created_at":{"$ref":"#/components/schemas/ISODate"}`) {
		t.Errorf("a store is %s", got)
	}

	dates := doc.find("#/components/parameters/Dates").(map[string]any)
	if dates["required"] != true {
		t.Errorf("the parameter dates is %v", dates)
	}
}

func toText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// The codes of an operation's problems are those that its route can answer with: apitest compares them with all answers
// of all tests.
func TestDocument_listsCodesOfProblems(t *testing.T) {
	t.Parallel()
	doc, routes := newDocument(t)
	checked := 0
	for _, route := range routes {
		path := strings.NewReplacer("~", "~0", "/", "~1").Replace(strings.ReplaceAll(route.Path, "{$}", ""))
		operation := doc.find("#/paths/" + path + "/" + strings.ToLower(route.Method)).(map[string]any)

		for status, codes := range openapi.ProblemCodes(route) {
			response := operation["responses"].(map[string]any)[fmt.Sprint(status)].(map[string]any)
			if ref, ok := response["$ref"].(string); ok {
				response = doc.find(ref).(map[string]any)
			}

			text := toText(response["content"])
			for _, code := range codes {
				checked++
				if at := strings.Index(text, `"enum":[`); at < 0 || !strings.Contains(text[at:], `"`+code+`"`) {
					t.Errorf("%s %s: %d lacks the code %s in %s", route.Method, route.Path, status, code, text)
				}
			}
		}
	}

	if checked < 2_000 {
		t.Errorf("only %d codes are checked", checked)
	}
}

// Each example of a parameter, a header or a media type must match the schema next to it.
func TestDocument_examplesMatchSchemas(t *testing.T) {
	t.Parallel()
	plain, _ := newDocument(t)
	for name, doc := range map[string]openAPI{"with date objects": plain, "with ISO dates": newISODocument(t)} {
		t.Run(name, func(t *testing.T) { checkExamples(t, doc) })
	}
}

func checkExamples(t *testing.T, doc openAPI) {
	t.Helper()
	seen := 0
	var walk func(v any, place string)

	walk = func(v any, place string) {
		object, ok := v.(map[string]any)
		if !ok {
			list, _ := v.([]any)
			for i, element := range list {
				walk(element, fmt.Sprintf("%s[%d]", place, i))
			}
			return
		}

		for _, example := range examplesOf(object) {
			seen++
			for _, wrong := range doc.violations(object["schema"], example, place) {
				t.Error(wrong)
			}
		}

		for name, member := range object {
			if name != "examples" && name != "example" {
				walk(member, place+"/"+name)
			}
		}
	}

	walk(doc.root, "")
	if seen < 60 {
		t.Errorf("the document has only %d examples", seen)
	}
}

// examplesOf returns the examples of a parameter, a header or a media type. It returns none for other objects, such as
// schemas.
func examplesOf(object map[string]any) (list []any) {
	if object["schema"] == nil {
		return nil
	}
	if single, ok := object["example"]; ok {
		list = append(list, single)
	}
	several, _ := object["examples"].(map[string]any)
	for _, e := range several {
		list = append(list, e.(map[string]any)["value"])
	}
	return list
}

// The functions that read request bodies accept the example bodies of their routes.
func TestDocument_exampleBodiesAreAccepted(t *testing.T) {
	t.Parallel()
	_, routes := newDocument(t)
	seen := 0
	for _, r := range routes {
		for _, e := range r.BodyExamples {
			seen++
			body := &httpapi.Body{Buffer: &httpapi.Buffer{B: []byte(e.JSON)}}
			in := wire.NewReader(body.Reader())
			var err error

			switch {
			case strings.HasPrefix(r.Path, "/v2/products/{id}/variants"):
				productapi.ReadVariant(in)
			case strings.HasPrefix(r.Path, "/v2/products"):
				productapi.ReadProduct(in)
			case strings.HasPrefix(r.Path, "/v2/categories"):
				readCategoryEdit(in)
			case strings.HasPrefix(r.Path, "/v2/images"):
				readImageEdit(in)
			case strings.HasPrefix(r.Path, "/v2/stocks"):
				readStockEdit(in)
			case strings.HasSuffix(r.Path, "/passwordless/request"):
				readLoginRequest(in)
			case strings.HasSuffix(r.Path, "/passwordless/confirm"):
				readConfirmation(in)
			case r.Path == "/v2/me":
				readProfile(in)
			case strings.HasSuffix(r.Path, "/items"):
				readOrderLine(in)
			case strings.HasSuffix(r.Path, "/items/{item_id}"):
				readItemEdit(in)
			case strings.HasSuffix(r.Path, "/submit"):
				readSubmission(in)
			case strings.HasPrefix(r.Path, "/v2/orders"):
				readOrderEdit(in)
			case r.Path == "/v2/search/synonyms":
				readSynonymEdit(in)
			case r.Path == "/v2/search/pins":
				readPins(in)
			case r.Path == "/v2/search/clicks":
				readSearchClick(in)
			case strings.HasPrefix(r.Path, "/v2/features"):
				in = nil
				_, err = readAttributeEdit(body, catalog.Feature, r.Path == "/v2/features")
			default:
				in = nil
				_, err = readAttributeEdit(body, catalog.Option, r.Path == "/v2/variant-options")
			}

			if in != nil {
				err = in.End()
			}

			if err != nil {
				t.Errorf("%s %s, %s: %v", r.Method, r.Path, e.Name, err)
			}
		}
	}

	if seen < 10 {
		t.Errorf("the document has only %d example bodies", seen)
	}
}

// Rendered JSON matches the schemas, and has its members in the order in which the schemas describe them.
func TestSchemas_matchRenderedJSON(t *testing.T) {
	t.Parallel()
	doc, _ := newDocument(t)
	zone, err := locale.Zone("Asia/Almaty")
	if err != nil {
		t.Fatal(err)
	}

	language, err := locale.Parse("kk")
	if err != nil {
		t.Fatal(err)
	}

	at := time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC)
	dates := locale.NewDates(language, zone, at.Add(time.Hour))
	shop := store.Store{ID: id.New[store.Store](), Name: "Shop", Timezone: "Asia/Almaty", Locale: "kk", Currency: "KZT",
		CreatedAt: at, UpdatedAt: at}

	option := attributeRenderer{attributeHandlers: attributeHandlers{kind: catalog.Option}, store: shop,
		language: language, dates: dates}
	feature := attributeRenderer{attributeHandlers: attributeHandlers{kind: catalog.Feature}, store: shop,
		language: language, dates: dates}
	value := catalog.Value{ID: id.New[catalog.Value](), Name: "1,50", CreatedAt: at, UpdatedAt: at}
	whole := func(d attributeRenderer, a catalog.Attribute) string {
		b := d.appendHead(nil, a)
		b = append(b, `,"values":[`...)
		b = d.appendValue(b, a.FieldType == catalog.Range, value)
		return string(append(b, "]}"...))
	}
	attribute := catalog.Attribute{ID: id.New[catalog.Attribute](), Name: "Size", FieldType: catalog.Select,
		CreatedAt: at, UpdatedAt: at}
	ranged := attribute
	ranged.FieldType = catalog.Range
	ranged.RangeType = catalog.Float
	ranged.Filterable = true

	carried := catalog.AttributeValue{AttributeID: attribute.ID, Name: "Weight", FieldType: catalog.Range, Value: value}
	variant := catalog.Variant{ID: id.New[catalog.Variant](), ExternalID: new("x"), SKU: "S",
		Price:     money.NewPrice(19905000),
		Available: new(money.Quantity(1500)), ArchivedAt: &at,
		Options: []catalog.AttributeValue{carried}, Remainders: []catalog.Remainder{{StockID: id.New[catalog.Stock](),
			Quantity: 2000, Reserved: 500}}}
	productID := id.New[catalog.Product]()
	bare := spec.Product{ID: schema.ID(productID), Name: "P", CreatedAt: schema.NewDate(at, dates),
		UpdatedAt: schema.NewDate(at, dates)}
	extended := bare
	extended.Categories = []spec.CategoryRef{}
	extended.Features = []spec.ProductFeature{}
	extended.Images = []spec.ProductImage{}
	extended.Modifiers = spec.Modifiers(catalog.NoModifiers)
	extended.Variants = []spec.Variant{}
	full := bare
	full.ExternalID, full.ArchivedAt = schema.NotNull("7"), schema.DateOrNull(&at, dates)
	full.Price = spec.PriceSpan{From: schema.NotNull(schema.Money(1)), To: schema.NotNull(schema.Money(20000))}
	full.Available = schema.NotNull(schema.Decimal("1.5"))
	full.Categories = []spec.CategoryRef{{ID: schema.ID(id.New[catalog.Category]()), Name: "Shirts"}}
	full.Features = []spec.ProductFeature{{ID: schema.ID(attribute.ID), Name: "Weight", Value: spec.ProductFeatureValue{
		ID: schema.ID(value.ID), Name: value.Name, RangeValue: schema.NotNull(schema.Decimal("1.50"))}}}
	full.Images = []spec.ProductImage{{ID: schema.ID(id.New[imagefile.Image]()), URL: "/a.png", Width: 1, Height: 2,
		Thumbnails: spec.Thumbnails{Small: "/a.small.png", Medium: "/a.medium.png"}}}
	full.Modifiers = `[{"name":"Wrap","max":null,"items":[{"id":7,"name":1,"price":0.5}]}]`
	full.Variants = []spec.Variant{{ID: schema.ID(variant.ID), Options: []spec.VariantOptionValue{},
		ArchivedAt: new(schema.DateOrNull(&at, dates))}}
	impact := &catalog.Impact{
		Variants:      []catalog.ImpactVariant{{ID: variant.ID, ProductID: productID, SKU: "S"}},
		VariantsTotal: 1,
		Products:      []catalog.ImpactProduct{{ID: productID, Name: "P"}},
		ProductsTotal: 1,
		Collisions: []catalog.Collision{{ProductID: productID,
			VariantIDs: []catalog.VariantID{variant.ID, variant.ID}}},
	}

	root := catalog.Category{ID: id.New[catalog.Category](), Name: "Clothes", CreatedAt: at, UpdatedAt: at}
	child := root
	child.ExternalID = new("7")
	child.ParentID = &root.ID
	stock := catalog.Stock{ID: id.New[catalog.Stock](), Name: "Main", CreatedAt: at, UpdatedAt: at}
	known := stock
	known.ExternalID = new("7")
	photo := catalog.Image{ID: id.New[imagefile.Image](), Image: imagefile.Image{Format: "jpeg"}, Width: 3000,
		Height: 2000, CreatedAt: at, UpdatedAt: at}
	owned := photo
	owned.ExternalID = new("7")
	owned.ProductID = &productID
	child.Image = &photo

	empty := order.Order{ID: id.New[order.Order](), State: order.Draft, Currency: "KZT", CreatedAt: at, UpdatedAt: at}
	ordered := empty
	ordered.Number, ordered.State, ordered.CustomerID = new(int64(7)), order.Cancelled, new(id.New[access.Customer]())
	ordered.SubmittedAt = &at
	ordered.ConfirmedAt = &at
	ordered.CompletedAt = &at
	ordered.CancelledAt = &at
	ordered.Contact = order.Contact{Name: "A", Phone: "1234567",
		Email: "a@b.example"}
	ordered.Delivery = order.Delivery{Address: "x", Comment: "y"}
	ordered.Comment = "z"
	ordered.Items = []order.Item{{ID: id.New[order.Item](), VariantID: variant.ID, ProductID: productID, Name: "Shirt",
		Options: "[]", Price: money.NewPrice(19905000), Quantity: 1500}}

	stranger := customer.Customer{ID: id.New[access.Customer](), Email: new("anna@example.com"), CreatedAt: at,
		UpdatedAt: at}
	friend := stranger
	friend.Name = "Anna"
	friend.Phone = new("+79123456789")

	withSettings := storeOf(shop, dates)
	withSettings.Settings = storeSettingsOf(protection.Settings{Active: true, Provider: captcha.RecaptchaV3,
		Actions: []protection.ProtectedAction{{Action: protection.OrderSubmission}}}, language)
	shape := func(v any) string { return string(wire.AppendJSON(nil, v)) }

	for name, texts := range map[string][]string{
		"Customer": {shape(customerOf(&stranger, dates)), shape(customerOf(&friend, dates))},
		"Order": {string(empty.AppendJSON(nil, dates)), string(ordered.AppendJSON(nil, dates)),
			string(appendNewOrder(nil, &empty, "ot_x", dates))},
		"DateObject":    {string(dates.AppendJSON(nil, at))},
		"Store":         {shape(storeOf(shop, dates)), shape(withSettings)},
		"VariantOption": {whole(option, attribute), string(option.appendHead(nil, attribute)) + "}"},
		"Feature": {whole(feature, attribute), whole(feature, ranged),
			string(feature.appendHead(nil, ranged)) + "}"},
		"OptionImpact": {shape(impactOf(catalog.Option, impact)), shape(impactOf(catalog.Option, &catalog.Impact{}))},
		"FeatureImpact": {shape(impactOf(catalog.Feature, impact)),
			shape(impactOf(catalog.Feature, &catalog.Impact{}))},
		"Category": {shape(categoryOf("http://shop.example", shop.ID, &root, dates)),
			shape(categoryOf("http://shop.example", shop.ID, &child, dates))},
		"Image": {shape(imageOf("http://shop.example", shop.ID, &photo, dates)),
			shape(imageOf("http://shop.example", shop.ID, &owned, dates))},
		"Stock":   {shape(stockOf(&stock, dates)), shape(stockOf(&known, dates))},
		"Product": {shape(bare), shape(extended), shape(full)}, // the renderer of products writes the same

		"Variant": {string((&productcache.VariantRenderer{Dates: dates}).Append(nil, &variant)),
			string((&productcache.VariantRenderer{Dates: dates, Remainders: true}).Append(nil,
				&catalog.Variant{ID: variant.ID}))},
		"Feedback": {
			string((&inquiry.Feedback{}).AppendJSON(nil, dates)),
			string((&inquiry.Feedback{Email: "a@example.com", Phone: "+491234567"}).AppendJSON(nil, dates)),
		},
		"Callback": {
			string((&inquiry.Callback{}).AppendJSON(nil, dates)),
			string((&inquiry.Callback{Name: "Anna", Comment: "x", PreferredTime: "18:00"}).AppendJSON(nil, dates)),
		},
	} {
		for _, text := range texts {
			for _, wrong := range doc.violations(doc.find("#/components/schemas/"+name), parseJSON(t, text), name) {
				t.Errorf("%s\nin %s", wrong, text)
			}
			if got, want := memberNames(text), describedMembers(t, doc, name, text); !slices.Equal(got, want) {
				t.Errorf("%s is rendered with the members %v, the schema has %v", name, got, want)
			}
		}
	}
}

// memberNames returns the names of the members of an object in the order in which they occur.
func memberNames(text string) (names []string) {
	d := json.NewDecoder(strings.NewReader(text))
	_, _ = d.Token()
	for d.More() {
		name, _ := d.Token()
		names = append(names, name.(string))
		var value json.RawMessage
		_ = d.Decode(&value)
	}
	return names
}

// describedMembers returns the members that the schema describes and the text contains, in the order of the schema.
func describedMembers(t *testing.T, doc openAPI, schema, text string) (names []string) {
	t.Helper()
	var root struct {
		Components struct {
			Schemas map[string]struct {
				Properties json.RawMessage `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(doc.text, &root); err != nil {
		t.Fatal(err)
	}

	there := memberNames(text)
	for _, name := range memberNames(string(root.Components.Schemas[schema].Properties)) {
		if slices.Contains(there, name) {
			names = append(names, name)
		}
	}

	return names
}
