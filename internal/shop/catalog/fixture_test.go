package catalog_test

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/export"
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// catalogFixture is a store with the catalogue's services. Its clock advances only when the test advances it.
type catalogFixture struct {
	*storetest.Fixture
	*Service
	Pushes  *push.Pushes
	Exports *export.Exports
}

// eachEngine runs fn with a new store on each database engine, and checks the invariants of the data afterwards.
func eachEngine(t *testing.T, fn func(s *catalogFixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		s := newFixture(f)
		fn(s)
		s.checkInvariants()
	})
}

func newFixture(f *storetest.Fixture) *catalogFixture { return fixtureOf(f, Deps{Now: f.Clock.Now}) }

// fixtureOf returns a fixture whose services have these dependencies.
func fixtureOf(f *storetest.Fixture, deps Deps) *catalogFixture {
	service := New(deps)
	return &catalogFixture{f, service, push.New(service, nil), export.New(service)}
}

// otherStore returns the fixture of a second store in the same database.
func (s *catalogFixture) otherStore() *catalogFixture {
	return newFixture(s.WithStore(s.NewStore(store.Edit{})))
}

// inTx runs fn in a transaction on behalf of the store and returns its result.
func inTx[T any](s *catalogFixture, fn func(tx store.Tx) (T, error)) (v T, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		v, err = fn(tx)
		return err
	})
	return v, err
}

// testAttribute is an option or a feature with the ids of its values by name.
type testAttribute struct {
	Attribute
	values map[string]ValueID
}

func (a testAttribute) ref(name string) ValueRef {
	return ValueRef{a.ID, a.values[name]}
}

func (s *catalogFixture) attribute(kind Kind, name string, values ...string) testAttribute {
	s.Helper()
	a := testAttribute{values: map[string]ValueID{}}
	e := AttributeEdit{Name: &name, Values: NewValues(values...)}
	s.Write(func(tx store.Tx) (err error) {
		if a.Attribute, err = s.Attributes.Create(s.Context(), tx, kind, e); err != nil {
			return err
		}
		return s.Attributes.EachValue(s.Context(), tx, a.Attribute, func(v Value) error {
			a.values[v.Name] = v.ID
			return nil
		})
	})
	return a
}

func (s *catalogFixture) option(name string, values ...string) testAttribute {
	s.Helper()
	return s.attribute(Option, name, values...)
}

func (s *catalogFixture) feature(name string, values ...string) testAttribute {
	s.Helper()
	return s.attribute(Feature, name, values...)
}

// removeEdit returns an edit that removes the values with these names.
func removeEdit(a testAttribute, names ...string) AttributeEdit {
	ids := make([]ValueID, len(names))
	for i, name := range names {
		ids[i] = a.values[name]
	}
	return AttributeEdit{Removed: ListOf(ids...)}
}

func (s *catalogFixture) removeValues(a testAttribute, names ...string) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		_, err := s.Attributes.Edit(s.Context(), tx, a.Kind, a.ID, removeEdit(a, names...), nil)
		return err
	})
}

// newVariant returns the edit of a new variant.
func newVariant(sku string, price money.Money, options ...ValueRef) VariantEdit {
	return VariantEdit{SKU: &sku, Price: new(money.NewPrice(price)), Options: &options}
}

// unchanged returns an edit that names a variant and leaves it unchanged.
func unchanged(v Variant) VariantEdit { return VariantEdit{ID: v.ID} }

// withOptions returns an edit that replaces the options of a variant.
func withOptions(v Variant, options ...ValueRef) VariantEdit {
	return VariantEdit{ID: v.ID, Options: &options}
}

func withVariants(list ...VariantEdit) ProductEdit {
	return ProductEdit{Variants: &list}
}

func withName(name string, e ProductEdit) ProductEdit {
	e.Name = &name
	return e
}

func (s *catalogFixture) tryCreate(e ProductEdit) (p Product, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		p, err = s.Products.Create(s.Context(), tx, e)
		return err
	})
	return p, err
}

// mustCreate creates a product and returns it with all its lists. It fails the test on an error.
func (s *catalogFixture) mustCreate(e ProductEdit) fullProduct {
	s.Helper()
	p, err := s.tryCreate(withName("Shirt", e))
	s.must(err)
	return s.load(p.ID)
}

