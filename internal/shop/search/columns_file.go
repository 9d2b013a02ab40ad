package search

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"

	"vitrine/internal/shop/store"
)

// The columns of a store can be written to a file and read again; see docs/adr/0014-columns-file.md. A file begins with
// columnsMagic and columnsFormat. Sections follow, in the order of columnsSections. A section is a sequence of frames,
// each with a tag, a length and a checksum, so that a torn or damaged file is detected. Numbers are little-endian.
const (
	columnsMagic = "VTRNCOLS"
	// columnsFormat is the version of the format. Raise it with every change of a section, of its layout or of its
	// meaning, such as how the words of a product are made. Files of another version are not read.
	columnsFormat uint32 = 2
	// frameLen is the maximum length of the payload of a frame. A frame fits into the CPU cache, so that its checksum
	// costs little.
	frameLen = 256 << 10
	// frameHeaderLen is the length of the tag, the length and the checksum of a frame.
	frameHeaderLen = 12
	// lastFrame is set in the length of the last frame of a section.
	lastFrame uint32 = 1 << 31
)

// errColumnsFile reports that a file does not contain usable columns.
var errColumnsFile = errors.New("not a usable file of search columns")

func columnsFileError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errColumnsFile, fmt.Sprintf(format, args...))
}

// columnsHeader is the first section of a file.
type columnsHeader struct {
	database store.DatabaseID
	store    store.ID
	state    State
	memory   int64 // bytes that the columns take in memory
	written  int64 // when the file was written, in microseconds
}

func (h *columnsHeader) transfer(f *fieldCodec) {
	f.bytes16((*[16]byte)(&h.database))
	f.bytes16((*[16]byte)(&h.store))
	for _, field := range []*int64{&h.state.products, &h.state.categories, &h.state.attributes, &h.state.changedAt,
		&h.state.categoriesStamp, &h.state.attributesStamp, &h.memory, &h.written} {
		f.int64(field)
	}
}

// columnsSection is a section of a file. The function transfer writes the fields of the columns, or reads them, in the
// same order: see fieldCodec.
type columnsSection struct {
	tag      string // of four bytes
	transfer func(f *fieldCodec, c *searchColumns)
}

const (
	headerTag = "head"
	endTag    = "end."
)

// columnsSections lists the sections between the header and the end. What only refresh needs, such as sets.lookup, is
// not written: it is derived from the rest when it is first used. Neither is what summarize computes.
func columnsSections() []columnsSection {
	return []columnsSection{
		{"prod", func(f *fieldCodec, c *searchColumns) {
			transferList(f, &c.keys)
			transferList(f, &c.created)
			transferList(f, &c.textStarts)
			transferList(f, &c.firstVariants)
			transferList(f, &c.deleted)
			transferList(f, &c.rowsByKey)
			transferMap(f, &c.outOfOrder, f.int64, f.uint32)
			f.int(&c.deletedCount)
		}},
		{"cats", func(f *fieldCodec, c *searchColumns) { c.categories.transfer(f) }},
		{"popt", func(f *fieldCodec, c *searchColumns) { c.productOptions.transfer(f) }},
		{"sopt", func(f *fieldCodec, c *searchColumns) { c.stockedOptions.transfer(f) }},
		{"feat", transferFeatures},
		{"vari", func(f *fieldCodec, c *searchColumns) {
			transferList(f, &c.prices)
			transferList(f, &c.flags)
			c.variantOptions.transfer(f)
			f.int(&c.unusedVariants)
		}},
		{"comb", func(f *fieldCodec, c *searchColumns) { c.combinations.transfer(f) }},
		{"text", func(f *fieldCodec, c *searchColumns) {
			transferList(f, &c.text)
			f.int(&c.unusedText)
		}},
		{"word", func(f *fieldCodec, c *searchColumns) {
			transferRecords(f, &c.words, func(w *blockWords) {
				transferList(f, &w.starts)
				transferList(f, &w.ends)
				transferList(f, &w.rows)
				f.int(&w.staleCount)
				for i := range w.stale {
					bits := int64(w.stale[i])
					if f.int64(&bits); f.reads() {
						w.stale[i] = uint64(bits)
					}
				}
			})
		}},
		{"tree", func(f *fieldCodec, c *searchColumns) {
			c.tree.memberIDs.transfer(f)
			transferRecords(f, &c.tree.nodes, func(n *categoryNode) {
				f.bytes16((*[16]byte)(&n.id))
				f.text(&n.name)
				f.uint32(&n.parent)
				f.bool(&n.deleted)
			})
		}},
		{"attr", transferAttributes},
		{"vals", func(f *fieldCodec, c *searchColumns) {
			c.values.memberIDs.transfer(f)
			transferRecords(f, &c.values.byID, func(v *valueInfo) {
				f.int64(&v.attribute)
				f.bytes16((*[16]byte)(&v.id))
				f.text(&v.name)
				f.float64(&v.number)
				f.bool(&v.deleted)
			})
		}},
	}
}

