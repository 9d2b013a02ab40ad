package adminapi

import (
	"maps"
	"slices"
	"testing"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/event"
)

// A type without a row would be read by every key of the feed.
func TestPayloadScopes_haveEveryTypeOfEvents(t *testing.T) {
	got := slices.Sorted(maps.Keys(payloadScopes()))
	if want := slices.Sorted(slices.Values(event.TypeIDs())); !slices.Equal(got, want) {
		t.Errorf("the types are %q, want %q", got, want)
	}
	for eventType, scope := range payloadScopes() {
		if (scope == "") != (eventType == event.Test) {
			t.Errorf("%s needs the scope %q", eventType, scope)
		}
	}
	all := access.Principal{Kind: access.SecretKey, Scopes: access.Scopes{access.OrdersRead, access.WebhooksRead}}
	if mayReadPayload(all, "unknown.type") {
		t.Error("a key may read a type that is not in the table")
	}
}
