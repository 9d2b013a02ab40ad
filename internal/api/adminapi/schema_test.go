package adminapi_test

import (
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/api/adminapi"
	"vitrine/internal/shop/productfield"
)

// The description of a new key names every member of products to which a token can be limited.
func TestNewKey_namesEveryMember(t *testing.T) {
	t.Parallel()
	members, _ := reflect.TypeFor[adminapi.NewKey]().FieldByName("Members")
	if doc := members.Tag.Get("doc"); !strings.Contains(doc, "of "+productfield.All.String()+". ") {
		t.Errorf("the description of members does not list %s: %s", productfield.All, doc)
	}
}
