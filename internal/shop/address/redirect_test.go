package address

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/promise"
)

func TestReadPath_comparesPathsAsOne(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"/": "/", "/a": "/a", "/a/": "/a", "/a//": "/a/", "/a?b=c": "/a", "/a/?b#c": "/a", "/a#b?c": "/a",
		"/%D0%BB%D0%B0%D0%BC%D0%BF%D0%B0": "/лампа", "/a%20b": "/a b", "/лампа": "/лампа", "/A": "/A",
	} {
		if got, broken := ReadPath(sent); broken != nil || got != want {
			t.Errorf("%s is read as %q (%v), want %q", sent, got, broken, want)
		}
	}

	long := strings.Repeat("л", (maxPath-1)/2)
	if got, broken := ReadPath("/" + url.PathEscape(long)); broken != nil || got != "/"+long {
		t.Errorf("an encoded path whose decoded one has %d bytes is read as %q (%v)", len(long)+1, got, broken)
	}

	for _, sent := range []string{"", "a", "https://shop.example/a", "/%", "/%zz", "/%ff", "/a%00b", "/a\nb",
		"/" + strings.Repeat("a", maxPath), "/" + url.PathEscape(long+"лл")} {
		if got, broken := ReadPath(sent); broken == nil {
			t.Errorf("%q is read as %q", sent, got)
		}
	}
}

func TestCreateRedirect_namesEachBrokenRule(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		for _, tt := range []struct {
			from, to string
			want     []string
		}{
			{"", "", []string{"from invalid_path", "to invalid_url"}},
			{"a", "b", []string{"from invalid_path", "to invalid_url"}},
			{"/", "/b", []string{"from invalid_path"}},
			{"/a?id=5", "/b", []string{"from invalid_path"}},
			{"/a", "//evil.example/b", []string{"to invalid_url"}},
			{"/a", "javascript:alert(1)", []string{"to invalid_url"}},
			{"/a", "https://user:word@shop.example/", []string{"to invalid_url"}},
			{"/a", "/b\r\nSet-Cookie: x=y", []string{"to invalid_path"}},
			{"/a", "/" + strings.Repeat("b", maxPath), []string{"to too_long"}},
			{"/" + strings.Repeat("a", maxPath), "/b", []string{"from too_long"}},
			{"/a", "/a/", []string{"to redirect_loop"}},
			{"/a", "/a?x=1", []string{"to redirect_loop"}},
		} {
			if _, err := s.create(tt.from, tt.to); !slices.Equal(brokenRules(err), tt.want) {
				s.Errorf("from %.20q to %.20q: %v, want %v", tt.from, tt.to, err, tt.want)
			}
		}

		if lines, total := s.list(); total != 0 || len(lines) > 0 {
			s.Errorf("refused redirects are stored: %d, %v", total, lines)
		}
	})
}

func TestOwnPath_knowsAddressesOfSite(t *testing.T) {
	t.Parallel()
	tests := []struct{ site, address, want string }{
		{"https://shop.example", "https://shop.example/a?b=c#d", "/a?b=c#d"},
		{"https://shop.example/", "http://SHOP.example.:80", "/"},
		{"https://shop.example:443", "https://shop.example/%D0%B0", "/%D0%B0"},
		{"https://shop.example/de/", "https://shop.example/de/a", "/a"},
		{"https://shop.example/de", "https://shop.example/de", "/"},
		{"https://shop.example/de", "https://shop.example/den", ""},
		{"https://shop.example/de", "https://shop.example/a", ""},
		{"https://shop.example", "https://shop.example:8443/a", ""},
		{"https://shop.example", "https://www.shop.example/a", ""},
		{"https://xn--80aswg.xn--p1ai", "https://сайт.рф/a", "/a"},
		{"https://shop.example", "/a", ""},
		{"", "https://shop.example/a", ""},
	}

	for _, tt := range tests {
		path, isOwn := OwnPath(store.Store{SiteURL: tt.site}, tt.address)
		if path != tt.want || isOwn != (tt.want != "") {
			t.Errorf("%s on %s: %q, %t, want %q", tt.address, tt.site, path, isOwn, tt.want)
		}
	}
}

