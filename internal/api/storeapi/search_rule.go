package storeapi

import (
	"context"
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/searchrule"
	"vitrine/internal/shop/store"
)

// searchRuleHandlers has the handlers of synonyms and pins.
type searchRuleHandlers struct{}

func (h searchRuleHandlers) showSynonyms(w http.ResponseWriter, r *httpapi.Request) error {
	r.Query.Extras()
	return r.Read(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		list, err := searchrule.FindSynonyms(ctx, tx)
		return respondSynonyms(out, list, err)
	})
}

func (h searchRuleHandlers) editSynonyms(w http.ResponseWriter, r *httpapi.Request) error {
	e := readBody(r, readSynonymEdit)
	return r.Write(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		list, err := searchrule.EditSynonyms(ctx, tx, e, r.IfMatch())
		return respondSynonyms(out, list, err)
	})
}

func readSynonymEdit(r *wire.Reader) (e searchrule.SynonymEdit) {
	r.Object(func(name string) {
		switch name {
		case "groups":
			e.Groups = wire.ListUpTo(r, searchrule.MaxEntries, readPhrases)
		case "one_way":
			e.OneWay = wire.ListUpTo(r, searchrule.MaxEntries, readOneWay)
		}
	})
	return e
}

func readOneWay(r *wire.Reader) (rule searchrule.OneWay) {
	r.Object(func(name string) {
		switch name {
		case "from":
			rule.From, _ = r.String()
		case "to":
			rule.To = readPhrases(r)
		}
	})
	return rule
}

func readPhrases(r *wire.Reader) []string {
	list := wire.List(r, func(r *wire.Reader) string {
		phrase, _ := r.String()
		return phrase
	})
	if list == nil {
		return nil
	}
	return *list
}

func respondSynonyms(out *httpapi.Response, list searchrule.SynonymList, err error) error {
	if err != nil {
		return err
	}
	answer := spec.Synonyms{Groups: list.Groups, OneWay: make([]spec.OneWaySynonym, 0, len(list.OneWay))}
	for _, rule := range list.OneWay {
		answer.OneWay = append(answer.OneWay, spec.OneWaySynonym{From: rule.From, To: rule.To})
	}
	out.WriteResource(list.Version, answer)
	return nil
}

func (h searchRuleHandlers) showPins(w http.ResponseWriter, r *httpapi.Request) error {
	r.Query.Extras()
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		list, err := searchrule.FindPins(ctx, tx)
		return respondPins(out, list, err)
	})
}

func (h searchRuleHandlers) replacePins(w http.ResponseWriter, r *httpapi.Request) error {
	pins := readBody(r, readPins)
	return r.Write(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		list, err := searchrule.ReplacePins(ctx, tx, pins, r.IfMatch())
		return respondPins(out, list, err)
	})
}

func readPins(r *wire.Reader) []searchrule.PinEdit {
	list := wire.ListUpTo(r, searchrule.MaxPins, readPin)
	if list == nil {
		return nil
	}
	return *list
}

func readPin(r *wire.Reader) (p searchrule.PinEdit) {
	r.Object(func(name string) {
		switch name {
		case "query":
			p.Query, _ = r.String()
		case "products":
			if list := wire.List(r, readProductID); list != nil {
				p.Products = *list
			}
		}
	})
	return p
}

func readProductID(r *wire.Reader) catalog.ProductID {
	productID, _ := wire.ID[catalog.Product](r)
	return productID
}

func respondPins(out *httpapi.Response, list searchrule.PinList, err error) error {
	if err != nil {
		return err
	}
	answer := make([]spec.SearchPin, 0, len(list.Pins))
	for _, pin := range list.Pins {
		products := make([]schema.ID, 0, len(pin.Products))
		for _, p := range pin.Products {
			products = append(products, schema.ID(p.ID))
		}
		answer = append(answer, spec.SearchPin{Query: pin.Query, Products: products})
	}
	out.WriteResource(list.Version, answer)
	return nil
}
