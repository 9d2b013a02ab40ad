package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxZstdBlock is the largest block of a zstd frame.
const maxZstdBlock = 128 << 10

// zstdHead returns the header of a zstd frame with a window of 2^log bytes.
func zstdHead(log int) []byte { return []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte(log-10) << 3} }

// zstdBlock returns a block of a zstd frame. Kind 0 is a raw block, and kind 1 repeats the one byte of content.
func zstdBlock(kind, size int, last bool, content string) []byte {
	head := size<<3 | kind<<1
	if last {
		head |= 1
	}
	return append([]byte{byte(head), byte(head >> 8), byte(head >> 16)}, content...)
}

// zstdWindow returns the beginning of a frame that declares a window of 2^log bytes and contains 60 KiB of blanks.
func zstdWindow(log int) []byte {
	return slices.Concat(zstdHead(log), bytes.Repeat(zstdBlock(1, 1<<10, false, " "), 60))
}

// zstdBomb returns a frame that decompresses to the text and blanks after it, rounded up to whole blocks.
func zstdBomb(text string, blanks int) []byte {
	return slices.Concat(zstdHead(20), zstdBlock(0, len(text), false, text),
		bytes.Repeat(zstdBlock(1, maxZstdBlock, false, " "), blanks/maxZstdBlock),
		zstdBlock(1, maxZstdBlock, true, " "))
}

// zstdComplete returns a frame that decompresses to the text, which may have up to 128 KiB.
func zstdComplete(text string) []byte {
	return slices.Concat(zstdHead(20), zstdBlock(0, len(text), true, text))
}

// gzipped returns the compressed output of write.
func gzipped(write func(w io.Writer)) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	write(w)
	_ = w.Close() // a buffer accepts everything
	return b.Bytes()
}

// headerLines returns short header lines, which cost the parser many times their length.
func headerLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%05x:\r\n", i)
	}
	return b.String()
}

// writeMembers writes an object with members that no operation knows.
func writeMembers(w io.Writer, n int) {
	_, _ = io.WriteString(w, `{"name":"x"`)
	for i := range n {
		fmt.Fprintf(w, `,"%06x":0`, i)
	}
	_, _ = io.WriteString(w, "}")
}

// scanBomb returns a progressive grey JPEG with a DC scan and n AC scans that change nothing. Each of these has an
// end-of-band run for every 32,767 blocks, and so takes a few bytes, but a decoder visits all blocks.
func scanBomb(width, height uint16, n int) []byte {
	segment := func(marker byte, content string) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(content)+2)), content...)
	}

	// One DC code and one AC code of one bit: the DC difference 0, and the end-of-band run of 14 additional bits.
	table := func(class, symbol byte) string {
		return string(append(append([]byte{class, 1}, make([]byte, 15)...), symbol))
	}
	frame := string(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte{8}, height), width))
	blocks := (int(width) + 7) / 8 * ((int(height) + 7) / 8)
	var dc, ac jpegBits
	for range blocks {
		dc.put(0, 1)
	}

	for rest := blocks; rest > 0; rest -= 32767 {
		ac.put(0, 1)
		ac.put(uint32(min(rest, 32767)-1<<14)&(1<<14-1), 14)
	}

	scan := slices.Concat(segment(0xda, "\x01\x01\x00\x01\x3f\x00"), ac.bytes())
	return slices.Concat([]byte("\xff\xd8"), segment(0xdb, "\x00"+strings.Repeat("\x01", 64)),
		segment(0xc2, frame+"\x01\x01\x11\x00"), segment(0xc4, table(0x00, 0)), segment(0xc4, table(0x10, 0xe0)),
		segment(0xda, "\x01\x01\x00\x00\x00\x00"), dc.bytes(), bytes.Repeat(scan, n), []byte("\xff\xd9"))
}

// jpegBits writes values with the highest bit first, as JPEG does.
type jpegBits struct {
	b []byte
	n int
}

func (s *jpegBits) put(v uint32, n int) {
	for i := n - 1; i >= 0; i-- {
		if s.n%8 == 0 {
			s.b = append(s.b, 0)
		}
		s.b[s.n/8] |= byte(v>>i&1) << (7 - s.n%8)
		s.n++
	}
}

// bytes returns the entropy-coded bytes, filled up with one bits.
func (s *jpegBits) bytes() []byte {
	for s.n%8 != 0 {
		s.put(1, 1)
	}
	return bytes.ReplaceAll(s.b, []byte{0xff}, []byte{0xff, 0})
}
