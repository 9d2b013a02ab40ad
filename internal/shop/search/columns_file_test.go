package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// newSampleColumns returns columns with something in each section.
func newSampleColumns(products int) *searchColumns {
	c := newColumns()
	c.attributes[1] = &attribute{key: 1, id: id.New[catalog.Attribute](), kind: catalog.Feature, name: "Fabric",
		filterable: true, fieldType: catalog.Select, version: 3}
	c.attributes[2] = &attribute{key: 2, id: id.New[catalog.Attribute](), kind: catalog.Option, name: "Size"}
	c.attributes[3] = &attribute{key: 3, kind: catalog.Feature, filterable: true, fieldType: catalog.Range}
	c.assignColumns(func(key int64) bool { return key == 1 })

	for i := range int64(6) {
		c.values.assign(100 + i)
		c.values.byID = append(c.values.byID, valueInfo{attribute: 1 + i%3, id: id.New[catalog.Value](),
			name: fmt.Sprint("value ", i), number: float64(i) / 2, deleted: i == 5})
	}

	c.values.forget(105)

	for i := range int64(3) {
		c.tree.assign(i + 1)
		c.tree.nodes = append(c.tree.nodes, categoryNode{id: id.New[catalog.Category](),
			name:   fmt.Sprint("category ", i),
			parent: noIndex, deleted: i == 2})
	}

	c.tree.nodes[1].parent = 0
	c.tree.forget(3)
	digests := []string{"", strings.Repeat("a", digestLen), strings.Repeat("b", digestLen)}
	for i, digest := range digests[1:] {
		c.combinations.codes()[digest] = c.variantOptions.codeOf([]uint32{uint32(1 + 3*i)})
	}

	for i := range int64(products) {
		key := i
		if i%7 == 3 { // out of order
			key = i - 3 + int64(2*products)
		}

		p := productRow{key: key, created: 1000 - i, popularity: uint32(i % 5), sortName: fmt.Sprint(" name", i),
			name: fmt.Sprint("name", i), description: "A thing.", externalID: fmt.Sprint("sku", i),
			categories: []int64{1 + i%2}, features: []featureValue{{1, 100 + 3*(i%2)}, {3, 102}}}
		for v := range i % 3 {
			price := 10 * v
			if v == 1 && i%2 == 0 {
				price = noPrice
			}
			p.variants = append(p.variants, variantRow{price: price, inStock: v == 1, combination: digests[i%3]})
		}

		c.put(&p)
	}

	c.remove(1)
	c.state = State{products: 7, categories: 8, attributes: 9, changedAt: 10, search: 11, searchStamp: 12}
	return c
}

