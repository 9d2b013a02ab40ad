package shopsearchui

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/language"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/searchrule"
	"vitrine/internal/shop/store"
)

// pinPage is the data of the form of a pin. The form has the chosen products, and each of its buttons sends it whole:
// nothing is saved before the button Save.
type pinPage struct {
	// Was is the query of the pin as the form was opened with it, or "" for a new one, and WasIDs are its products.
	Was, WasIDs string
	Query       string
	Chosen      []searchrule.PinnedProduct
	// Find is the search for products to choose, and Candidates what it has found.
	Find       string
	Candidates []searchrule.PinnedProduct
	Searched   bool
	// Preview is what the query finds at present and with the chosen products.
	Preview preview
	Errors  frame.FieldErrors
}

// Has reports whether a product is chosen.
func (b *pinPage) Has(productID catalog.ProductID) bool {
	return slices.ContainsFunc(b.Chosen, func(p searchrule.PinnedProduct) bool { return p.ID == productID })
}

// pinView shows the form of the pin for the parameter query, or that of a new one with this query.
func (ui *UI) pinView(r *httpapi.Request) (frame.View, error) {
	query, _ := r.Query.Param("query")
	list, err := ui.readPins(r)
	if err != nil {
		return frame.View{}, err
	}

	b := &pinPage{Query: strings.TrimSpace(query)}
	if at := pinOf(list.Pins, b.Query); at >= 0 {
		b.Chosen = list.Pins[at].Products
		b.Query = list.Pins[at].Query
		b.Was = b.Query
		b.WasIDs = idsText(b.Chosen)
	}
	return ui.newPinView(r, b)
}

// pinOf returns the index of the pin for a query, or -1.
func pinOf(pins []searchrule.Pin, query string) int {
	folded := language.FoldQuery(query)
	return slices.IndexFunc(pins, func(p searchrule.Pin) bool { return language.FoldQuery(p.Query) == folded })
}

// idsText returns the ids of products with a space between them.
func idsText(products []searchrule.PinnedProduct) string {
	var ids []string
	for _, p := range products {
		ids = append(ids, p.ID.String())
	}
	return strings.Join(ids, " ")
}

// newPinView returns the page of a pin with what was found for it.
func (ui *UI) newPinView(r *httpapi.Request, b *pinPage) (frame.View, error) {
	v := ui.pages.NewView(r, "Pin products to a query", navItem, b)
	v.Crumbs = []frame.Link{{Text: v.T("Pinned products"), URL: pinsPath}}
	if b.Was != "" {
		v.Title = v.T("“%s”", b.Was)
	}

	if b.Find != "" {
		found, err := ui.find(r, b.Find, nil)
		if err != nil {
			return v, err
		}
		b.Candidates = productsOf(found)
		b.Searched = true
	}
	if b.Query == "" {
		return v, nil
	}

	rules, err := ui.readRules(r)
	if err != nil {
		return v, err
	}
	if b.Was != "" {
		delete(rules.Pins, language.FoldQuery(b.Was))
	}
	var keys []int64
	for _, p := range b.Chosen {
		keys = append(keys, p.Key)
	}
	rules.Pins[language.FoldQuery(b.Query)] = keys
	b.Preview, err = ui.previewOf(r, b.Query, &rules)
	return v, err
}

func productsOf(found foundList) (list []searchrule.PinnedProduct) {
	for _, p := range found.Products {
		list = append(list, searchrule.PinnedProduct{Key: p.Key, ID: p.ID, Name: p.Name})
	}
	return list
}

// readPinForm returns the page that a form has, with the products that the store has.
func (ui *UI) readPinForm(r *httpapi.Request) (*pinPage, error) {
	if err := r.Err(); err != nil {
		return nil, err
	}
	b := &pinPage{Was: r.PostForm.Get("was"), WasIDs: r.PostForm.Get("was_ids"),
		Query: strings.TrimSpace(r.PostForm.Get("query")), Find: strings.TrimSpace(r.PostForm.Get("choose"))}

	var ids []catalog.ProductID
	for _, text := range r.PostForm["product"] {
		if productID, err := id.Parse[catalog.Product](text); err == nil {
			ids = append(ids, productID)
		}
	}

	do, product, _ := strings.Cut(r.PostForm.Get("do"), ":")
	if productID, err := id.Parse[catalog.Product](product); err == nil {
		ids = arrange(ids, productID, do)
	}

	var err error
	b.Chosen, err = frame.InStore(r, ui.Read(r), func(
		ctx context.Context, tx store.Tx,
	) ([]searchrule.PinnedProduct, error) {
		return searchrule.ProductsOf(ctx, tx, ids)
	})
	return b, err
}

