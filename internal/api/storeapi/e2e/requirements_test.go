package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// Each case in this file quotes and checks a sentence of the original requirements: on options, features, dates, limits
// and versioning. Lists of a million values are tested in large_list_test.go of internal/app.

// localeEdit returns an edit that sets the language and the timezone of a store.
func localeEdit(language, timezone string) store.Edit {
	return store.Edit{Locale: &language, Timezone: &timezone}
}

type requirement struct {
	quote string
	check func(t *testing.T, s *apitest.Server)
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, part := range [][]requirement{generalRequirements, dateRequirements, optionRequirements,
			featureRequirements, limitRequirements, versioningRequirements} {
			for _, c := range part {
				t.Run(c.quote, func(t *testing.T) { c.check(t, s.WithTB(t).WithKeys(s.NewStore(store.Edit{}))) })
			}
		}
	}, apitest.Alone())
}

var generalRequirements = []requirement{
	{"The service is an online-store backend with an HTTP API and JSON bodies.", func(t *testing.T, s *apitest.Server) {
		r := s.OK(201, "POST", optionsPath, `{"name": "Size"}`)
		if got := r.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("the Content-Type is %s", got)
		}
	}},
	{"Each variant of a product must carry different values of the options.", func(t *testing.T, s *apitest.Server) {
		size := createAttribute(s, optionsPath, "S", "M")
		colour := createAttribute(s, optionsPath, "red", "blue")
		same := map[string]any{"name": "Shirt",
			"variants": []any{newVariant("1", size.asOption(0), colour.asOption(0)),
				newVariant("2", colour.asOption(0), size.asOption(0))}}
		s.WantProblem("422 variants[1].options duplicate_combination", "POST", "/v2/products", same)
		id := createProduct(s, newVariant("1", size.asOption(0), colour.asOption(0)),
			newVariant("2", size.asOption(1), colour.asOption(0)), newVariant("3", size.asOption(0),
				colour.asOption(1)), newVariant("4", size.asOption(0)))
		wantNames(t, variantSummary(s, id), "1: S, red", "2: M, red", "3: S, blue", "4: S")
	}},
	{"A product describes only base properties common to all its variants.", func(t *testing.T, s *apitest.Server) {
		size := createAttribute(s, optionsPath, "S")
		r := s.Get("/v2/products/" + createProduct(s, newVariant("1", size.asOption(0))))
		for _, member := range []string{"sku", "options"} {
			if r.Has("data."+member) || !r.Has("data.variants.0."+member) {
				t.Errorf("%s is not a member of variants only", member)
			}
		}
	}},
	{"Both options and features own a list of values, each value a string or a number, " +
		"and the number of values is not limited.", func(t *testing.T, s *apitest.Server) {
		for _, list := range []string{optionsPath, featuresPath} {
			r := s.OK(201, "POST", list+"?with=values", `{"name": "A", "values": [{"name": "text"}, {"name": 12.50}]}`)
			wantNames(t, r.Texts("data.values", "name"), "text", "12.50")
			id := r.Text("data.id")
			for range 3 {
				s.OK(200, "PUT", list+"/"+id, attributeEdit{Values: newValues(numberedNames("v", 1500)...)})
			}
			if got := s.Get(list + "/" + id + "/values?per_page=1").Text("meta.total"); got != "4502" {
				t.Errorf("%s has %s values, want 4502", list, got)
			}
		}
	}},
	{"Values can be sent together with the option or feature in a single request.",
		func(t *testing.T, s *apitest.Server) {
			for _, list := range []string{optionsPath, featuresPath} {
				wantNames(t, valueNames(s, list, createAttribute(s, list, "a", "b").id), "a", "b")
			}
		}},
}

