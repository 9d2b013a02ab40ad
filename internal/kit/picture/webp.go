package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"
	"slices"
)

// Flags of the VP8X chunk.
const (
	webpAnimated = 1 << 1
	webpAlpha    = 1 << 4
	webpProfile  = 1 << 5
)

const (
	// A lossless image has up to maxWebPGroups groups of five prefix codes; the decoder refuses more. A group takes
	// webpGroupBytes, and in the file at least 20 bits. Its trees take up to maxWebPTreeBytes, and for each byte of the
	// file up to webpTreeBytes: a repetition of three bits stands for six symbols with 16 bytes each.
	maxWebPGroups, webpGroupBytes   = 2600, 2700
	webpTreeBytes, maxWebPTreeBytes = 256, 16 * (280 + 2048 + 3*256 + 40)
)

// webpFile holds the parts of a WebP.
type webpFile struct {
	extended      bool
	flags         byte // flags, width and height are from the VP8X chunk
	width, height int
	profile       iccProfile
	still         webpImageData
	animation     []byte // the ANIM chunk and the ANMF chunks of the frames
	frames        int
	firstFrame    webpFrame
}

// webpImageData holds the chunks of one image: VP8L, or VP8 with an optional ALPH before it.
type webpImageData struct {
	chunks          []byte
	alpha, complete bool
}

// webpFrame is a frame of an animation with its position on the canvas.
type webpFrame struct {
	webpImageData
	x, y, width, height int
}

// parseWebP splits a WebP into its parts and drops everything that is not part of the image: EXIF, XMP, unknown chunks,
// and all bytes after the end.
func parseWebP(b []byte) (*webpFile, error) {
	end := int64(binary.LittleEndian.Uint32(b[4:])) + 8
	if end > int64(len(b)) {
		return nil, errTruncated
	}
	f := &webpFile{}
	if err := eachRIFFChunk(b[formatHeaderSize:max(end, formatHeaderSize)], f.addChunk); err != nil {
		return nil, err
	}
	if f.isAnimated() && f.frames == 0 || !f.isAnimated() && !f.still.complete {
		return nil, errStructure
	}
	return f, nil
}

func (f *webpFile) addChunk(name string, data []byte) error {
	switch name {
	case "VP8X":
		return f.readVP8X(data)
	case "ICCP":
		f.profile = validProfile(data)
	case "ANIM":
		if len(data) == 6 && f.animation == nil {
			f.animation = appendRIFFChunk(nil, name, data)
		}
	case "ANMF":
		return f.addFrame(data)
	default:
		f.still.add(name, data)
	}
	return nil
}

// eachRIFFChunk calls fn for each chunk in b.
func eachRIFFChunk(b []byte, fn func(name string, data []byte) error) error {
	for len(b) > 0 {
		if len(b) < 8 {
			return errTruncated
		}
		length := int64(binary.LittleEndian.Uint32(b[4:]))
		if 8+length > int64(len(b)) {
			return errTruncated
		}
		if err := fn(string(b[:4]), b[8:8+length]); err != nil {
			return err
		}
		b = b[min(8+length+length%2, int64(len(b))):]
	}
	return nil
}

func appendRIFFChunk(out []byte, name string, data []byte) []byte {
	out = binary.LittleEndian.AppendUint32(append(out, name...), uint32(len(data)))
	out = append(out, data...)
	if len(data)%2 == 1 {
		out = append(out, 0)
	}
	return out
}

// add appends a chunk if the image needs this chunk next, and ignores it otherwise.
func (p *webpImageData) add(name string, data []byte) {
	switch {
	case p.complete:
	case name == "ALPH" && !p.alpha:
		p.alpha = true
		p.chunks = appendRIFFChunk(p.chunks, name, data)
	case name == "VP8 ", name == "VP8L" && !p.alpha:
		p.complete = true
		p.chunks = appendRIFFChunk(p.chunks, name, data)
	}
}

func (f *webpFile) isAnimated() bool { return f.flags&webpAnimated != 0 }