// arrange returns the ids after a button was pressed: add, remove, up or down.
func arrange(ids []catalog.ProductID, productID catalog.ProductID, do string) []catalog.ProductID {
	at := slices.Index(ids, productID)
	switch {
	case do == "add" && at < 0:
		return append(ids, productID)
	case do == "remove" && at >= 0:
		return slices.Delete(ids, at, at+1)
	case do == "up" && at > 0:
		ids[at-1], ids[at] = ids[at], ids[at-1]
	case do == "down" && at >= 0 && at+1 < len(ids):
		ids[at], ids[at+1] = ids[at+1], ids[at]
	}
	return ids
}

// changePin saves or deletes a pin, or shows the form with the change that a button made.
func (ui *UI) changePin(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	b, err := ui.readPinForm(r)
	if err != nil {
		return err
	}

	do := r.PostForm.Get("do")
	if do != "save" && do != "delete" {
		return ui.renderPin(w, r, b, nil)
	}

	_, err = frame.ChangeLong(r, func(ctx context.Context, tx store.Tx) (searchrule.PinList, error) {
		list, err := searchrule.FindPins(ctx, tx)
		if err != nil {
			return list, err
		}
		pins, err := b.put(list.Pins, do == "delete")
		if err != nil {
			return list, err
		}
		return searchrule.ReplacePins(ctx, tx, pins, sameVersion(list.Version))
	})
	if frame.Refused(err) {
		return ui.renderPin(w, r, b, err)
	}

	text := ui.pages.Language(r).T("Saved. The search uses it within seconds.")
	if do == "delete" {
		text = ui.pages.Language(r).T("Deleted.")
	}
	return ui.Done(w, r, err, pinsPath, text)
}

// put returns the pins with that of the form first, in the place of the one that it was, or without that one. It
// returns fault.Stale if that one has changed.
func (b *pinPage) put(pins []searchrule.Pin, deletes bool) (list []searchrule.PinEdit, err error) {
	add := func(query string, products []searchrule.PinnedProduct) {
		e := searchrule.PinEdit{Query: query}
		for _, p := range products {
			e.Products = append(e.Products, p.ID)
		}
		list = append(list, e)
	}

	if !deletes {
		add(b.Query, b.Chosen)
	}
	known := b.Was == ""
	for _, p := range pins {
		if b.Was != "" && p.Query == b.Was {
			known = idsText(p.Products) == b.WasIDs
			continue
		}
		add(p.Query, p.Products)
	}

	if !known {
		return nil, fault.VersionChanged()
	}
	return list, nil
}

// renderPin shows the form again, with the error unless it is nil.
func (ui *UI) renderPin(w http.ResponseWriter, r *httpapi.Request, b *pinPage, refusal error) error {
	now := ""
	if fault.KindOf(refusal) == fault.Stale {
		list, err := ui.readPins(r)
		if err != nil {
			return err
		}
		now = b.follow(list.Pins)
	}

	v, err := ui.newPinView(r, b)
	if err != nil {
		return err
	}
	switch {
	case refusal == nil:
		return ui.pages.Render(w, http.StatusOK, "pin", v)
	case now != "":
		return ui.pages.Reject(w, "pin", v, v.Stale(now))
	case fault.KindOf(refusal) == fault.Stale:
		return ui.pages.Reject(w, "pin", v, v.T("Somebody else has deleted this meanwhile. Save it again if it is to "+
			"stay."))
	}

	b.Errors = pinErrors(v.Language, refusal)
	return ui.pages.Reject(w, "pin", v, v.Refusal(refusal))
}

// follow makes the form one of the pin as it is now, and returns the names of its products, or "" if there is none.
func (b *pinPage) follow(pins []searchrule.Pin) string {
	at := slices.IndexFunc(pins, func(p searchrule.Pin) bool { return p.Query == b.Was })
	if at < 0 {
		b.Was, b.WasIDs = "", ""
		return ""
	}

	b.WasIDs = idsText(pins[at].Products)
	var names []string
	for _, p := range pins[at].Products {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// pinErrors returns the messages of a refused pin by the fields of the form.
func pinErrors(l *frame.Language, err error) frame.FieldErrors {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil
	}
	all := frame.FieldErrors{}
	for _, field := range f.Fields {
		name := "choose"
		if strings.HasSuffix(field.Field, ".query") {
			name = "query"
		}
		all[name] = append(all[name], l.Fault(field.Message))
	}
	return all
}