func (c *setColumn) transfer(f *fieldCodec) {
	f.int(&c.width)
	transferList(f, &c.narrow)
	transferList(f, &c.middle)
	transferList(f, &c.wide)
	if f.reads() {
		c.sets = &sets{}
	}
	transferList(f, &c.members)
	transferList(f, &c.starts)
	transferList(f, &c.totals)
}

// transferFeatures transfers the columns of features. The shared columns are the last of them.
func transferFeatures(f *fieldCodec, c *searchColumns) {
	transferRecords(f, &c.features, func(column **setColumn) {
		if f.reads() {
			*column = &setColumn{}
		}
		(*column).transfer(f)
	})
	shared := len(c.shared)
	f.int(&shared)
	columns := map[int64]uint32{} // positions in features, by feature
	for key, column := range c.columnOf {
		columns[key] = uint32(slices.Index(c.features, column))
	}
	transferMap(f, &columns, f.int64, f.uint32)
	if !f.reads() || f.err != nil {
		return
	}
	if shared > len(c.features) {
		f.fail("%d of %d columns are shared", shared, len(c.features))
		return
	}
	c.shared = c.features[len(c.features)-shared:]
	for key, at := range columns {
		if int(at) >= len(c.features) {
			f.fail("a feature has column %d of %d", at, len(c.features))
			return
		}
		c.columnOf[key] = c.features[at]
	}
}

func transferAttributes(f *fieldCodec, c *searchColumns) {
	list := slices.SortedFunc(maps.Values(c.attributes), func(a, b *attribute) int { return cmp.Compare(a.key, b.key) })
	transferRecords(f, &list, func(one **attribute) {
		if f.reads() {
			*one = &attribute{}
		}
		a := *one
		f.int64(&a.key)
		f.bytes16((*[16]byte)(&a.id))
		f.text((*string)(&a.kind))
		f.text(&a.name)
		f.bool(&a.filterable)
		f.text((*string)(&a.fieldType))
		f.int64(&a.version)
	})
	if f.reads() {
		for _, a := range list {
			c.attributes[a.key] = a
		}
	}
}

// transfer transfers the keys and ids. Keys that were forgotten have no id.
func (v *memberIDs) transfer(f *fieldCodec) {
	transferList(f, &v.keys)
	var forgotten []bool
	if !f.reads() {
		forgotten = make([]bool, len(v.keys))
		for i, key := range v.keys {
			id, ok := v.ids[key]
			forgotten[i] = !ok || id != uint32(i)
		}
	}
	transferList(f, &forgotten)
	if !f.reads() || f.err != nil {
		return
	}
	if len(forgotten) != len(v.keys) {
		f.fail("%d keys, %d of them with a flag", len(v.keys), len(forgotten))
		return
	}
	v.ids = make(map[int64]uint32, len(v.keys))
	for i, key := range v.keys {
		if !forgotten[i] {
			v.ids[key] = uint32(i)
		}
	}
}