func (f *webpFile) readVP8X(data []byte) error {
	if len(data) != 10 || f.extended || f.still.chunks != nil {
		return errStructure
	}
	f.extended = true
	f.flags = data[0] & (webpAnimated | webpAlpha)
	f.width, f.height = uint24(data[4:])+1, uint24(data[7:])+1
	return nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func appendUint24(b []byte, v int) []byte { return append(b, byte(v), byte(v>>8), byte(v>>16)) }

// addFrame handles an ANMF chunk: it copies the position, the duration and the image data of a frame.
func (f *webpFile) addFrame(data []byte) error {
	const frameHeaderSize = 16
	if len(data) < frameHeaderSize || !f.isAnimated() {
		return errStructure
	}

	fr := webpFrame{x: 2 * uint24(data), y: 2 * uint24(data[3:]), width: uint24(data[6:]) + 1,
		height: uint24(data[9:]) + 1}
	if fr.x+fr.width > f.width || fr.y+fr.height > f.height {
		return errStructure
	}

	f.frames++
	if err := checkAnimationLimits(f.frames, f.width, f.height); err != nil {
		return err
	}

	err := eachRIFFChunk(data[frameHeaderSize:], func(name string, data []byte) error {
		fr.add(name, data)
		return nil
	})
	if err != nil {
		return err
	}
	if !fr.complete {
		return errStructure
	}

	if f.frames == 1 {
		f.firstFrame = fr
	}

	f.animation = appendRIFFChunk(f.animation, "ANMF", append(data[:frameHeaderSize:frameHeaderSize], fr.chunks...))
	return nil
}

// assemble returns the clean file.
func (f *webpFile) assemble() []byte {
	if !f.extended {
		return riffFile(f.still.chunks)
	}
	flags := f.flags
	var profile []byte
	if f.profile != nil {
		flags |= webpProfile
		profile = appendRIFFChunk(nil, "ICCP", f.profile)
	}
	pixels := f.still.chunks
	if f.isAnimated() {
		pixels = f.animation
	}
	return riffFile(vp8xChunk(flags, f.width, f.height), profile, pixels)
}

// asFile returns the frame as a still WebP file.
func (fr *webpFrame) asFile() []byte {
	if !fr.alpha {
		return riffFile(fr.chunks)
	}
	return riffFile(vp8xChunk(webpAlpha, fr.width, fr.height), fr.chunks)
}

func vp8xChunk(flags byte, width, height int) []byte {
	data := appendUint24(appendUint24([]byte{flags, 0, 0, 0}, width-1), height-1)
	return appendRIFFChunk(nil, "VP8X", data)
}

func riffFile(parts ...[]byte) []byte {
	chunks := slices.Concat(parts...)
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len("WEBP")+len(chunks)))
	return append(append(out, "WEBP"...), chunks...)
}

// probeWebP reads the header of a WebP, which webp.DecodeConfig has checked. A WebP with a VP8X chunk may hold
// anything.
func probeWebP(r io.Reader, size image.Config, length int64) (memoryUse, error) {
	var b [formatHeaderSize + 4]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return memoryUse{}, err
	}
	switch string(b[formatHeaderSize:]) {
	case "VP8 ":
		return lossyWebPMemory(size), nil
	case "VP8L":
		return losslessWebPMemory(size, length), nil
	}
	return onCanvas(size, alphaWebPMemory(size, length)), nil
}

// memoryUse returns what decoding the image, or the first frame of the animation, takes.
func (f *webpFile) memoryUse(size image.Config) memoryUse {
	data := f.still
	if f.isAnimated() {
		data = f.firstFrame.webpImageData
	}

	var use memoryUse
	switch length := int64(len(data.chunks)); {
	case data.alpha:
		use = alphaWebPMemory(size, length)
	case bytes.HasPrefix(data.chunks, []byte("VP8L")):
		use = losslessWebPMemory(size, length)
	default:
		use = lossyWebPMemory(size)
	}

	if f.isAnimated() {
		use = onCanvas(size, use)
	}

	return use
}

// lossyWebPMemory is for a lossy image: 1.5 bytes per pixel, in blocks of 16 × 16 pixels.
func lossyWebPMemory(size image.Config) memoryUse {
	return perPixel(image.Config{Width: (size.Width + 15) &^ 15, Height: (size.Height + 15) &^ 15}, 2, 2)
}

// losslessWebPMemory is for a lossless image: four bytes per pixel, twice while a palette is applied, and less than
// one for what belongs to tiles of 4 × 4 pixels.
func losslessWebPMemory(size image.Config, length int64) memoryUse {
	use := perPixel(size, 9, 4)
	use.decoding += min(maxWebPGroups, length*8/20+1)*webpGroupBytes +
		min(maxWebPGroups*maxWebPTreeBytes, length*webpTreeBytes)
	return use
}

// alphaWebPMemory is for a lossy image whose alpha channel is a lossless image.
func alphaWebPMemory(size image.Config, length int64) memoryUse {
	colours := lossyWebPMemory(size)
	alpha := losslessWebPMemory(size, length)
	return memoryUse{decoding: colours.decoding + alpha.decoding, image: colours.image + alpha.image}
}

// onCanvas adds the canvas of an animation.
func onCanvas(size image.Config, use memoryUse) memoryUse {
	canvas := perPixel(size, 4, 4)
	return memoryUse{decoding: use.decoding + canvas.decoding, image: use.image + canvas.image}
}
