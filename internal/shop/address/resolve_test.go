package address

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/promise"
)

// resolve returns what a path leads to as "kind canonical crumb/crumb", after "→" if it is a redirect, or "nothing".
func (s *fixture) resolve(path string) string {
	s.Helper()
	found, err := s.find(path)
	if fault.KindOf(err) == fault.NotFound {
		return "nothing"
	}
	if err != nil {
		s.Fatal(err)
	}

	text := string(found.Kind) + " " + found.Canonical
	if found.IsRedirect {
		text = "→ " + text
	}
	names := make([]string, 0, len(found.Crumbs))
	for _, c := range found.Crumbs {
		names = append(names, c.Name)
	}
	return strings.TrimSpace(text + " " + strings.Join(names, "/"))
}

// find resolves a path that ReadPath accepts.
func (s *fixture) find(path string) (found Resolution, err error) {
	s.Helper()
	read, broken := ReadPath(path)
	if broken != nil {
		s.Fatalf("%s is no path: %s", path, broken.Message)
	}
	s.Read(func(tx store.Tx) error {
		found, err = Resolve(s.Context(), tx, s.Store, read)
		return nil
	})
	return found, err
}

func (s *fixture) category(name string, parent *catalog.CategoryID) (c catalog.Category) {
	s.Helper()
	s.Write(func(tx store.Tx) (err error) {
		c, err = s.Categories.Create(s.Context(), tx, catalog.CategoryEdit{Name: &name, ParentID: parent})
		return err
	})
	return c
}

func (s *fixture) editCategory(categoryID catalog.CategoryID, e catalog.CategoryEdit) error {
	s.Helper()
	return s.TryWrite(func(tx store.Tx) error {
		_, err := s.Categories.Edit(s.Context(), tx, categoryID, e, nil)
		return err
	})
}

func (s *fixture) deleteCategory(categoryID catalog.CategoryID) {
	s.Helper()
	s.Write(func(tx store.Tx) error { return s.Categories.Delete(s.Context(), tx, categoryID, nil) })
}

func (s *fixture) editProduct(productID catalog.ProductID, e catalog.ProductEdit) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		_, err := s.Products.Edit(s.Context(), tx, productID, e, nil)
		return err
	})
}

func (s *fixture) archive(productID catalog.ProductID) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		_, err := s.Products.Archive(s.Context(), tx, productID, nil)
		return err
	})
}

func (s *fixture) setSite(url string) {
	s.Helper()
	s.Clock.Advance(1)
	s.Write(func(tx store.Tx) (err error) {
		s.Store, err = s.Stores.Update(s.Context(), tx, store.Edit{SiteURL: &url}, nil)
		return err
	})
}

func (s *fixture) setPaths(e store.PathsEdit) {
	s.Helper()
	s.Clock.Advance(1)
	s.Write(func(tx store.Tx) (err error) {
		s.Store, err = s.Stores.Update(s.Context(), tx, store.Edit{Paths: e}, nil)
		return err
	})
}

func TestResolve_findsPresentAndFormerPaths(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		home := s.category("Home", nil)
		lamps := s.category("Lamps", &home.ID)
		sale := s.category("Sale", nil)
		lamp := s.CreateProduct("Desk lamp", 1,
			catalog.ProductEdit{Categories: &[]catalog.CategoryID{sale.ID, lamps.ID}})

		want := func(path, want string) {
			s.Helper()
			if got := s.resolve(path); got != want {
				s.Errorf("%s: %s, want %s", path, got, want)
			}
		}

		want("/p/desk-lamp", "product /p/desk-lamp Home/Lamps")
		want("/p/desk-lamp/", "product /p/desk-lamp Home/Lamps")
		want("/c/home/lamps", "category /c/home/lamps Home/Lamps")
		want("/c/lamps", "→ category /c/home/lamps Home/Lamps")
		want("/c/sale/lamps", "→ category /c/home/lamps Home/Lamps")
		for _, path := range []string{"/", "/p", "/p/", "/p/none", "/c/none", "/p/home", "/c/desk-lamp",
			"/P/desk-lamp", "/p/desk lamp", "/p/Desk-Lamp", "/p/" + strings.Repeat("a", 900)} {
			want(path, "nothing")
		}

		renamed := slug.Slug("table-lamp")
		s.editProduct(lamp.ID, catalog.ProductEdit{Slug: &renamed})
		want("/p/desk-lamp", "→ product /p/table-lamp Home/Lamps")

		if err := s.editCategory(lamps.ID, catalog.CategoryEdit{Root: true}); err != nil {
			s.Fatal(err)
		}
		want("/c/home/lamps", "→ category /c/lamps Lamps")
		want("/p/table-lamp", "product /p/table-lamp Lamps") // the first of two categories that are as deep

		s.setPaths(store.PathsEdit{Product: new("/{slug}.html"), Category: new("/catalogue/{path}/")})
		want("/p/desk-lamp", "→ product /table-lamp.html Lamps")
		want("/table-lamp.html", "product /table-lamp.html Lamps")
		want("/c/home/lamps", "→ category /catalogue/lamps/ Lamps")
		want("/catalogue/lamps", "category /catalogue/lamps/ Lamps")

		s.deleteCategory(lamps.ID)
		want("/catalogue/lamps", "nothing")
		s.archive(lamp.ID)
		want("/table-lamp.html", "nothing")
	})
}