func encodeColumns(t *testing.T, c *searchColumns) []byte {
	t.Helper()
	var b bytes.Buffer
	header := columnsHeader{database: store.DatabaseID{1}, store: store.ID{2}, state: c.state, memory: 3, written: 4}
	err := writeColumns(&b, header, c, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decodeColumns(b []byte) (*searchColumns, error) {
	r, header, err := newColumnsReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	return r.columns(header)
}

func TestColumnsFile_isReadAsItWasWritten(t *testing.T) {
	for _, products := range []int{0, 1, 50, 20_000} { // the last has sections of several frames
		c := newSampleColumns(products)
		if products > 1000 {
			c.cluster()
		}

		written := encodeColumns(t, c)
		again, err := decodeColumns(written)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encodeColumns(t, again), written) {
			t.Errorf("%d products: columns that were read are written differently", products)
		}

		for _, sort := range []Sort{ByName, ByPopularity} {
			query := Query{Limit: int64(products), WithFacets: true, Sort: sort}
			want := c.find(&searchFilter{inStock: true}, &c.base, query)
			got := again.find(&searchFilter{inStock: true}, &again.base, query)
			if !reflect.DeepEqual(want, got) {
				t.Errorf("%d products: columns that were read find %d products with other facets or in another order, "+
					"want %d",
					products, got.Total, want.Total)
			}
		}

		// A change needs what is not in the file. Both must assign the same codes.
		p := productRow{key: 1, sortName: " new", name: "new", categories: []int64{1, 2},
			features: []featureValue{{1, 103}, {3, 102}},
			variants: []variantRow{{price: 1, combination: strings.Repeat("b", digestLen)}}}
		c.put(&p)
		again.put(&p)

		if !bytes.Equal(encodeColumns(t, again), encodeColumns(t, c)) {
			t.Errorf("%d products: a change of columns that were read has another result", products)
		}
	}
}

// frameStarts returns the offsets of the frames of a file, and its length.
func frameStarts(file []byte) (starts []int) {
	at := len(columnsMagic) + 4
	for at < len(file) {
		starts = append(starts, at)
		at += frameHeaderLen + int(binary.LittleEndian.Uint32(file[at+4:])&^lastFrame)
	}
	return append(starts, at)
}

func TestColumnsFile_isRefusedIfItIsTorn(t *testing.T) {
	file := encodeColumns(t, newSampleColumns(20_000))
	starts := frameStarts(file)
	if sections := len(columnsSections()) + 2; len(starts) <= sections+1 || starts[len(starts)-1] != len(file) {
		t.Fatalf("%d frames, want more than %d sections", len(starts)-1, sections)
	}

	cuts := []int{0, 1, len(columnsMagic), len(columnsMagic) + 2}
	for _, at := range starts {
		cuts = append(cuts, at-1, at, at+1, at+frameHeaderLen)
	}

	for _, at := range cuts {
		if at >= len(file) {
			continue
		}
		if _, err := decodeColumns(file[:at]); !errors.Is(err, errColumnsFile) {
			t.Errorf("cut off at %d of %d: %v", at, len(file), err)
		}

		torn := append(slices.Clone(file[:at]), make([]byte, len(file)-at)...) // a file system may leave zeros
		if _, err := decodeColumns(torn); !errors.Is(err, errColumnsFile) {
			t.Errorf("zeros from %d of %d: %v", at, len(file), err)
		}
	}
}

func TestColumnsFile_isRefusedIfAByteIsWrong(t *testing.T) {
	file := encodeColumns(t, newSampleColumns(20))
	for at := range file {
		for _, bit := range []byte{1, 128} {
			file[at] ^= bit
			if _, err := decodeColumns(file); !errors.Is(err, errColumnsFile) {
				t.Errorf("bit %d of byte %d of %d: %v", bit, at, len(file), err)
			}
			file[at] ^= bit
		}
	}
}

func TestColumnsFile_isRefusedInAnotherFormat(t *testing.T) {
	file := encodeColumns(t, newSampleColumns(20))
	for _, format := range []uint32{columnsFormat - 1, columnsFormat + 1} {
		binary.LittleEndian.PutUint32(file[len(columnsMagic):], format)
		if _, err := decodeColumns(file); !errors.Is(err, errColumnsFile) || !strings.Contains(err.Error(), "format") {
			t.Errorf("format %d: %v", format, err)
		}
	}
	binary.LittleEndian.PutUint32(file[len(columnsMagic):], columnsFormat)
	if _, err := decodeColumns(file); err != nil {
		t.Error(err)
	}
}

func TestColumnsFile_isRefusedIfSectionsAreSwapped(t *testing.T) {
	file := encodeColumns(t, newSampleColumns(20))
	starts := frameStarts(file)
	swapped := slices.Concat(file[:starts[1]], file[starts[2]:starts[3]], file[starts[1]:starts[2]], file[starts[3]:])
	if _, err := decodeColumns(swapped); !errors.Is(err, errColumnsFile) {
		t.Error(err)
	}
}

func TestColumnsSections_haveDifferentTags(t *testing.T) {
	seen := map[string]bool{headerTag: true, endTag: true}
	for _, s := range columnsSections() {
		if len(s.tag) != 4 || seen[s.tag] {
			t.Errorf("tag %q", s.tag)
		}
		seen[s.tag] = true
	}
}
