package store

import (
	"fmt"
	"testing"
)

func TestPathPattern_joinsAndMatches(t *testing.T) {
	tests := []struct {
		pattern     PathPattern
		slugs, path string
	}{
		{"/p/{slug}", "lamp", "/p/lamp"},
		{"/p/{slug}.html", "lamp", "/p/lamp.html"},
		{"/{slug}", "lamp", "/lamp"},
		{"/c/{path}", "home/lamps", "/c/home/lamps"},
		{"/catalog/{path}/", "home/lamps", "/catalog/home/lamps/"},
	}
	for _, tt := range tests {
		if got := tt.pattern.Path(tt.slugs); got != tt.path {
			t.Errorf("%s with %s is %s, want %s", tt.pattern, tt.slugs, got, tt.path)
		}
		path := tt.path
		if path[len(path)-1] == '/' {
			path = path[:len(path)-1]
		}
		if got, ok := tt.pattern.Match(path); !ok || got != tt.slugs {
			t.Errorf("%s has %q of %s (%t), want %s", path, got, tt.pattern, ok, tt.slugs)
		}
	}

	for pattern, path := range map[PathPattern]string{
		"/p/{slug}": "/p/", "/p/{slug}.html": "/p/lamp", "/{slug}": "/", "/a{slug}a": "/a", "/c/{path}": "/d/x",
	} {
		if got, ok := pattern.Match(path); ok {
			t.Errorf("%s matches %s with %q", pattern, path, got)
		}
	}
}

func TestEditApply_checksPaths(t *testing.T) {
	tests := []struct{ product, category, want string }{
		{"/p/{slug}", "/c/{path}", "map[]"},
		{" /товар/{slug}", "/c/{path}", "map[paths.product:invalid_path]"},
		{"/{slug}.html", "/{path}", "map[]"},
		{"/a/{slug}", "/a/{path}/", "map[paths.category:paths_overlap]"},
		{"p/{slug}", "/c/{slug}", "map[paths.category:invalid_path paths.product:invalid_path]"},
		{"/p/{slug}/{slug}", "/c", "map[paths.category:invalid_path paths.product:invalid_path]"},
		{"/../{slug}", "//{path}", "map[paths.category:invalid_path paths.product:invalid_path]"},
		{"/p?id={slug}", "/" + string(make([]byte, 300)), "map[paths.category:too_long paths.product:invalid_path]"},
	}

	for _, tt := range tests {
		_, err := Edit{Paths: PathsEdit{&tt.product, &tt.category}}.apply(Store{Name: "Shop", Timezone: "UTC"})
		got := "map[]"
		if err != nil {
			got = fmt.Sprint(fieldCodes(t, err))
		}
		if got != tt.want {
			t.Errorf("%q and %q: %s, want %s", tt.product, tt.category, got, tt.want)
		}
	}
}
