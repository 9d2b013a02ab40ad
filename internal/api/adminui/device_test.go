package adminui_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"vitrine/internal/shop/account"
)

// A browser that signed in before is not locked out by strangers in the same network who send wrong passwords, and the
// owner who is signed in can still make keys.
func TestM5_knownBrowserIsNotLockedOut(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		right := url.Values{"email": {s.store.AdminEmail}, "password": {s.store.AdminPassword}}
		wrong := url.Values{"email": {s.store.AdminEmail}, "password": {"wrong password"}}
		v := &client{fixture: s}
		first := v.post("/login", right).wantStatus(303)
		var device *http.Cookie
		for _, c := range first.Cookies() {
			if c.Name == "__Host-vitrine-device" {
				device = c
			}
		}

		if device == nil || !device.Secure || !device.HttpOnly || device.Path != "/" ||
			device.MaxAge != int(account.DeviceLifetime/time.Second) {
			t.Fatalf("the device cookie is %v", device)
		}

		stranger := &client{fixture: s}
		stranger.post("/login", wrong).wantStatus(401)
		stranger.post("/login", right).wantStatus(429)

		v.post("/keys", url.Values{"kind": {"secret"}, "name": {"Mine"}, "access": {"all"},
			"password": {s.store.AdminPassword}}).wantStatus(201)
		known := &client{fixture: s}
		known.post("/login", right, "Cookie", device.Name+"="+device.Value).wantStatus(303)
	})
}
