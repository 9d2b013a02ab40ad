package search

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"
)

const (
	// frameLen is the maximum length of the payload of a frame. A frame fits into the CPU cache, so that its checksum
	// costs little.
	frameLen = 256 << 10
	// frameHeaderLen is the length of the tag, the length and the checksum of a frame.
	frameHeaderLen = 12
	// lastFrame is set in the length of the last frame of a section.
	lastFrame uint32 = 1 << 31
)

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
