package feed

import "vitrine/internal/shop/catalog"

// Reason says why an offer is left out of a feed.
type Reason string

// The reasons. An offer may be left out for several.
const (
	NoAddress  Reason = "address"  // the product has no slug yet
	NoPicture  Reason = "picture"  // neither the variant nor the product has an image
	NoPrice    Reason = "price"    // the variant has no price, or it is free
	NoCategory Reason = "category" // the product lies in no category, which only YML needs
	NoIndex    Reason = "noindex"  // the product is kept out of search engines
)

// reasons has all reasons in the order of reports.
var reasons = []Reason{NoAddress, NoPicture, NoPrice, NoCategory, NoIndex}

// MaxReported is the number of products that a report names for a reason.
const MaxReported = 50

// Report says what a feed has, and what it leaves out.
type Report struct {
	// Offers is the number of offers in the feed.
	Offers int64
	// LeftOut has the reasons for which offers are left out, of those that the filter selects.
	LeftOut []LeftOut
}

// LeftOut are the offers that are left out for one reason.
type LeftOut struct {
	Reason Reason
	Offers int64
	// Products are the first MaxReported products of these offers, by age.
	Products []ReportedProduct
}

// ReportedProduct is a product with an offer that is left out.
type ReportedProduct struct {
	ID   catalog.ProductID
	Name string
}

// reporter counts what is left out.
type reporter struct {
	offers  int64
	leftOut map[Reason]*LeftOut
}

func newReporter() *reporter { return &reporter{leftOut: map[Reason]*LeftOut{}} }

// add counts an offer of the product that is left out.
func (r *reporter) add(reason Reason, p *catalog.Product) {
	out := r.leftOut[reason]
	if out == nil {
		out = &LeftOut{Reason: reason}
		r.leftOut[reason] = out
	}

	out.Offers++
	n := len(out.Products)
	if n < MaxReported && (n == 0 || out.Products[n-1].ID != p.ID) {
		out.Products = append(out.Products, ReportedProduct{p.ID, p.Name})
	}
}

// report returns what was counted.
func (r *reporter) report() Report {
	report := Report{Offers: r.offers}
	for _, reason := range reasons {
		if out := r.leftOut[reason]; out != nil {
			report.LeftOut = append(report.LeftOut, *out)
		}
	}
	return report
}
