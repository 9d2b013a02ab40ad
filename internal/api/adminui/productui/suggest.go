package productui

import (
	"context"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

// maxSuggestions is the number of values that are suggested while an operator types.
const maxSuggestions = 20

// suggestValues answers with the names of values of an option or a feature that match the text, as a JSON list.
func (ui *UI) suggestValues(w http.ResponseWriter, r *httpapi.Request) error {
	text := r.Query.SearchText()
	kind := catalog.Feature
	if name, _ := r.Query.Param("kind"); name == string(catalog.Option) {
		kind = catalog.Option
	}

	attribute, _ := r.Query.Param("attribute")
	attributeID, err := id.Parse[catalog.Attribute](attribute)
	if err != nil {
		return fault.Missing(kind.Noun())
	}

	values, err := frame.ReadStore(ui.Frame, r, true, func(ctx context.Context, tx store.Tx) ([]catalog.Value, error) {
		a, err := ui.Catalog.Attributes.Find(ctx, tx, kind, attributeID)
		if err != nil {
			return nil, err
		}
		return view.SearchValues(ctx, tx, ui.Catalog.Attributes, a, text, maxSuggestions)
	})
	if err != nil {
		return err
	}

	b := []byte{'['}
	for _, v := range values {
		b = wire.AppendString(appendComma(b), v.Name)
	}

	frame.SetSecurityHeaders(w.Header())
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, ']')) // a client that disconnected needs no response

	return nil
}