var dateRequirements = []requirement{
	{"Every date field is an object with these fields, all present", func(t *testing.T, s *apitest.Server) {
		r := s.OK(201, "POST", featuresPath+"?with=values", `{"name": "F", "values": [{"name": "v"}]}`)
		for _, at := range []string{"data.created_at", "data.updated_at", "data.values.0.created_at",
			"data.values.0.updated_at"} {
			checkDate(t, r, at, "UTC")
		}
		r = s.OK(201, "POST", optionsPath, `{"name": "O"}`)
		checkDate(t, r, "data.created_at", "UTC")
		checkDate(t, r, "data.updated_at", "UTC")
		checkDate(t, s.Get("/v2/store"), "data.created_at", "UTC")
		checkDate(t, s.Get("/v2/products/"+createProduct(s)), "data.updated_at", "UTC")
	}},
	{"timezone name of the store | in the store timezone | ISO 8601 with the store timezone offset | localized human " +
		"text | localized relative text (time ago)", func(t *testing.T, s *apitest.Server) {
		for _, c := range []struct{ language, zone, datetime, at, date, diff, iso string }{
			{"en", "UTC", "2026-11-14 12:00:05", "14.11.2026 at 12:00", "14.11.2026", "2 minutes ago",
				"2026-11-14T12:00:05+00:00"},
			{"ru", "Europe/Moscow", "2026-11-14 15:00:05", "14.11.2026 в 15:00", "14.11.2026", "2 минуты назад",
				"2026-11-14T15:00:05+03:00"},
			{"de", "Pacific/Kiritimati", "2026-11-15 02:00:05", "15.11.2026 um 02:00", "15.11.2026", "vor 2 Minuten",
				"2026-11-15T02:00:05+14:00"},
			{"en", "America/New_York", "2026-11-14 07:00:05", "14.11.2026 at 07:00", "14.11.2026", "2 minutes ago",
				"2026-11-14T07:00:05-05:00"},
			{"kk", "Asia/Kathmandu", "2026-11-14 17:45:05", "", "14.11.2026", "", "2026-11-14T17:45:05+05:45"},
		} {
			s.Clock.Set(apitest.StartTime)
			shop := s.WithKeys(s.NewStore(localeEdit(c.language, c.zone)))
			id := shop.OK(201, "POST", optionsPath, `{"name": "O"}`).Text("data.id")
			s.Clock.Advance(2*time.Minute + 10*time.Second)
			r := shop.Get(optionsPath + "/" + id)
			checkDate(t, r, "data.created_at", c.zone)
			for field, want := range map[string]string{"datetime": c.datetime, "datetime_at": c.at, "date": c.date,
				"diff": c.diff, "iso": c.iso,
				"datetime_utc": "2026-11-14 12:00:05", "iso_utc": "2026-11-14T12:00:05+00:00",
				"timestamp": "1794657605", "timezone": c.zone} {
				if got := r.Text("data.created_at." + field); want != "" && got != want {
					t.Errorf("%s in %s: %s is %q, want %q", c.language, c.zone, field, got, want)
				}
			}
		}
	}},
	{"ISO 8601 with the store timezone offset: daylight saving is respected", func(t *testing.T, s *apitest.Server) {
		shop := s.WithKeys(s.NewStore(localeEdit("en", "Europe/Berlin")))
		s.Clock.Set(time.Date(2027, 3, 28, 0, 59, 59, 0, time.UTC))
		before := shop.OK(201, "POST", optionsPath, `{"name": "O"}`)
		s.Clock.Advance(time.Second)
		after := shop.OK(201, "POST", optionsPath, `{"name": "O"}`)
		s.Clock.Set(apitest.StartTime)
		if got := before.Text("data.created_at.iso") + " " +
			after.Text("data.created_at.iso"); got != "2027-03-28T01:59:59+01:00 2027-03-28T03:00:00+02:00" {
			t.Errorf("before and after the start of daylight saving time: %s", got)
		}
	}},
}

// datePatterns are the formats of the fields of a date.
var datePatterns = map[string]*regexp.Regexp{
	"datetime_utc": regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`),
	"datetime":     regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`),
	"datetime_at":  regexp.MustCompile(`^\d\d\.\d\d\.\d{4} .*\d\d:\d\d`),
	"date":         regexp.MustCompile(`^\d\d\.\d\d\.\d{4}$`), "diff": regexp.MustCompile(`.`),
	"timestamp": regexp.MustCompile(`^\d+$`),
	"iso_utc":   regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$`),
	"iso":       regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$`),
	"timezone":  regexp.MustCompile(`.`),
}

