package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// isKeptPNGChunk reports a chunk of a PNG that is kept as it is, if it has a length that it can have: what its colours mean, and how
// large it is on paper.
func isKeptPNGChunk(name string, length int) bool {
	switch name {
	case "PLTE":
		return length%3 == 0 && length <= 3*256
	case "tRNS":
		return length <= 256
	case "bKGD":
		return length <= 6
	case "sBIT":
		return length <= 4
	case "gAMA", "cICP":
		return length == 4
	case "cLLI":
		return length == 8
	case "pHYs":
		return length == 9
	case "mDCV":
		return length == 24
	case "cHRM":
		return length == 32
	case "sRGB":
		return length == 1
	}
	return false
}

// pngHeader is the IHDR chunk.
type pngHeader struct {
	width, height int
	bitsPerPixel  int64 // a pixel
	raw           []byte
}

// pngFile is a PNG being taken apart and put together again.
type pngFile struct {
	header      pngHeader
	out         []byte
	profile     iccProfile
	idat        []byte // the data of the picture itself, packed
	idatWritten bool   // it has been written
	// An animation is written anew, with its own numbers.
	frames       int // how many it says that it has; 0 for a still picture
	framesSeen   int
	frameControl []byte // the frame that data belongs to; nil before the first
	frameIDAT    []byte // its data, packed
	sequence     uint32
}

// parsePNG takes a PNG apart and leaves out what is no part of the picture: texts, dates, chunks that it does not know, bytes behind the
// pixels, and all behind the end.
func parsePNG(b []byte) (*pngFile, error) {
	f := &pngFile{out: []byte(pngSignature)}
	for at := len(pngSignature); ; {
		name, data, next, err := readPNGChunk(b, at)
		if err != nil {
			return nil, err
		}
		at = next
		if (name == "IHDR") != (f.header.raw == nil) {
			return nil, errStructure // it stands first, and once
		}
		if err := f.addChunk(name, data); err != nil {
			return nil, err
		}
		if name == "IEND" {
			return f, nil
		}
	}
}

// readPNGChunk reads a chunk and holds it against its checksum.
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
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	out = binary.BigEndian.AppendUint32(out, uint32(length))
	start := len(out)
	out = append(out, name...)
	for _, p := range parts {
		out = append(out, p...)
	}
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
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
	channels := int64(4) // more than a pixel has is no harm here
	switch data[9] {
	case 0, 3: // grey, a palette
		channels = 1
	case 4:
		channels = 2
	}
	h.bitsPerPixel = channels * int64(data[8])
	return h
}

// addProfile keeps a colour profile under a name that tells nothing; its packed form is made anew.
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
	_, _ = z.Write(p) // into memory
	_ = z.Close()
	return appendPNGChunk(out, "iCCP", []byte("icc\x00\x00"), compressed.Bytes())
}

// writeIDAT writes the data of the picture itself.
func (f *pngFile) writeIDAT() error {
	data, err := f.trimZlib(f.idat, f.header.width, f.header.height)
	if err != nil {
		return err
	}
	f.idatWritten = true
	f.out = appendPNGChunk(f.out, "IDAT", data)
	return nil
}

// trimZlib cuts what stands behind a packed stream of so many pixels. A stream that holds more is refused before it is unpacked whole.
func (f *pngFile) trimZlib(compressed []byte, width, height int) ([]byte, error) {
	// A row has a byte before its pixels; of an interlaced picture there are up to twice the rows, each rounded up to a byte.
	limit := int64(height)*((int64(width)*f.header.bitsPerPixel+7)/8+4) + 16*int64(width+16)
	r := bytes.NewReader(compressed)
	z, err := zlib.NewReader(r) // reads byte by byte, so it takes no more than the stream
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(z, limit+1))
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, errors.New("it holds more than its pixels")
	}
	return compressed[:len(compressed)-r.Len()], nil
}

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
