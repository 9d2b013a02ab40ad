package storeapi

import (
	"unicode/utf8"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
)

// readImageForm reads the form fields other than the file. Browsers send an empty field if the user left it empty, so
// an empty field counts as absent.
func readImageForm(file *httpapi.File) (catalog.ImageEdit, error) {
	externalID, sent, err := file.Text("external_id")
	if err != nil || !sent || externalID == "" {
		return catalog.ImageEdit{}, err
	}
	if n := utf8.RuneCountInString(externalID); n > wire.MaxName {
		return catalog.ImageEdit{}, fault.OneField("external_id", "too_long",
			"This has %d characters; at most %d are allowed.", n, wire.MaxName)
	}
	return catalog.ImageEdit{ExternalID: &externalID}, nil
}

// readImageEdit reads the body of an edit. It ignores all members but external_id, so that a client may send back an
// image it has read.
func readImageEdit(r *wire.Reader) (e catalog.ImageEdit) {
	r.Object(func(name string) {
		if name == "external_id" {
			e.ExternalID = r.ExternalIDOrNull()
		}
	})
	return e
}