// check returns an error if the lengths of columns that were read do not fit together.
func (c *searchColumns) check() error {
	products := []int{len(c.created), len(c.textStarts), len(c.firstVariants), len(c.deleted), c.categories.rows(),
		c.productOptions.rows(), c.stockedOptions.rows(), len(c.rowsByKey) + len(c.outOfOrder)}
	for _, column := range c.features {
		products = append(products, column.rows())
	}
	for i, n := range products {
		if n != len(c.keys) {
			return columnsFileError("column %d has %d of %d products", i, n, len(c.keys))
		}
	}
	if len(c.flags) != len(c.prices) || c.variantOptions.rows() != len(c.prices) {
		return columnsFileError("the columns of variants have different lengths")
	}
	if len(c.words) != (len(c.keys)+blockLen-1)/blockLen || len(c.tree.nodes) != len(c.tree.keys) ||
		len(c.values.byID) != len(c.values.keys) || len(c.shared) == 0 {
		return columnsFileError("a table has the wrong length")
	}
	return nil
}

// writeColumns writes the header and the sections. After each frame it calls pause, and ends with its error if it
// returns one: the columns may have changed then.
func writeColumns(w io.Writer, header columnsHeader, c *searchColumns, pause func() error) error {
	if _, err := w.Write(binary.LittleEndian.AppendUint32([]byte(columnsMagic), columnsFormat)); err != nil {
		return err
	}
	f := &fieldCodec{out: w, pause: pause, frame: make([]byte, frameHeaderLen, frameHeaderLen+frameLen)}
	write := func(tag string, transfer func()) error {
		f.tag = tag
		transfer()
		f.flush(lastFrame)
		return f.err
	}
	if err := write(headerTag, func() { header.transfer(f) }); err != nil {
		return err
	}
	for _, section := range columnsSections() {
		if err := write(section.tag, func() { section.transfer(f, c) }); err != nil {
			return err
		}
	}
	return write(endTag, func() {})
}

// columnsReader reads columns from a file. The error wraps errColumnsFile if the file is not usable.
type columnsReader struct{ f *fieldCodec }

// newColumnsReader reads the header of a file of the given size.
func newColumnsReader(r io.Reader, size int64) (*columnsReader, columnsHeader, error) {
	var header columnsHeader
	start := make([]byte, len(columnsMagic)+4)
	if _, err := io.ReadFull(r, start); err != nil {
		return nil, header, readError(err)
	}
	if string(start[:len(columnsMagic)]) != columnsMagic {
		return nil, header, columnsFileError("it has another type")
	}
	if format := binary.LittleEndian.Uint32(start[len(columnsMagic):]); format != columnsFormat {
		return nil, header, columnsFileError("it has format %d, not %d", format, columnsFormat)
	}
	reader := &columnsReader{&fieldCodec{in: r, size: size, frame: make([]byte, 0, frameHeaderLen+frameLen)}}
	return reader, header, reader.section(headerTag, func() { header.transfer(reader.f) })
}

func (r *columnsReader) section(tag string, transfer func()) error {
	r.f.tag, r.f.ended = tag, false
	transfer()
	if r.f.err == nil && (len(r.f.unread) > 0 || !r.f.ended) && !r.f.endsEmpty() {
		r.f.fail("section %s is longer than expected", tag)
	}
	return r.f.err
}

// columns reads the sections after the header. The state of the columns is that of the header.
func (r *columnsReader) columns(header columnsHeader) (*searchColumns, error) {
	c := newColumns()
	for _, section := range columnsSections() {
		if err := r.section(section.tag, func() { section.transfer(r.f, c) }); err != nil {
			return nil, err
		}
	}
	if err := r.section(endTag, func() {}); err != nil {
		return nil, err
	}
	c.state = header.state
	if err := c.check(); err != nil {
		return nil, err
	}
	c.summarize()
	return c, nil
}

