package picture

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"io"
	"slices"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// keptPNGChunks are the chunks that are copied unchanged, with their valid lengths. They define colours, transparency
// and physical size.
var keptPNGChunks = map[string]struct{ min, max int }{
	"PLTE": {0, 3 * 256}, "tRNS": {0, 256}, "bKGD": {0, 6}, "sBIT": {0, 4}, "gAMA": {4, 4}, "cICP": {4, 4},
	"cLLI": {8, 8}, "pHYs": {9, 9}, "mDCV": {24, 24}, "cHRM": {32, 32}, "sRGB": {1, 1},
}

func isKeptPNGChunk(name string, length int) bool {
	valid, kept := keptPNGChunks[name]
	return kept && length >= valid.min && length <= valid.max && (name != "PLTE" || length%3 == 0)
}

// pngHeader is a parsed IHDR chunk.
type pngHeader struct {
	width, height int
	bitsPerPixel  int64
	interlaced    bool
	raw           []byte
}

// probePNG reads the header of a PNG, which png.DecodeConfig has checked.
func probePNG(r io.Reader) (memoryUse, error) {
	const before = len(pngSignature) + 8
	var b [before + 13]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return memoryUse{}, err
	}
	h := parseIHDR(b[before:])
	return perPixel(image.Config{Width: h.width, Height: h.height}, h.decodeBytes(), h.imageBytes()), nil
}

// imageBytes returns the memory per pixel of the decoded image: eight bytes if a channel has 16 bits, one for grey and
// palettes, else four. Grey with a transparent colour is decoded with four channels.
func (h pngHeader) imageBytes() int64 {
	switch depth, colours := h.raw[8], h.raw[9]; {
	case depth == 16:
		return 8
	case colours == 3:
		return 1
	}
	return 4
}

// decodeBytes returns an upper bound of the memory per pixel while the image is decoded. Each pass of an interlaced
// image is an image of its own, of up to half the pixels.
func (h pngHeader) decodeBytes() int64 {
	if h.interlaced {
		return h.imageBytes() + (h.imageBytes()+1)/2
	}
	return h.imageBytes()
}

// pngFile holds the state while a PNG is rewritten.
type pngFile struct {
	ctx         context.Context // ends the decompression of pixels
	header      pngHeader
	out         []byte
	profile     iccProfile
	idat        []byte // zlib stream of the default image, from all IDAT chunks
	idatWritten bool   // idat has been written to out
	// The fields below are for animations (APNG). The output gets new sequence numbers.
	frames       int // the number of frames that acTL declares; 0 for a still image
	framesSeen   int
	frameControl []byte // the last fcTL chunk; nil before the first
	frameIDAT    []byte // zlib stream of that frame, from its fdAT chunks
	sequence     uint32
}

// parsePNG rewrites a PNG and drops everything that is not part of the image: texts, dates, unknown chunks, bytes after
// the zlib streams of pixels, and all bytes after IEND.
func parsePNG(ctx context.Context, b []byte) (*pngFile, error) {
	f := &pngFile{ctx: ctx, out: []byte(pngSignature)}
	for at := len(pngSignature); ; {
		name, data, next, err := readPNGChunk(b, at)
		if err != nil {
			return nil, err
		}

		at = next
		if (name == "IHDR") != (f.header.raw == nil) {
			return nil, errStructure // IHDR must be the first chunk and occur once
		}
		if err := f.addChunk(name, data); err != nil {
			return nil, err
		}
		if name == "IEND" {
			return f, nil
		}
	}
}

// readPNGChunk reads the chunk that starts at b[at], and checks its CRC. The result next is the position after the
// chunk.
func readPNGChunk(b []byte, at int) (name string, data []byte, next int, err error) {
	if at+12 > len(b) {
		return "", nil, 0, errTruncated
	}
	length := int64(binary.BigEndian.Uint32(b[at:]))
	end := int64(at) + 8 + length
	if end+4 > int64(len(b)) {
		return "", nil, 0, errTruncated
	}
	if crc32.ChecksumIEEE(b[at+4:end]) != binary.BigEndian.Uint32(b[end:]) {
		return "", nil, 0, errors.New("a checksum is wrong")
	}
	return string(b[at+4 : at+8]), b[at+8 : end], int(end) + 4, nil
}