// A present address comes before a redirect of the store's own, and that before a former address.
func TestResolve_prefersPresentAddressThenRedirectThenFormerAddress(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.CreateProduct("Lamp", 1, catalog.ProductEdit{})
		torch := s.CreateProduct("Torch", 1, catalog.ProductEdit{})
		create := func(from, to string) {
			s.Helper()
			if _, err := s.create(from, to); err != nil {
				s.Fatal(err)
			}
		}
		want := func(path, want string) {
			s.Helper()
			if got := s.resolve(path); got != want {
				s.Errorf("%s: %s, want %s", path, got, want)
			}
		}

		create("/p/lamp", "/p/torch")
		want("/p/lamp", "product /p/lamp")
		s.editProduct(lamp.ID, catalog.ProductEdit{Slug: new(slug.Slug("light"))})
		want("/p/lamp", "→ product /p/torch")

		create("/old", "/older")
		create("/older", "https://shop.example/x")
		want("/old", "→ redirect https://shop.example/x")

		s.editProduct(torch.ID, catalog.ProductEdit{Slug: new(slug.Slug("flash"))})
		want("/p/lamp", "→ product /p/flash") // over a former address, in one step
		s.archive(torch.ID)
		want("/p/lamp", "→ redirect /p/torch")

		found, err := s.find("/old")
		if diff := cmp.Diff(id.Of[Resolution](s.redirectID("/old")), found.ID); err != nil || diff != "" {
			s.Errorf("the id of the redirect: %v\n%s", err, diff)
		}
	})
}

// A redirect at a present address waits until the page is gone, also for redirects that lead to that address.
func TestResolve_endsChainAtPresentAddress(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.CreateProduct("Lamp", 1, catalog.ProductEdit{})
		for _, r := range [][2]string{{"/p/lamp", "/sale"}, {"/promo", "/p/lamp"}, {"/mail", "/promo?from=mail"}} {
			if _, err := s.create(r[0], r[1]); err != nil {
				s.Fatal(err)
			}
		}
		want := func(want string) {
			s.Helper()
			for _, path := range []string{"/promo", "/mail"} {
				if got := s.resolve(path); got != want {
					s.Errorf("%s: %s, want %s", path, got, want)
				}
			}
		}

		want("→ product /p/lamp")
		s.archive(lamp.ID)
		want("→ redirect /sale")
		if got := s.resolve("/p/lamp"); got != "→ redirect /sale" {
			s.Errorf("the address of an archived product: %s", got)
		}
	})
}

func (s *fixture) redirectID(from string) (redirectID RedirectID) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		list, _, err := s.service.ListRedirects(s.Context(), tx, 1000, 0)
		for _, r := range list {
			if r.From == from {
				redirectID = r.ID
			}
		}
		return err
	})
	return redirectID
}

// Over random histories: a present address leads to its own thing without a redirect, a former one in one step to a
// present one, and never in a loop.
func TestResolve_leadsToPresentAddressInOneStep(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		h := &history{fixture: s, random: rand.New(rand.NewPCG(20261119, 2)), seen: map[string]bool{},
			chosen: map[catalog.ProductID]catalog.CategoryID{}}
		for range promise.Repeat(60, 600) {
			h.step()
			h.check()
		}
	})
}

// history changes a catalogue at random, and keeps all addresses that ever were.
type history struct {
	*fixture
	random     *rand.Rand
	categories []catalog.CategoryID
	products   []catalog.ProductID
	seen       map[string]bool
	chosen     map[catalog.ProductID]catalog.CategoryID // the canonical categories
}

func (h *history) name() string { return fmt.Sprintf("Name %d", h.random.IntN(12)) }