// fieldCodec either writes fields or reads them, so that one function describes both directions. After an error it
// does nothing. When it writes, queries use the same columns: nothing of these is assigned.
type fieldCodec struct {
	out io.Writer // nil if it reads
	in  io.Reader // nil if it writes
	tag string    // of the section
	err error
	// Only for writing: flush calls pause after each frame.
	pause func() error
	// frame is the frame that is being written, with its header, or the buffer of the frame that was read.
	frame []byte
	// Only for reading: unread is the rest of the frame, ended reports that it is the last one of the section, and size
	// is the size of the file, which bounds the length of lists.
	unread []byte
	ended  bool
	size   int64
}

func (f *fieldCodec) reads() bool { return f.in != nil }

func (f *fieldCodec) fail(format string, args ...any) {
	if f.err == nil {
		f.err = columnsFileError(format, args...)
	}
}

// readError turns the unexpected end of a file into errColumnsFile.
func readError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return columnsFileError("it is cut off")
	}
	return err
}

// flush writes the frame. flags is 0 or lastFrame.
func (f *fieldCodec) flush(flags uint32) {
	if f.err != nil {
		return
	}
	copy(f.frame, f.tag)
	binary.LittleEndian.PutUint32(f.frame[4:], uint32(len(f.frame)-frameHeaderLen)|flags)
	binary.LittleEndian.PutUint32(f.frame[8:], frameChecksum(f.frame[:8], f.frame[frameHeaderLen:]))
	_, f.err = f.out.Write(f.frame)
	f.frame = f.frame[:frameHeaderLen]
	if f.err == nil {
		f.err = f.pause()
	}
}

func frameChecksum(header, payload []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(header, table), table, payload)
}

// next reads the next frame of the section.
func (f *fieldCodec) next() {
	if f.ended {
		f.fail("section %s is shorter than expected", f.tag)
	}
	if f.err != nil {
		return
	}
	header := f.frame[:frameHeaderLen]
	if _, err := io.ReadFull(f.in, header); err != nil {
		f.err = readError(err)
		return
	}
	length := binary.LittleEndian.Uint32(header[4:])
	f.ended = length&lastFrame != 0
	length &^= lastFrame
	if string(header[:4]) != f.tag || length > frameLen {
		f.fail("section %s begins with %q, length %d", f.tag, header[:4], length)
		return
	}
	f.unread = f.frame[frameHeaderLen : frameHeaderLen+length]
	if _, err := io.ReadFull(f.in, f.unread); err != nil {
		f.err = readError(err)
		return
	}
	if frameChecksum(header[:8], f.unread) != binary.LittleEndian.Uint32(header[8:]) {
		f.fail("a checksum in section %s is wrong", f.tag)
	}
}

// endsEmpty reads the next frame, if there is one, and reports whether the section ends with it and it is empty.
func (f *fieldCodec) endsEmpty() bool {
	if len(f.unread) > 0 || f.ended {
		return false
	}
	f.next()
	return f.err != nil || (f.ended && len(f.unread) == 0)
}

// room returns the part of the frame for up to n elements of the given size: at least one if n is not 0. Elements are
// never split between two frames. It returns nil after an error.
func (f *fieldCodec) room(n, size int) []byte {
	if f.reads() {
		for len(f.unread) == 0 && f.err == nil {
			f.next()
		}
		length := min(n, len(f.unread)/size) * size
		if length == 0 {
			f.fail("an element is split between two frames of section %s", f.tag)
		}
		if f.err != nil {
			return nil
		}
		part := f.unread[:length]
		f.unread = f.unread[length:]
		return part
	}
	if cap(f.frame)-len(f.frame) < size {
		f.flush(0)
	}
	if f.err != nil {
		return nil
	}
	from := len(f.frame)
	f.frame = f.frame[:from+min(n, (cap(f.frame)-from)/size)*size]
	return f.frame[from:]
}

func (f *fieldCodec) int64(v *int64) {
	b := f.room(1, 8)
	switch {
	case b == nil:
	case f.reads():
		*v = int64(binary.LittleEndian.Uint64(b))
	default:
		binary.LittleEndian.PutUint64(b, uint64(*v))
	}
}

func (f *fieldCodec) int(v *int) {
	n := int64(*v)
	f.int64(&n)
	if f.reads() {
		*v = int(n)
	}
}