// An absolute address of the own site is a path, also one that was elsewhere when the redirect was created.
func TestRedirects_toOwnSiteDoNotLoop(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.setSite("https://shop.example")
		if r, err := s.create("/a", "https://shop.example/b?x=1"); err != nil || r.To != "/b?x=1" {
			s.Errorf("to an own address: %+v, %v", r, err)
		}
		for _, to := range []string{"https://shop.example/a", "http://shop.example/a?x#y", "/a"} {
			if _, err := s.create("/b", to); !slices.Equal(brokenRules(err), []string{"to redirect_loop"}) {
				s.Errorf("from /b to %s: %v", to, err)
			}
		}

		if _, err := s.create("/c", "https://new.example/d"); err != nil {
			s.Fatal(err)
		}
		if _, err := s.create("/d", "/c"); err != nil {
			s.Fatal(err)
		}
		if got := s.resolve("/d"); got != "→ redirect https://new.example/d" {
			s.Errorf("/d leads to %s", got)
		}

		s.setSite("https://new.example")
		for _, path := range []string{"/c", "/d"} { // a loop since the site has moved
			if got := s.resolve(path); got != "nothing" {
				s.Errorf("%s leads to %s", path, got)
			}
		}
		if _, err := s.create("/e", "/c"); !slices.Equal(brokenRules(err), []string{"to redirect_loop"}) {
			s.Errorf("a redirect into a loop: %v", err)
		}
		if err := s.delete(s.redirectID("/d")); err != nil {
			s.Fatal(err)
		}
		if _, err := s.create("/d", "/p/lamp"); err != nil {
			s.Fatal(err)
		}
		s.CreateProduct("Lamp", 1, catalog.ProductEdit{})
		if got := s.resolve("/c"); got != "→ product /p/lamp" {
			s.Errorf("/c leads to %s", got)
		}
	})
}

func TestCreateRedirect_refusesSecondFromOnePath(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		first, err := s.create("/old/", "/new?from=old")
		if err != nil || first.From != "/old" || first.To != "/new?from=old" {
			s.Fatalf("create: %+v, %v", first, err)
		}
		if _, err := s.create("/old", "/other"); !slices.Equal(brokenRules(err), []string{"redirect_exists"}) {
			s.Errorf("second redirect: %v", err)
		}

		other := &fixture{catalogtest.New(s.WithStore(s.NewStore(store.Edit{}))), s.service}
		if _, err := other.create("/old", "/elsewhere"); err != nil {
			s.Errorf("the same path of another store: %v", err)
		}
		if err := other.delete(first.ID); !slices.Equal(brokenRules(err), []string{"not_found"}) {
			s.Errorf("another store deletes the redirect: %v", err)
		}
		if lines, total := s.list(); total != 1 || !slices.Equal(lines, []string{"/old → /new?from=old"}) {
			s.Errorf("%d redirects: %v", total, lines)
		}
	})
}

// Two redirects that are made at the same moment cannot make a loop: each of them is checked when the other is known.
func TestCreateRedirect_makesNoLoopWithConcurrentOne(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		for n := range promise.Repeat(3, 20) {
			a := fmt.Sprintf("/a%d", n)
			b := fmt.Sprintf("/b%d", n)
			errs := make([]error, 2)
			var wait sync.WaitGroup
			wait.Go(func() { _, errs[0] = s.create(a, b) })
			wait.Go(func() { _, errs[1] = s.create(b, a) })
			wait.Wait()
			if (errs[0] == nil) == (errs[1] == nil) {
				s.Fatalf("%v and %v, want one loop", errs[0], errs[1])
			}
		}
	})
}

// Whatever is created and deleted in whatever order: no loop is made, and each target is the end of its chain.
func TestRedirects_leadToTheEndOfTheirChain(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		paths := []string{"/a", "/b", "/c", "/d", "/e", "/f", "https://other.example/g", "/a?x=1"}
		ids := map[string]RedirectID{}
		model := map[string]string{}
		key := func(to string) string { return strings.TrimSuffix(to, "?x=1") }
		follow := func(path string) string {
			for range len(model) + 1 {
				next, ok := model[key(path)]
				if !ok {
					return path
				}
				path = next
			}
			return "a loop"
		}

		random := rand.New(rand.NewPCG(20261119, 1))
		for range promise.Repeat(100, 1000) {
			from := paths[random.IntN(6)]
			to := paths[random.IntN(len(paths))]
			_, exists := model[from]

			if exists && random.IntN(2) == 0 {
				if err := s.delete(ids[from]); err != nil {
					s.Fatal(err)
				}
				delete(model, from)
			} else {
				r, err := s.create(from, to)
				refused := exists || key(follow(to)) == from
				if refused == (err == nil) {
					s.Fatalf("%s → %s beside %v: %v", from, to, model, err)
				}
				if err == nil {
					model[from] = to
					ids[from] = r.ID
				}
			}

			for from := range model {
				if got, want := s.target(from), follow(from); got != want {
					s.Fatalf("%s leads to %s, want %s; redirects: %v", from, got, want, model)
				}
			}
		}

		var want []string
		for _, from := range slices.Sorted(maps.Keys(model)) {
			want = append(want, from+" → "+model[from])
		}
		lines, total := s.list()
		if diff := cmp.Diff(want, lines); diff != "" || total != int64(len(want)) {
			s.Errorf("%d redirects:\n%s", total, diff)
		}
	})
}