// checkDate checks that the date has exactly the nine fields in their formats, and that they agree with each other.
func checkDate(t *testing.T, r *apitest.Response, at, zone string) {
	t.Helper()
	v, _ := r.At(at)
	date, _ := v.(map[string]any)
	if len(date) != 9 {
		t.Errorf("%s has %d fields: %v", at, len(date), v)
		return
	}

	for field, form := range datePatterns {
		if !r.Has(at+"."+field) || !form.MatchString(r.Text(at+"."+field)) {
			t.Errorf("%s.%s is %v", at, field, date[field])
		}
	}

	if _, isText := date["timestamp"].(string); isText {
		t.Errorf("%s.timestamp is a string", at)
	}

	place, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}

	instant, err := time.Parse(time.RFC3339, r.Text(at+".iso_utc"))
	local := instant.In(place)
	if err != nil || r.Text(at+".timestamp") != fmt.Sprint(instant.Unix()) ||
		r.Text(at+".datetime") != local.Format("2006-01-02 15:04:05") ||
		r.Text(at+".iso") != local.Format("2006-01-02T15:04:05-07:00") ||
		r.Text(at+".date") != local.Format("02.01.2006") || r.Text(at+".timezone") != zone {
		t.Errorf("the fields of %s do not agree: %v", at, date)
	}
}

var optionRequirements = []requirement{
	{"Variant option: id, store_id, name, created_at, updated_at; values: present only when the request passes " +
		"with=values", func(t *testing.T, s *apitest.Server) {
		r := s.OK(201, "POST", optionsPath+"?with=values", `{"name": "Size", "values": [{"name": "S"}]}`)
		wantMembers(t, r, "data", "created_at", "id", "name", "store_id", "updated_at", "values")
		wantMembers(t, s.Get(optionsPath), "data.0", "created_at", "id", "name", "store_id", "updated_at")
		if r.Text("data.store_id") != s.StoreID.String() || r.Text("data.id") == r.Text("data.store_id") {
			t.Error("store_id is not the owning store's")
		}
	}},
	{"Option value: id (UUID), name (string)", func(t *testing.T, s *apitest.Server) {
		r := s.OK(201, "POST", optionsPath+"?with=values", `{"name": "Size", "values": [{"name": 42}]}`)
		wantMembers(t, r, "data.values.0", "id", "name")
		if v, _ := r.At("data.values.0.name"); v != "42" {
			t.Errorf("the name is %v, want a string", v)
		}
	}},
	{"POST /v2/variant-options: creates the option and adds every listed value", func(t *testing.T, s *apitest.Server) {
		a := createAttribute(s, optionsPath, "S", "M", "L")
		wantNames(t, valueNames(s, optionsPath, a.id), "S", "M", "L")
	}},
	{"PUT /v2/product-variants/<option_id>: an element with id renames that value; an element without id creates a " +
		"new value", func(t *testing.T, s *apitest.Server) {
		a := createAttribute(s, optionsPath, "S", "M")
		s.OK(200, "PUT", "/v2/product-variants/"+a.id,
			attributeEdit{Values: append(newValues("L"), renamedValue(a.values[0], "Small"))})
		wantNames(t, valueNames(s, optionsPath, a.id), "Small", "M", "L")
	}},
	{"DELETE /v2/product-variants/<option_id> with a body: removed_values, " +
		"may be combined with values; listed values are deleted", func(t *testing.T, s *apitest.Server) {
		a := createAttribute(s, optionsPath, "S", "M", "L")
		s.OK(200, "DELETE", "/v2/product-variants/"+a.id, attributeEdit{Removed: a.values[1:2]})
		wantNames(t, valueNames(s, optionsPath, a.id), "S", "L")
		s.OK(200, "DELETE", "/v2/product-variants/"+a.id,
			attributeEdit{Removed: a.values[:1], Values: append(newValues("XL"), renamedValue(a.values[2], "Large"))})
		wantNames(t, valueNames(s, optionsPath, a.id), "Large", "XL")
	}},
	{"List options: returns the options of the store; query parameter with accepts values to include each option's " +
		"values", func(t *testing.T, s *apitest.Server) {
		createAttribute(s, optionsPath, "S")
		createAttribute(s, optionsPath, "red", "blue")
		createAttribute(s.WithKeys(s.Other), optionsPath, "theirs")
		if r := s.Get(optionsPath); r.Len("data") != 2 || r.Has("data.0.values") {
			t.Errorf("the list is %s", r.Body)
		}
		r := s.Get(optionsPath + "?with=values")
		wantNames(t, append(r.Texts("data.0.values", "name"), r.Texts("data.1.values", "name")...), "S", "red", "blue")
	}},
	{"When a value is deleted, every product variant that had that value loses that option; the variants themselves " +
		"are not deleted.", func(t *testing.T, s *apitest.Server) {
		size := createAttribute(s, optionsPath, "S", "M")
		first := createProduct(s, newVariant("1", size.asOption(0)), newVariant("2", size.asOption(1)))
		second := createProduct(s, newVariant("3", size.asOption(0)))
		s.OK(200, "DELETE", "/v2/product-variants/"+size.id, attributeEdit{Removed: size.values[:1]})
		wantNames(t, variantSummary(s, first), "1: ", "2: M")
		wantNames(t, variantSummary(s, second), "3: ")
	}},
	{"A variant with options A and B that loses the value of A keeps only B.", func(t *testing.T, s *apitest.Server) {
		a := createAttribute(s, optionsPath, "a1", "a2")
		b := createAttribute(s, optionsPath, "b1", "b2")
		id := createProduct(s, newVariant("1", a.asOption(0), b.asOption(0)),
			newVariant("2", a.asOption(1), b.asOption(1)), newVariant("3", b.asOption(0)))
		s.OK(200, "PUT", "/v2/product-variants/"+a.id, attributeEdit{Removed: a.values[:1]})
		wantNames(t, variantSummary(s, id), "1: b1", "2: a2, b2", "3: b1")
		r := s.Get("/v2/products/" + id)
		if got := r.Texts("data.variants.0.options", "id"); !slices.Equal(got, []string{b.id}) {
			t.Errorf("the variant has the options %q, want only %s", got, b.id)
		}
	}},
	{"A changed value must be sent with its id; without it a new value is created instead.",
		func(t *testing.T, s *apitest.Server) {
			size := createAttribute(s, optionsPath, "S")
			id := createProduct(s, newVariant("1", size.asOption(0)))
			s.OK(200, "PUT", "/v2/product-variants/"+size.id, attributeEdit{Values: newValues("Small")})
			wantNames(t, variantSummary(s, id), "1: S")
			s.OK(200, "PUT", "/v2/product-variants/"+size.id,
				attributeEdit{Values: []map[string]any{renamedValue(size.values[0], "Little")}})
			wantNames(t, variantSummary(s, id), "1: Little")
			wantNames(t, valueNames(s, optionsPath, size.id), "Little", "Small")
		}},
	{"Creating, editing and removing values may be combined in one request.", func(t *testing.T, s *apitest.Server) {
		for _, method := range []string{"PUT", "DELETE"} {
			a := createAttribute(s, optionsPath, "S", "M", "L")
			s.OK(200, method, "/v2/product-variants/"+a.id,
				attributeEdit{Values: append(newValues("XL"), renamedValue(a.values[1], "Medium")),
					Removed: a.values[:1]})
			wantNames(t, valueNames(s, optionsPath, a.id), "Medium", "L", "XL")
		}
	}},
}

