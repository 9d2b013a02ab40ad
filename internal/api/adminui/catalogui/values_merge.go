package catalogui

import (
	"context"
	"net/http"
	"net/url"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// valueMerge is the data of the page that asks whether to merge values.
type valueMerge struct {
	valueRemoval
	Into catalog.Value // the value that stays
}

// readMerge reads the chosen values and which of them stays: the first, unless into names another. The error is
// fault.Invalid.
func readMerge(from url.Values) (ids []catalog.ValueID, m catalog.ValueMerge, err error) {
	if ids, err = readValueIDs(from); err != nil {
		return nil, m, err
	}
	if len(ids) < 2 {
		return nil, m, fault.OneField("value", "required", "Choose at least two values to merge.")
	}

	m.Into = ids[0]
	for _, valueID := range ids {
		if valueID.String() == from.Get("into") {
			m.Into = valueID
		}
	}

	for _, valueID := range ids {
		if valueID != m.Into {
			m.From = append(m.From, valueID)
		}
	}

	return ids, m, nil
}

func (p attributePages) mergeValuesPage(w http.ResponseWriter, r *httpapi.Request) error {
	v, err := p.mergeView(r, r.URL.Query())
	if frame.Refused(err) {
		return p.reject(w, r, err, func(v frame.View, _ *attributePage) string { return v.Refusal(err) })
	}
	if err != nil {
		return err
	}
	return p.pages.Render(w, http.StatusOK, "values_merge", v)
}

// mergeView returns the page that shows what a merge would do.
func (p attributePages) mergeView(r *httpapi.Request, form url.Values) (v frame.View, err error) {
	ids, m, err := readMerge(form)
	if err != nil {
		return v, err
	}

	attributeID := p.idOf(r)

	body, err := frame.ReadStore(p.Frame, r, true, func(ctx context.Context, tx store.Tx) (b valueMerge, err error) {
		b.Option = p.kind == catalog.Option
		if b.Attribute, err = p.Catalog.Attributes.Find(ctx, tx, p.kind, attributeID); err != nil {
			return b, err
		}

		b.Path = p.path + "/" + b.ID.String()
		b.Values, err = p.Catalog.Attributes.ValuesByID(ctx, tx, b.Attribute, ids)
		for _, value := range b.Values {
			if value.ID == m.Into {
				b.Into = value
			}
		}

		return b, err
	})
	if err != nil {
		return v, err
	}

	body.Impact, err = p.Catalog.Attributes.MergeImpact(r.Context(), r.WriteLong, r.Principal.Store.ID, p.kind,
		attributeID, m)
	if err != nil {
		return v, err
	}

	v = p.pages.NewView(r, "Merge values", p.navItem(), body)
	v.Crumbs = []frame.Link{{Text: v.T(p.title()), URL: p.path}, {Text: body.Name, URL: body.Path}}
	return v, nil
}

func (p attributePages) mergeValues(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	_, m, err := readMerge(r.PostForm)
	if err == nil {
		err = p.merge(r, m)
	}

	if fault.KindOf(err) == fault.Stale {
		v, viewErr := p.mergeView(r, r.PostForm)
		if viewErr != nil {
			return viewErr
		}
		return p.pages.Reject(w, "values_merge", v, v.StaleImpact())
	}

	if frame.Refused(err) {
		return p.reject(w, r, err, func(v frame.View, _ *attributePage) string { return v.Refusal(err) })
	}
	return p.Done(w, r, err, p.pathOf(r), p.pages.Language(r).T("The values are merged."))
}

// merge merges values, if the option or feature still is as the page before showed it.
func (p attributePages) merge(r *httpapi.Request, m catalog.ValueMerge) error {
	attributeID := p.idOf(r)
	pre := frame.RenderedVersion(r)
	_, err := frame.ChangeLong(r, func(ctx context.Context, tx store.Tx) (catalog.Attribute, error) {
		return p.Catalog.Attributes.Merge(ctx, tx, p.kind, attributeID, m, pre)
	})
	return err
}
