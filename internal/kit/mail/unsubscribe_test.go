package mail

import (
	"strings"
	"testing"
)

// The address for unsubscribing cannot bring other headers into a message.
func TestCheck_refusesAddressesForUnsubscribingThatAreNoURL(t *testing.T) {
	t.Parallel()
	for address, valid := range map[string]bool{
		"": true, "https://admin.example/unsubscribe/x_Y-1": true, "http://127.0.0.1:8081/unsubscribe/x": true,
		"mailto:stop@shop.example": false, "https://": false, "/unsubscribe/x": false, "https://a.example/ü": false,
		"https://a.example/x>, <https://b.example/y": false, "https://a.example/x\r\nBcc: b@mail.example": false,
		"https://a.example/" + strings.Repeat("x", 900): false,
	} {
		m := Message{ID: "1", To: "ann@shop.example", Subject: "New order", Text: "1", Unsubscribe: address}
		if err := m.Check(); (err == nil) != valid {
			t.Errorf("%q: %v", address, err)
		}
	}
}
