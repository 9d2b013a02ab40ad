package httpapi

import (
	"testing"
	"time"
)

func TestRoute_classIsDerivedFromTheRoute(t *testing.T) {
	for _, c := range []struct {
		route Route
		want  Class
	}{
		{Route{Method: "GET", Path: "/v2/store"}, ClassShort},
		{Route{Method: "GET", Path: "/v2/products", Paged: true}, ClassList},
		{Route{Method: "GET", Path: "/v2/sync-gate/runs", Exchange: true, CursorPaged: true}, ClassList},
		{Route{Method: "GET", Path: "/v2/sync-gate/runs/{id}", Exchange: true}, ClassShort},
		{Route{Method: "POST", Path: "/v2/sync-gate/products", Exchange: true}, ClassGate},
		{Route{Method: "POST", Path: "/v2/orders"}, ClassWrite},
		{Route{Method: "DELETE", Path: "/v2/stocks/{id}"}, ClassWrite},
		{Route{Method: "GET", Path: "/rejects", Class: ClassHeavy}, ClassHeavy},
	} {
		if got := c.route.WorkClass(); got != c.want {
			t.Errorf("%s %s has the class %s, want %s", c.route.Method, c.route.Path, got, c.want)
		}
	}
}

func TestHeavyAfter_isHeavyFarDownTheList(t *testing.T) {
	for _, c := range []struct {
		page Page
		want bool
	}{
		{Page{1, 250}, false}, {Page{41, 250}, false}, {Page{42, 250}, true}, {Page{10_001, 1}, false},
		{Page{10_002, 1}, true}, {Page{1 << 53, 250}, true},
	} {
		for _, class := range allClasses() {
			work := &Work{class: class}
			heavy := work.HeavyAfter(c.page) != nil
			if want := c.want && (class == ClassShort || class == ClassList); heavy != want {
				t.Errorf("page %+v in class %s: heavy %v, want %v", c.page, class, heavy, want)
			}
		}
	}
}

func TestOverloadLog_isDueOnceInAWhile(t *testing.T) {
	var l overloadLog
	now := time.Now()
	for i, want := range []bool{true, false, false, true, false} {
		if got := l.due(now.Add(time.Duration(i) * overloadLogEvery / 3)); got != want {
			t.Errorf("message %d is due: %v, want %v", i, got, want)
		}
	}
}

// allClasses returns all classes.
func allClasses() []Class {
	return []Class{ClassShort, ClassList, ClassHeavy, ClassExport, ClassWrite, ClassGate, ClassImage, ClassLargeImage,
		ClassLong}
}