func (s *catalogFixture) edit(productID ProductID, e ProductEdit) error {
	return s.editIf(productID, e, nil)
}

func (s *catalogFixture) editIf(productID ProductID, e ProductEdit, pre fault.Precondition) error {
	return s.TryWrite(func(tx store.Tx) error {
		_, err := s.Products.Edit(s.Context(), tx, productID, e, pre)
		return err
	})
}

// mustEdit edits a product and returns it with all its lists. It fails the test on an error.
func (s *catalogFixture) mustEdit(productID ProductID, e ProductEdit) fullProduct {
	s.Helper()
	s.must(s.edit(productID, e))
	return s.load(productID)
}

// fullProduct is a product with the names of its categories, features and options.
type fullProduct struct {
	Product
	Categories []view.CategoryName
	Features   []AttributeValue
}

// load reads a product with all its lists. Its variants are the live ones.
func (s *catalogFixture) load(productID ProductID) (p fullProduct) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		found, err := s.Products.Find(s.Context(), tx, productID, AnyArchived)
		if err == nil {
			p, err = s.readFull(tx, found.Key, Live)
		}
		return err
	})
	return p
}

// readFull reads a product with all its lists. The parameter which selects its variants.
func (s *catalogFixture) readFull(tx store.Tx, key int64, which Archived) (p fullProduct, err error) {
	all := view.Parts{Categories: true, Features: true, Images: true, Modifiers: true, Variants: true}
	list, _, err := view.ReadRows(s.Context(), tx, []int64{key}, all, which)
	if err != nil {
		return p, err
	}
	if len(list) == 0 {
		return p, fault.Missing("product")
	}

	rows := list[0]
	wanted := view.NameKeys{Categories: rows.CategoryKeys}
	for _, v := range slices.Concat(append(rows.OptionKeys, rows.FeatureKeys)...) {
		wanted.Attributes, wanted.Values = append(wanted.Attributes, v.Attribute), append(wanted.Values, v.Value)
	}

	names, err := view.ReadNames(s.Context(), tx, wanted)
	attributes := map[int64]view.AttributeName{}
	for _, a := range names.Attributes {
		attributes[a.Key] = a
	}

	values := map[ValueKeys]AttributeValue{}
	for _, v := range names.Values {
		if a, exists := attributes[v.AttributeKey]; exists {
			values[ValueKeys{a.Key, v.Key}] = AttributeValue{a.ID, a.Name, a.FieldType, Value{ID: v.ID, Name: v.Name}}
		}
	}

	named := func(keys []ValueKeys) (list []AttributeValue) {
		for _, k := range keys {
			if v, exists := values[k]; exists {
				list = append(list, v)
			}
		}
		return list
	}
	slices.SortFunc(names.Categories, func(a, b view.CategoryName) int { return cmp.Compare(a.Key, b.Key) })
	p = fullProduct{rows.Product, names.Categories, named(rows.FeatureKeys)}
	for i := range p.Variants {
		p.Variants[i].Options = named(rows.OptionKeys[i])
	}

	return p, err
}

// formatValues formats values as "Colour red, Size L".
func formatValues(list []AttributeValue) string {
	words := make([]string, len(list))
	for i, c := range list {
		words[i] = c.Name + " " + c.Value.Name
	}
	return strings.Join(words, ", ")
}

// formatVariants formats the variants of a product as "sku: options", one per line.
func formatVariants(p fullProduct) []string {
	lines := make([]string, len(p.Variants))
	for i, v := range p.Variants {
		lines[i] = v.SKU + ": " + formatValues(v.Options)
	}
	return lines
}

