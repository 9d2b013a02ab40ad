package e2e

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

const teaBody = `{"name":"Tea","unit":{"code":166,"name":"kg"},"vat_rate":10.5,"weight":0.125,"variants":[
	{"sku":"T-1","price":7,"barcodes":["4600000000017",4600000000024," 4600000000017 "]}]}`

// Section 12, members: unit, VAT rate and weight of a product and barcodes of a variant are kept exactly. A barcode
// that is named twice is kept once.
func TestMembers_ofAccountingAreWrittenAndRead(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		tea := s.OK(201, "POST", productsPath, teaBody).Text("data.id")
		plain := s.OK(201, "POST", productsPath, `{"name":"Plain","variants":[{"price":1}]}`).Text("data.id")

		read := s.Get(productsPath + "/" + tea)
		for member, want := range map[string]string{
			"data.unit.code": "166", "data.unit.name": "kg", "data.vat_rate": "10.5", "data.weight": "0.125",
			"data.variants.0.barcodes.0": "4600000000017", "data.variants.0.barcodes.1": "4600000000024",
		} {
			if got := read.Text(member); got != want {
				t.Errorf("%s is %s, want %s", member, got, want)
			}
		}

		if read.Has("data.variants.0.barcodes.2") {
			t.Errorf("a barcode that was sent twice is kept twice: %s", read.Body)
		}

		read = s.Get(productsPath + "/" + plain)
		for _, member := range []string{"data.unit", "data.vat_rate", "data.weight"} {
			if got := read.Text(member); got != "null" {
				t.Errorf("%s is %s without a value, want null", member, got)
			}
		}

		read = s.OK(200, "PUT", productsPath+"/"+tea, `{"unit":{"name":"pack"},"vat_rate":0,"weight":null}`)
		got := read.Text("data.unit.code") + read.Text("data.vat_rate") + read.Text("data.weight")
		if got != "null0null" {
			t.Errorf("the edited members are %s", got)
		}
	})
}

// Section 12, members: nonsense is refused with the member's name.
func TestMembers_ofAccountingRefuseNonsense(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		variant := func(barcodes string) string {
			return `{"name":"x","variants":[{"price":1,"barcodes":` + barcodes + `}]}`
		}
		longUnit := `{"name":"` + strings.Repeat("u", 65) + `"}`
		many := strings.Trim(strings.Repeat(`"#",`, 21), ",")
		for i := range 21 {
			many = strings.Replace(many, "#", string(rune('a'+i)), 1)
		}

		for problem, body := range map[string]string{
			"422 vat_rate out_of_range":                      `{"name":"x","vat_rate":200}`,
			"422 weight out_of_range":                        `{"name":"x","weight":-1}`,
			"422 unit.code invalid_unit_code":                `{"name":"x","unit":{"code":"7","name":"pcs"}}`,
			"422 unit.name required":                         `{"name":"x","unit":{"code":"796"}}`,
			"422 unit.name too_long":                         `{"name":"x","unit":` + longUnit + `}`,
			"422 variants[0].barcodes[0] too_long":           variant(`["` + strings.Repeat("1", 10_000) + `"]`),
			"422 variants[0].barcodes[1] required":           variant(`["1"," "]`),
			"422 variants[0].barcodes[0] invalid_characters": variant(`["1|2"]`),
			"422 variants[0].barcodes too_many":              variant("[" + many + "]"),
		} {
			s.WantProblem(problem, "POST", productsPath, body)
		}
	})
}

// Section 12, members: barcode finds products exactly, and q as it finds SKUs.
func TestProducts_areFoundByBarcode(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		tea := s.OK(201, "POST", productsPath, teaBody)
		s.OK(201, "POST", productsPath, `{"name":"Cup","variants":[{"price":1,"barcodes":["46000000000171"]}]}`)

		found := func(query string) string { return s.Get(productsPath + "?" + query).Text("meta.total") }
		for query, want := range map[string]string{
			"barcode=4600000000017": "1", "barcode=4600000000024": "1", "barcode=460000000001": "0",
			"barcode=4600000000017&in_stock=true": "1", "barcode=4600000000017&sort=price&with=facets": "1",
			"barcode=4600000000017&q=cup": "0", "q=4600000000017": "2", "q=4600000000024": "1", "barcode=": "2",
		} {
			if got := found(query); got != want {
				t.Errorf("%s finds %s products, want %s", query, got, want)
			}
		}

		s.WantProblem("400 malformed_query", "GET", productsPath+"?barcode="+strings.Repeat("1", 65), nil)

		path := productsPath + "/" + tea.Text("data.id") + "/variants/" + tea.Text("data.variants.0.id")
		s.OK(200, "PUT", path, `{"barcodes":["X-1"]}`)
		if got := found("barcode=4600000000017") + found("barcode=X-1") + found("q=4600000000024"); got != "010" {
			t.Errorf("after the barcodes were replaced, the old one, the new one and q find %s", got)
		}

		s.OK(200, "POST", path+"/archive", nil)
		if got := found("barcode=X-1"); got != "0" {
			t.Errorf("the barcode of an archived variant finds %s products", got)
		}
	})
}

// Section 12, members: a line follows the first barcode, the unit and the VAT rate while the order is a draft. Its
// submission freezes them.
func TestOrders_freezeMembersOfAccounting(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		tea := s.OK(201, "POST", productsPath, teaBody)
		product := productsPath + "/" + tea.Text("data.id")
		draft := s.OK(201, "POST", ordersPath, orderItems(orderLine(tea.Text("data.variants.0.id"), 1)))
		order := ordersPath + "/" + draft.Text("data.id")
		line := func() string {
			r := s.Get(order)
			return r.Text("data.items.0.barcode") + " " + r.Text("data.items.0.unit.name") + " " +
				r.Text("data.items.0.vat_rate")
		}

		s.OK(200, "PUT", product, `{"vat_rate":20}`)
		if got := line(); got != "4600000000017 kg 20" {
			t.Errorf("the line of the draft is %s", got)
		}

		s.OK(200, "POST", order+"/submit", submissionBody)
		s.OK(200, "PUT", product, `{"vat_rate":null,"unit":null}`)
		if got := line(); got != "4600000000017 kg 20" {
			t.Errorf("the line of the submitted order is %s", got)
		}
	})
}
