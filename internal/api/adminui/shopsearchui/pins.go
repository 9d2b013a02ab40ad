package shopsearchui

import (
	"math"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/searchrule"
)

// pinsPage is the data of the page with the pins.
type pinsPage struct {
	Tabs  []tab
	Q     string
	Rows  []pinRow
	Pager frame.Pager
	// Total is the number of all pins.
	Total int
}

// pinRow is a pin with the addresses of its form and of the page with what its query finds.
type pinRow struct {
	searchrule.Pin
	URL, Why string
}

func (ui *UI) pinsView(r *httpapi.Request) (frame.View, error) {
	v := ui.pages.NewView(r, "Pinned products", navItem, nil)
	page := frame.PositiveParam(r, "page", math.MaxInt32)
	b := &pinsPage{Tabs: tabs(&v, pinsPath), Q: strings.TrimSpace(r.Query.SearchText())}
	list, err := ui.readPins(r)
	if err != nil {
		return v, err
	}

	var rows []pinRow
	for _, p := range list.Pins {
		b.Total++
		texts := []string{p.Query}
		for _, product := range p.Products {
			texts = append(texts, product.Name)
		}
		if matches(b.Q, texts...) {
			rows = append(rows, pinRow{p, frame.Address(pinPath, "query", p.Query),
				frame.Address(whyPath, "q", p.Query)})
		}
	}

	b.Rows, b.Pager = pageOf(rows, page, func(page string) string {
		return frame.Address(pinsPath, "q", b.Q, "page", page)
	})
	v.Body = b
	return v, nil
}
