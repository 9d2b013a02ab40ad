package access

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChooseScopes(t *testing.T) {
	tests := []struct {
		kind  Kind
		words []string
		want  string
		codes map[string]string
	}{
		{kind: SecretKey, want: "*"},
		{kind: SecretKey, words: []string{"store:read", "catalog:write", "store:read"},
			want: "catalog:write store:read"},
		{kind: SecretKey, words: []string{"catalog:read", "*"}, want: "*"},
		{kind: SecretKey, words: []string{}, codes: map[string]string{"scopes": "required"}},
		{kind: SecretKey, words: []string{"catalog:read", "products", "", "Store:Read"},
			codes: map[string]string{"scopes[1]": "unknown_scope", "scopes[2]": "unknown_scope",
				"scopes[3]": "unknown_scope"}},
		{kind: PublishableKey, want: "catalog:read store:read"},
		{kind: PublishableKey, words: []string{"store:read", "catalog:read"}, want: "catalog:read store:read"},
		{kind: PublishableKey, words: []string{"catalog:read"}, codes: map[string]string{"scopes": "not_allowed"}},
		{kind: PublishableKey, words: []string{"*"}, codes: map[string]string{"scopes[0]": "unknown_scope"}},
		{kind: PublishableKey, words: []string{"catalog:write"},
			codes: map[string]string{"scopes[0]": "unknown_scope"}},
		{kind: ExchangeToken, want: "*"},
		{kind: ExchangeToken, words: []string{"products", "variant-options"}, want: "products variant-options"},
		{kind: ExchangeToken, words: []string{"orders", "products", "*", "exchange:read"},
			want: "* exchange:read orders"},
		{kind: ExchangeToken, words: []string{"products", "*"}, want: "*"},
		{kind: ExchangeToken, words: []string{"catalog:write"}, codes: map[string]string{"scopes[0]": "unknown_scope"}},
	}
	for _, test := range tests {
		scopes, problems := chooseScopes(test.kind, test.words)
		var codes map[string]string
		for _, f := range problems {
			if codes == nil {
				codes = map[string]string{}
			}
			codes[f.Field] = f.Code
			if list := "catalog:read"; test.kind != ExchangeToken && !strings.Contains(f.Message, list) {
				t.Errorf("%s %q: %q does not list the known scopes", test.kind, test.words, f.Message)
			}
		}

		if scopes.Text() != test.want || !cmp.Equal(codes, test.codes) {
			t.Errorf("%s %q: %q, %v; want %q, %v", test.kind, test.words, scopes.Text(), codes, test.want, test.codes)
		}
		if !cmp.Equal(parseScopes(scopes.Text()), scopes) {
			t.Errorf("parseScopes(%q) does not return the same scopes", scopes.Text())
		}
	}
}

func TestMay(t *testing.T) {
	signedIn := func(r Role) Principal { return Principal{Kind: OperatorSession, Operator: &Operator{Role: r}} }

	tests := []struct {
		who  string
		p    Principal
		want string // a letter or "-" (not granted) per scope: APIScopes in order, then Storefront and Profile
	}{
		{"publishable key", Principal{Kind: PublishableKey, Scopes: storefrontScopes()}, "r--------r---s-"},
		{"publishable key with a damaged row", Principal{Kind: PublishableKey, Scopes: Scopes{Everything}},
			"r--------r---s-"},
		{"customer token", Principal{Kind: CustomerToken}, "r--------r---sp"},
		{"customer token with scopes", Principal{Kind: CustomerToken, Scopes: Scopes{Everything}}, "r--------r---sp"},
		{"secret key", Principal{Kind: SecretKey, Scopes: Scopes{Everything}}, "rwcwikorwrwrws-"},
		{"secret key with a scope", Principal{Kind: SecretKey, Scopes: Scopes{CatalogWrite}}, "-w-----------s-"},
		{"secret key with a damaged row", Principal{Kind: SecretKey, Scopes: Scopes{Profile}}, "-------------s-"},
		{"secret key without scopes", Principal{Kind: SecretKey}, "-------------s-"},
		{"exchange token", Principal{Kind: ExchangeToken, Scopes: Scopes{Everything}}, "---------------"},
		{"exchange token with a foreign scope", Principal{Kind: ExchangeToken, Scopes: Scopes{CatalogRead}},
			"---------------"},
		{"owner", signedIn(Owner), "rwcwikorwrwrws-"},
		{"manager", signedIn(Manager), "rwcwi--rwr-r-s-"},
		{"viewer", signedIn(Viewer), "r-c-i--r-r-r---"},
		{"unknown role", signedIn("root"), "---------------"},
		{"session without operator", Principal{Kind: OperatorSession, Scopes: Scopes{Everything}}, "---------------"},
		{"nobody", Principal{Scopes: Scopes{Everything}}, "---------------"},
	}
	for _, test := range tests {
		got := []byte("rwcwikorwrwrwsp")
		for i, s := range append(APIScopes(), Storefront, Profile) {
			if !test.p.May(s) {
				got[i] = '-'
			}
		}

		if string(got) != test.want {
			t.Errorf("%s: %s, want %s", test.who, got, test.want)
		}
	}
}

func TestMayExchange(t *testing.T) {
	all := Principal{Kind: ExchangeToken, Scopes: Scopes{Everything}}
	some := Principal{Kind: ExchangeToken, Scopes: Scopes{"products", "prices"}}
	for _, entity := range EntityScopes() {
		if !all.MayExchange(entity) {
			t.Errorf("* may not push %s", entity)
		}
		if got, want := some.MayExchange(entity), entity == "products" || entity == "prices"; got != want {
			t.Errorf("products and prices: %s is %v", entity, got)
		}
	}

	if (Principal{Kind: SecretKey, Scopes: Scopes{Everything}}).MayExchange("products") {
		t.Error("a secret key may push")
	}

	full := Principal{Kind: ExchangeToken, Scopes: FullExchange()}
	for _, named := range []Scope{ExchangeRead, ExchangeOrders} {
		if all.MayExchange(named) {
			t.Errorf("* includes %s, which must be named", named)
		}
		if !full.MayExchange(named) || !full.MayExchange("products") {
			t.Errorf("%s does not allow %s and products", FullExchange().Text(), named)
		}
	}
}