func (s *catalogFixture) wantVariants(p fullProduct, want ...string) {
	s.Helper()
	if got := formatVariants(p); !slices.Equal(got, want) {
		s.Errorf("the variants are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// wantInvalid expects fault.Invalid with exactly these fields and codes, written as "field code".
func (s *catalogFixture) wantInvalid(err error, want ...string) {
	s.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Invalid {
		s.Errorf("got %v, want fault.Invalid for %q", err, want)
		return
	}
	var got []string
	for _, field := range f.Fields {
		got = append(got, field.Field+" "+field.Code)
	}
	if !slices.Equal(got, want) {
		s.Errorf("got fault.Invalid for %q, want %q", got, want)
	}
}

// wantExternalIDTaken expects fault.Conflict because the external id at this field path is taken.
func (s *catalogFixture) wantExternalIDTaken(err error, path string) {
	s.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Conflict || f.Code != "external_id_taken" || len(f.Fields) != 1 ||
		f.Fields[0].Field != path {
		s.Errorf("got %v, want external_id_taken at %s", err, path)
	}
}

// concurrently runs fn n times concurrently and returns the errors.
func concurrently(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	wait.Wait()
	return errs
}

// completeDeletions does the work of Deletions.Run and Attributes.Run.
func (s *catalogFixture) completeDeletions() {
	s.Helper()
	s.must(s.Deletions.Complete(s.Context(), s.DB))
	s.must(s.Attributes.Purge(s.Context(), s.DB))
}

// checkInvariants checks the invariants of the data: combinations match the options and are unique, the availability of
// a variant is the sum of the unreserved quantities of its remainders, no quantity is negative, and the search text of
// a product starts with its sort name.
func (s *catalogFixture) checkInvariants() {
	s.Helper()
	s.completeDeletions()
	s.checkCombinations()
	for what, query := range map[string]string{
		"variants have an availability that differs from the sum over their remainders": `variants v WHERE COALESCE(v.available, -1) <> COALESCE((
			SELECT SUM(CASE WHEN m.quantity > m.reserved THEN m.quantity - m.reserved ELSE 0 END) FROM remainders m WHERE m.store_id = v.store_id AND m.variant_key = v.key), -1)`,
		"remainders are negative": "remainders WHERE quantity < 0 OR reserved < 0",
		"products have a search text that does not start with the sort name": "products WHERE SUBSTR(words, 1, " +
			"LENGTH(sort_name)) <> sort_name",
	} {
		if n := s.Count(query); n != 0 {
			s.Errorf("%d %s", n, what)
		}
	}
}

func (s *catalogFixture) checkCombinations() {
	s.Helper()
	type row struct {
		key, product, twin int64
		combination        string
		live               bool
	}
	var rows []row
	values := map[int64][]int64{}

	s.Read(func(tx store.Tx) error {
		err := database.QueryEach(s.Context(), tx.Unscoped(),
			"SELECT key, product_key, twin, combination, archived_at IS NULL FROM variants", nil,
			func(r database.Rows) error {
				var v row
				var combination []byte
				err := r.Scan(&v.key, &v.product, &v.twin, &combination, &v.live)
				v.combination = string(combination)
				rows = append(rows, v)
				return err
			})
		if err != nil {
			return err
		}

		return database.QueryEach(s.Context(), tx.Unscoped(),
			"SELECT variant_key, value_key FROM variant_values ORDER BY value_key", nil, func(r database.Rows) error {
				var variant, value int64
				err := r.Scan(&variant, &value)
				values[variant] = append(values[variant], value)
				return err
			})
	})

	pending := map[int64][]ReferencePush{}

	s.Read(func(tx store.Tx) error {
		return database.QueryEach(s.Context(), tx.Unscoped(),
			"SELECT variant_key, external_id, value_id FROM pending_references WHERE kind = 'option'", nil,
			func(r database.Rows) error {
				var variant int64
				var ref ReferencePush
				err := r.Scan(&variant, &ref.Attribute, &ref.Value)
				pending[variant] = append(pending[variant], ref)
				return err
			})
	})

	type group struct {
		product     int64
		combination string
	}
	first := map[group]int{}
	for _, v := range rows {
		if want := string(HashCombination(values[v.key], pending[v.key])); v.combination != want {
			s.Errorf("variant %d has the combination %x, want %x for its values", v.key, v.combination, want)
		}

		if v.live && v.combination != "" && v.twin == 0 {
			first[group{v.product, v.combination}]++
		}

		if v.twin != 0 && v.twin != v.key {
			s.Errorf("variant %d has twin = %d", v.key, v.twin)
		}
	}

	for g, n := range first {
		if n > 1 {
			s.Errorf("%d variants of product %d have twin = 0 for the combination %x", n, g.product,
				g.combination)
		}
	}
}