func (h *history) step() {
	h.Helper()
	anyCategory := func() *catalog.CategoryID {
		if len(h.categories) == 0 {
			return nil
		}
		return &h.categories[h.random.IntN(len(h.categories))]
	}

	switch n := h.random.IntN(12); {
	case n < 2:
		parent := anyCategory()
		if h.random.IntN(3) == 0 {
			parent = nil
		}
		h.categories = append(h.categories, h.category(h.name(), parent).ID)
	case n == 2:
		e := catalog.ProductEdit{}
		if c := anyCategory(); c != nil {
			e.Categories = &[]catalog.CategoryID{*c}
		}
		h.products = append(h.products, h.CreateProduct(h.name(), 1, e).ID)
	case n == 3 && len(h.categories) > 0: // a cycle is refused
		_ = h.editCategory(*anyCategory(), catalog.CategoryEdit{ParentID: anyCategory()})
	case n == 4 && len(h.categories) > 0:
		err := h.editCategory(*anyCategory(), catalog.CategoryEdit{Name: new(h.name()), Slug: new(slug.Slug(""))})
		if err != nil {
			h.Fatal(err)
		}
	case n == 5 && len(h.products) > 0:
		h.editProduct(h.products[h.random.IntN(len(h.products))],
			catalog.ProductEdit{Name: new(h.name()), Slug: new(slug.Slug(""))})
	case n == 6 && len(h.categories) > 0:
		deleted := *anyCategory()
		h.deleteCategory(deleted)
		h.categories = slices.DeleteFunc(h.categories, func(c catalog.CategoryID) bool { return c == deleted })
		maps.DeleteFunc(h.chosen, func(_ catalog.ProductID, c catalog.CategoryID) bool { return c == deleted })
	case n == 7:
		h.setPaths(store.PathsEdit{Product: new(fmt.Sprintf("/p%d/{slug}", h.random.IntN(3))),
			Category: new(fmt.Sprintf("/c%d/{path}", h.random.IntN(3)))})
	case n == 8 && len(h.products) > 0:
		h.recategorize(h.products[h.random.IntN(len(h.products))])
	case n == 9:
		h.setSite([]string{"https://one.example", "https://two.example"}[h.random.IntN(2)])
	default: // a second one, or a loop, is refused
		to := h.anySeen()
		if h.random.IntN(3) == 0 {
			to = []string{"https://one.example", "https://two.example"}[h.random.IntN(2)] + to
		}
		_, _ = h.create(h.anySeen(), to)
	}
}

// recategorize puts a product into several categories, or chooses the canonical one of them.
func (h *history) recategorize(productID catalog.ProductID) {
	h.Helper()
	if len(h.categories) == 0 {
		return
	}

	list := []catalog.CategoryID{}
	for _, i := range h.random.Perm(len(h.categories))[:min(3, len(h.categories))] {
		list = append(list, h.categories[i])
	}
	e := catalog.ProductEdit{Categories: &list}
	if h.random.IntN(2) == 0 {
		e.CanonicalCategory = &list[0]
	}
	h.editProduct(productID, e)
	if e.CanonicalCategory != nil {
		h.chosen[productID] = list[0]
	} else if !slices.Contains(list, h.chosen[productID]) {
		delete(h.chosen, productID)
	}
}

// anySeen returns an address that was once present, or a path that never was.
func (h *history) anySeen() string {
	all := []string{"/gone", "/sale", "/new"}
	for path := range h.seen {
		all = append(all, path)
	}
	slices.Sort(all)
	return all[h.random.IntN(len(all))]
}

func (h *history) check() {
	h.Helper()
	h.Read(func(tx store.Tx) error {
		present := map[string]id.Of[Resolution]{}
		tree, err := catalog.ReadCategoryTree(h.Context(), tx)
		if err != nil {
			return err
		}
		tree.Walk(func(n *catalog.CategoryNode) {
			slugs, _ := slugsOf(n)
			present[h.Store.Paths.Category.Path(slugs)] = id.Of[Resolution](n.ID)
		})
		for _, productID := range h.products {
			p, err := h.Products.Find(h.Context(), tx, productID, catalog.Live)
			if err != nil {
				return err
			}
			present[ProductPathOf(h.Store, p.Slug)] = id.Of[Resolution](productID)
		}

		for path, owner := range present {
			h.seen[path] = true
			found, err := Resolve(h.Context(), tx, h.Store, path)
			if err != nil || found.IsRedirect || found.ID != owner || found.Canonical != path {
				h.Fatalf("the present address %s: %+v, %v", path, found, err)
			}
		}

		for productID, canonical := range h.chosen {
			for path, owner := range present {
				if owner != id.Of[Resolution](productID) {
					continue
				}
				found, err := Resolve(h.Context(), tx, h.Store, path)
				if n := len(found.Crumbs); err != nil || n == 0 || found.Crumbs[n-1].ID != canonical {
					h.Fatalf("the way to %s: %+v, %v, want one to %s", path, found.Crumbs, err, canonical)
				}
			}
		}

		for path := range h.seen {
			found, err := Resolve(h.Context(), tx, h.Store, path)
			if fault.KindOf(err) == fault.NotFound {
				continue // of a category that is deleted, or in a loop since the site has moved
			}
			_, isPresent := present[path]
			if err != nil || found.IsRedirect == isPresent {
				h.Fatalf("the address %s: %+v, %v", path, found, err)
			}
			if found.Kind == RedirectPath {
				continue
			}
			if owner, ok := present[found.Canonical]; !ok || owner != found.ID {
				h.Fatalf("the address %s leads to %s, which is no present address of it", path, found.Canonical)
			}
		}
		return nil
	})
}