func (f *fieldCodec) uint32(v *uint32) {
	n := int64(*v)
	f.int64(&n)
	if f.reads() {
		*v = uint32(n)
	}
}

func (f *fieldCodec) bool(v *bool) {
	b := f.room(1, 1)
	switch {
	case b == nil:
	case f.reads():
		*v = b[0] != 0
	case *v:
		b[0] = 1
	default:
		b[0] = 0
	}
}

func (f *fieldCodec) float64(v *float64) {
	n := int64(math.Float64bits(*v))
	f.int64(&n)
	if f.reads() {
		*v = math.Float64frombits(uint64(n))
	}
}

func (f *fieldCodec) bytes16(v *[16]byte) {
	b := f.room(1, 16)
	switch {
	case b == nil:
	case f.reads():
		copy(v[:], b)
	default:
		copy(b, v[:])
	}
}

func (f *fieldCodec) text(v *string) {
	b := []byte(*v)
	transferList(f, &b)
	if f.reads() {
		*v = string(b)
	}
}

// length transfers the length of a list whose elements take at least the given number of bytes in the file.
func (f *fieldCodec) length(n, size int) int {
	f.int(&n)
	if f.err == nil && (n < 0 || int64(n) > f.size/int64(size)) && f.reads() {
		f.fail("a list in section %s has %d elements", f.tag, n)
	}
	if f.err != nil {
		return 0
	}
	return n
}

// transferList transfers a list of numbers. A list that is read has a little spare capacity, like one of cluster.
func transferList[T bool | uint8 | uint16 | uint32 | int64](f *fieldCodec, list *[]T) {
	var zero T
	size := binary.Size(zero)
	n := f.length(len(*list), size)
	if f.reads() {
		*list = nil
		if n > 0 {
			*list = make([]T, n, n+n/32)
		}
	}
	for rest := (*list)[:n]; len(rest) > 0 && f.err == nil; {
		part := f.room(len(rest), size)
		f.transferPart(part, any(rest[:len(part)/size]))
		rest = rest[len(part)/size:]
	}
}

// transferPart transfers the elements of a slice to or from b, which has room for exactly these.
func (f *fieldCodec) transferPart(b []byte, list any) {
	little := binary.LittleEndian
	switch list := list.(type) {
	case []uint8:
		if f.reads() {
			copy(list, b)
		} else {
			copy(b, list)
		}
	case []bool:
		for i := range list {
			switch {
			case f.reads():
				list[i] = b[i] != 0
			case list[i]:
				b[i] = 1
			default:
				b[i] = 0
			}
		}
	case []uint16:
		for i := range list {
			if f.reads() {
				list[i] = little.Uint16(b[2*i:])
			} else {
				little.PutUint16(b[2*i:], list[i])
			}
		}
	case []uint32:
		for i := range list {
			if f.reads() {
				list[i] = little.Uint32(b[4*i:])
			} else {
				little.PutUint32(b[4*i:], list[i])
			}
		}
	case []int64:
		for i := range list {
			if f.reads() {
				list[i] = int64(little.Uint64(b[8*i:]))
			} else {
				little.PutUint64(b[8*i:], uint64(list[i]))
			}
		}
	}
}

// transferRecords transfers a list of records. The function transfer transfers one of them.
func transferRecords[T any](f *fieldCodec, list *[]T, transfer func(*T)) {
	n := f.length(len(*list), 1)
	if f.reads() {
		*list = make([]T, n, n+n/32)
	}
	for i := range (*list)[:n] {
		transfer(&(*list)[i])
	}
}

func transferMap[K cmp.Ordered, V any](f *fieldCodec, table *map[K]V, key func(*K), value func(*V)) {
	keys := slices.Sorted(maps.Keys(*table))
	n := f.length(len(keys), 1)
	if f.reads() {
		*table = make(map[K]V, n)
		keys = make([]K, n)
	}
	for _, k := range keys[:n] {
		v := (*table)[k]
		key(&k)
		value(&v)
		if f.reads() {
			(*table)[k] = v
		}
	}
}
