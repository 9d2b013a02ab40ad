package adminui_test

import (
	"net/http"
	"testing"

	"vitrine/internal/api/adminui"
	"vitrine/internal/api/httpapi"
)

// The credential of every request of every store waits for a slot of ClassShort, so no page may hold one while it
// scans.
func TestRoutes_leaveTheClassOfCredentialsAlone(t *testing.T) {
	downloads := map[string]bool{"/orders.csv": true, "/orders.xlsx": true, "/customers.csv": true,
		"/customers.xlsx": true, "/products/download": true, "/customers/export": true, "/exchange/{id}/rejects": true}
	for _, route := range adminui.New(adminui.Deps{}).Routes() {
		class := route.WorkClass()
		if class == httpapi.ClassShort {
			t.Errorf("%s %s has the class of credentials", route.Method, route.Path)
		}
		if downloads[route.Path] && class != httpapi.ClassHeavy {
			t.Errorf("%s %s has the class %s, want heavy: its file has no limit", route.Method, route.Path, class)
		}

		delete(downloads, route.Path)
		if route.Method == http.MethodGet && class == httpapi.ClassWrite {
			t.Errorf("%s %s has the class of changes", route.Method, route.Path)
		}
	}

	for path := range downloads {
		t.Errorf("there is no route %s", path)
	}
}
