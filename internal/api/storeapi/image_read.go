package storeapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
)

// readImageForm reads the form fields other than the file. Browsers send an empty field if the user left it empty, so
// an empty field counts as absent.
func readImageForm(file *httpapi.File) (catalog.ImageEdit, error) {
	externalID, sent, err := file.Text("external_id")
	if err != nil || !sent || externalID == "" {
		return catalog.ImageEdit{}, err
	}
	externalID, broken := rule.ExternalID(externalID)
	if broken != nil {
		return catalog.ImageEdit{}, fault.Fields([]fault.Field{broken.At("external_id")})
	}
	return catalog.ImageEdit{ExternalID: &externalID}, nil
}

// readImageEdit reads the body of an edit. It ignores all members but external_id and alt, so that a client may send
// back an image it has read.
func readImageEdit(r *wire.Reader) (e catalog.ImageEdit) {
	r.Object(func(name string) {
		switch name {
		case "external_id":
			e.ExternalID = rule.ReadExternalIDOrNull(r)
		case "alt":
			var alt *string
			if !r.Null() {
				alt = wire.OrNil(wire.As(r, r.String, catalog.Alt))
			}
			e.Alt = &alt
		}
	})
	return e
}