var featureRequirements = []requirement{
	{"Feature: id, name, filterable, field_type {id, name}, range_type {id, name}, created_at, " +
		"updated_at; values: included on request", func(t *testing.T, s *apitest.Server) {
		r := s.OK(201, "POST", featuresPath+"?with=values",
			`{"name": "Weight", "filterable": true, "field_type": "range", "range_type": "float", `+
				`"values": [{"name": "1,5"}]}`)
		wantMembers(t, r, "data", "created_at", "field_type", "filterable", "id", "name", "range_type", "updated_at",
			"values")
		wantMembers(t, r, "data.field_type", "id", "name")
		wantMembers(t, r, "data.range_type", "id", "name")
		if r.Text("data.field_type.id") != "range" || r.Text("data.range_type.id") != "float" ||
			r.Text("data.filterable") != "true" {
			t.Errorf("the feature is %s", r.Body)
		}
		wantMembers(t, s.Get(featuresPath), "data.0", "created_at", "field_type", "filterable", "id", "name",
			"range_type", "updated_at")
	}},
	{"Feature value: id, name, range_value (numeric value for range features), created_at, updated_at",
		func(t *testing.T, s *apitest.Server) {
			r := s.OK(201, "POST", featuresPath+"?with=values",
				`{"name": "Weight", "field_type": "range", "values": [{"name": "1,5"}]}`)
			wantMembers(t, r, "data.values.0", "created_at", "id", "name", "range_value", "updated_at")
			if r.Text("data.values.0.range_value") != "1.5" {
				t.Errorf("range_value is %s", r.Text("data.values.0.range_value"))
			}
		}},
	{"POST /v2/features: creates the feature and adds the values", func(t *testing.T, s *apitest.Server) {
		wantNames(t, valueNames(s, featuresPath, createAttribute(s, featuresPath, "cotton", "wool").id), "cotton",
			"wool")
	}},
	{"PUT /v2/features/<feature_id>: applies all three kinds of change in one request",
		func(t *testing.T, s *apitest.Server) {
			a := createAttribute(s, featuresPath, "cotton", "wool", "silk")
			s.OK(200, "PUT", featuresPath+"/"+a.id,
				attributeEdit{Values: append(newValues("linen"), renamedValue(a.values[1], "Wool")),
					Removed: a.values[:1]})
			wantNames(t, valueNames(s, featuresPath, a.id), "Wool", "silk", "linen")
		}},
	{"List features: returns the features of the store", func(t *testing.T, s *apitest.Server) {
		first := createAttribute(s, featuresPath, "x")
		second := createAttribute(s, featuresPath, "y")
		createAttribute(s.WithKeys(s.Other), featuresPath, "theirs")
		wantNames(t, s.Get(featuresPath).Texts("data", "id"), first.id, second.id)
	}},
	{"when a feature value is removed, every product that had that value loses that feature; the products are not " +
		"deleted.", func(t *testing.T, s *apitest.Server) {
		material := createAttribute(s, featuresPath, "cotton", "wool")
		brand := createAttribute(s, featuresPath, "North")
		with := func(list ...map[string]any) string {
			return s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "features": list}).Text("data.id")
		}
		one := with(material.asFeature(0), brand.asFeature(0))
		both := with(material.asFeature(0),
			material.asFeature(1))
		other := with(material.asFeature(1))
		s.OK(200, "PUT", featuresPath+"/"+material.id, attributeEdit{Removed: material.values[:1]})
		wantNames(t, s.Get("/v2/products/"+one).Texts("data.features", "value.name"), "North")
		wantNames(t, s.Get("/v2/products/"+both).Texts("data.features", "value.name"), "wool") // one value remains
		wantNames(t, s.Get("/v2/products/"+other).Texts("data.features", "value.name"), "wool")
	}},
}

