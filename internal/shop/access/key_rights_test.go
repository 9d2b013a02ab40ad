package access

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
)

// issuable returns every scope that a key of a kind can have.
func issuable(kind Kind) Scopes {
	if kind == PublishableKey {
		return scopesOf(kind)
	}
	return append(scopesOf(kind), Everything)
}

func keyWith(scopes ...Scope) Principal { return Principal{Kind: SecretKey, Scopes: scopes} }

// Every scope of every kind needs what it allows: the needed scopes are enough, and none of them can be left out, even
// by a key that has all others.
func TestMayIssue_knowsEveryScopeOfEveryKind(t *testing.T) {
	want := map[Kind]map[Scope]string{
		PublishableKey: {CatalogRead: "", StoreRead: ""},
		SecretKey:      {Everything: "*"},
		ExchangeToken: {Everything: "catalog:write", ExchangeRead: "catalog:read",
			ExchangeOrders: "orders:read orders:write"},
	}
	for _, scope := range APIScopes() {
		want[SecretKey][scope] = string(scope)
	}

	for _, entity := range EntityScopes() {
		want[ExchangeToken][entity] = "catalog:write"
	}

	for kind, table := range want {
		for _, scope := range issuable(kind) {
			text, listed := table[scope]
			if !listed {
				t.Errorf("%s: this test does not say what the scope %s needs", kind, scope)
				continue
			}

			needed := parseScopes(text)
			issued := Key{Kind: kind, Scopes: Scopes{scope}}
			if err := keyWith(append(needed, KeysManage)...).MayIssue(issued); err != nil {
				t.Errorf("%s with %s: a key with %q is refused: %v", kind, scope, text, err)
			}

			for _, lacking := range needed {
				others := slices.DeleteFunc(APIScopes(), func(s Scope) bool { return s == lacking })
				err := keyWith(others...).MayIssue(issued)
				if fault.KindOf(err) != fault.Denied {
					t.Errorf("%s with %s: a key without %s makes it: %v", kind, scope, lacking, err)
				}
			}
		}
	}
}

func TestMayIssue_refusesScopesOfOtherKindsAndUnknownOnes(t *testing.T) {
	for _, issued := range []Key{
		{Kind: ExchangeToken, Scopes: Scopes{"later"}}, {Kind: ExchangeToken, Scopes: Scopes{OrdersRead}},
		{Kind: PublishableKey, Scopes: Scopes{OrdersRead}}, {Kind: "later", Scopes: Scopes{CatalogRead}},
		{Kind: SecretKey, Scopes: Scopes{"orders"}},
	} {
		all := keyWith(APIScopes()...)
		if err := all.MayIssue(issued); fault.KindOf(err) != fault.Denied {
			t.Errorf("%s with %s: %v", issued.Kind, issued.Scopes.Text(), err)
		}
	}

	soon := time.Now().Add(time.Hour)
	short := keyWith(Everything)
	short.ExpiresAt = &soon
	if err := short.MayIssue(Key{Kind: PublishableKey, Scopes: storefrontScopes()}); fault.KindOf(err) != fault.Denied {
		t.Errorf("a key that expires makes one that does not: %v", err)
	}
}

// A scope that is declared belongs to a kind of key, so that the tests above know it, or cannot be granted.
func TestScopes_declaredOnesBelongToAKind(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "scope.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}

	known := Scopes{Storefront, Profile}
	for _, kind := range []Kind{PublishableKey, SecretKey, ExchangeToken} {
		known = append(known, issuable(kind)...)
	}

	declared := 0
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}

		for _, spec := range group.Specs {
			value := spec.(*ast.ValueSpec)
			if name, ok := value.Type.(*ast.Ident); !ok || name.Name != "Scope" {
				continue
			}

			text, err := strconv.Unquote(value.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}

			declared++
			if !slices.Contains(known, Scope(text)) {
				t.Errorf("%s = %q belongs to no kind of key", value.Names[0].Name, text)
			}
		}
	}

	if declared < 15 {
		t.Errorf("found only %d scopes in scope.go", declared)
	}
}