func appendPNGChunk(out []byte, name string, parts ...[]byte) []byte {
	chunk := slices.Concat(append([][]byte{[]byte(name)}, parts...)...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-len(name)))
	out = append(out, chunk...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
}

func (f *pngFile) addChunk(name string, data []byte) error {
	switch name {
	case "IHDR":
		if len(data) != 13 {
			return errStructure
		}
		f.header = parseIHDR(data)
		f.out = appendPNGChunk(f.out, name, data)
	case "iCCP":
		if f.profile == nil && f.idat == nil {
			f.addProfile(data)
		}
	case "IDAT":
		f.idat = append(f.idat, data...)
	case "acTL":
		return f.startAnimation(data)
	case "fcTL":
		if f.frames > 0 {
			return f.startFrame(data)
		}
	case "fdAT":
		if f.frames > 0 {
			return f.addFrameData(data)
		}
	case "IEND":
		return f.finish()
	default:
		if isKeptPNGChunk(name, len(data)) && f.idat == nil {
			f.out = appendPNGChunk(f.out, name, data)
		}
	}

	return nil
}

func parseIHDR(data []byte) pngHeader {
	h := pngHeader{width: int(binary.BigEndian.Uint32(data)), height: int(binary.BigEndian.Uint32(data[4:])), raw: data}
	channels := int64(4) // the maximum; trimZlib needs only an upper bound
	switch data[9] {
	case 0, 3: // grey, a palette
		channels = 1
	case 4:
		channels = 2
	}
	h.bitsPerPixel = channels * int64(data[8])
	h.interlaced = data[12] != 0
	return h
}

// addProfile copies a colour profile. It compresses the profile again and gives it a fixed name, since the original
// name may contain text.
func (f *pngFile) addProfile(data []byte) {
	_, compressed, ok := bytes.Cut(data, []byte{0})
	if !ok || len(compressed) < 1 {
		return
	}
	z, err := zlib.NewReader(bytes.NewReader(compressed[1:]))
	if err != nil {
		return
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxProfileBytes+1))
	if err != nil {
		return
	}
	if f.profile = validProfile(plain); f.profile != nil {
		f.out = appendICCPChunk(f.out, f.profile)
	}
}

func appendICCPChunk(out []byte, p iccProfile) []byte {
	var compressed bytes.Buffer
	z := zlib.NewWriter(&compressed)
	_, _ = z.Write(p) // writing to memory cannot fail
	_ = z.Close()
	return appendPNGChunk(out, "iCCP", []byte("icc\x00\x00"), compressed.Bytes())
}

// writeIDAT writes the default image.
func (f *pngFile) writeIDAT() error {
	data, err := f.trimZlib(f.idat, f.header.width, f.header.height)
	if err != nil {
		return err
	}
	f.idatWritten = true
	f.out = appendPNGChunk(f.out, "IDAT", data)
	return nil
}

// trimZlib returns the zlib stream of an image of the given size without the bytes that follow it. It returns an error
// for a stream that contains more than the pixels, without decompressing all of it.
func (f *pngFile) trimZlib(compressed []byte, width, height int) ([]byte, error) {
	// Each row starts with a filter byte. An interlaced image has up to twice as many rows, each with a filter byte and
	// rounded up to whole bytes. The constants leave room for these additional bytes.
	limit := int64(height)*((int64(width)*f.header.bitsPerPixel+7)/8+4) + 16*int64(width+16)
	r := bytes.NewReader(compressed)
	z, err := zlib.NewReader(r) // a bytes.Reader is an io.ByteReader, so zlib reads nothing after the stream
	if err != nil {
		return nil, err
	}

	n, err := io.Copy(interruptibleDiscard{f.ctx}, io.LimitReader(z, limit+1))
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, errors.New("it holds more than its pixels")
	}

	return compressed[:len(compressed)-r.Len()], nil
}

// interruptibleDiscard discards what is written to it, until ctx ends.
type interruptibleDiscard struct{ ctx context.Context }

func (d interruptibleDiscard) Write(p []byte) (int, error) { return len(p), d.ctx.Err() }

func (f *pngFile) finish() error {
	if err := f.endFrame(); err != nil {
		return err
	}
	if f.framesSeen != f.frames {
		return errStructure
	}
	f.out = appendPNGChunk(f.out, "IEND")
	return nil
}