var limitRequirements = []requirement{
	{"Number of values sent with an option or a feature (create or edit): unlimited.",
		func(t *testing.T, s *apitest.Server) {
			for _, list := range []string{optionsPath, featuresPath} {
				id := s.OK(201, "POST", list,
					attributeEdit{Name: "A", Values: newValues(numberedNames("v", 6_000)...)}).Text("data.id")
				r := s.OK(200, "PUT", list+"/"+id, attributeEdit{Values: newValues(numberedNames("w", 6_000)...)})
				if r.Has("data.values") || s.Get(list+"/"+id+"/values?per_page=1").Text("meta.total") != "12000" {
					t.Errorf("%s does not have 12,000 values", list)
				}
			}
		}},
	{"Number of possible values of an option or feature: unlimited.", func(t *testing.T, s *apitest.Server) {
		a := createAttribute(s, optionsPath, numberedNames("v", 6_000)...)
		last := s.Get(optionsPath + "/" + a.id + "/values?per_page=250&page=24")
		if last.Len("data") != 250 || last.Text("data.249.name") != "v5999" {
			t.Errorf("the last page ends with %s", last.Text("data.249"))
		}
	}},
}

var versioningRequirements = []requirement{
	{"The API version is the path segment /v2 after {base_url}.", func(t *testing.T, s *apitest.Server) {
		for _, route := range s.App.API().Routes() {
			if !strings.HasPrefix(route.Path, "/v2/") && route.Needs != "" {
				t.Errorf("the path of %s %s has no version", route.Method, route.Path)
			}
		}
		for _, path := range []string{"/variant-options", "/v1/variant-options", "/v3/variant-options",
			"/V2/variant-options", "/api/v2/variant-options"} {
			if got := s.Do("GET", path, nil).Problem(); got != "404 no_such_path" {
				t.Errorf("GET %s gets %s", path, got)
			}
		}
	}},
}

// wantMembers checks that the object has exactly the members in want, which is sorted.
func wantMembers(t *testing.T, r *apitest.Response, at string, want ...string) {
	t.Helper()
	v, _ := r.At(at)
	object, _ := v.(map[string]any)
	var got []string
	for name := range object {
		got = append(got, name)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s has the members %q, want %q", at, got, want)
	}
}
