package typescript_test

import (
	"flag"
	"os"
	"testing"

	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/storeapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/client/tstype"
	"vitrine/internal/shop/catalog"
)

// The types of the client are those of the API.
func TestSchema_isThatOfTheAPI(t *testing.T) {
	t.Parallel()
	routes := storeapi.New(storeapi.Deps{Catalog: catalog.New(catalog.Deps{})}).Routes()
	document, err := openapi.NewDocument(spec.About("test"), routes)
	if err != nil {
		t.Fatal(err)
	}

	text, err := document.ISOJSON()
	if err != nil {
		t.Fatal(err)
	}
	want, err := tstype.Document(text)
	if err != nil {
		t.Fatal(err)
	}

	const name = "src/schema.d.ts"
	if flag.Lookup("update").Value.String() == "true" { // package apitest defines it
		if err := os.WriteFile(name, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != string(want) {
		t.Errorf("%s is not that of the API (%v): go test ./clients/typescript -run TestSchema -update", name, err)
	}
}
