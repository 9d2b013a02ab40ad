package picture

import "encoding/binary"

// The flags of an extended WebP.
const (
	webpAnimated = 1 << 1
	webpAlpha    = 1 << 4
	webpProfile  = 1 << 5
)

// webpFile is a WebP taken apart.
type webpFile struct {
	extended      bool
	flags         byte // of the extended form, and so are the next two
	width, height int
	profile       profile
	still         webpPixels
	animation     []byte // the chunk that says how the frames are repeated, and the frames
	frames        int
	first         webpFrame
}

// webpPixels are the chunks that make a picture: one, or what shines through and what is painted.
type webpPixels struct {
	chunks      []byte
	alpha, done bool
}

// webpFrame is a frame of an animation.
type webpFrame struct {
	webpPixels
	x, y, width, height int
}

// parseWebP takes a WebP apart and leaves out what is no part of the picture: EXIF, XMP, chunks that it does not know, and all behind
// the end.
func parseWebP(b []byte) (*webpFile, error) {
	end := int64(binary.LittleEndian.Uint32(b[4:])) + 8
	if end > int64(len(b)) {
		return nil, errCut
	}
	f := &webpFile{}
	if err := eachChunk(b[formatHead:max(end, formatHead)], f.chunk); err != nil {
		return nil, err
	}
	if f.animated() && f.frames == 0 || !f.animated() && !f.still.done {
		return nil, errForm
	}
	return f, nil
}

func (f *webpFile) chunk(name string, data []byte) error {
	switch name {
	case "VP8X":
		return f.extend(data)
	case "ICCP":
		f.profile = readProfile(data)
	case "ANIM":
		if len(data) == 6 && f.animation == nil {
			f.animation = appendRIFF(nil, name, data)
		}
	case "ANMF":
		return f.frame(data)
	default:
		f.still.add(name, data)
	}
	return nil
}

// eachChunk walks over chunks.
func eachChunk(b []byte, fn func(name string, data []byte) error) error {
	for len(b) > 0 {
		if len(b) < 8 {
			return errCut
		}
		length := int64(binary.LittleEndian.Uint32(b[4:]))
		if 8+length > int64(len(b)) {
			return errCut
		}
		if err := fn(string(b[:4]), b[8:8+length]); err != nil {
			return err
		}
		b = b[min(8+length+length%2, int64(len(b))):]
	}
	return nil
}

func appendRIFF(out []byte, name string, data []byte) []byte {
	out = binary.LittleEndian.AppendUint32(append(out, name...), uint32(len(data)))
	out = append(out, data...)
	if len(data)%2 == 1 {
		out = append(out, 0)
	}
	return out
}

// add takes a chunk if it is the next that makes the picture.
func (p *webpPixels) add(name string, data []byte) {
	switch {
	case p.done:
	case name == "ALPH" && !p.alpha:
		p.alpha = true
		p.chunks = appendRIFF(p.chunks, name, data)
	case name == "VP8 ", name == "VP8L" && !p.alpha:
		p.done = true
		p.chunks = appendRIFF(p.chunks, name, data)
	}
}

func (f *webpFile) animated() bool { return f.flags&webpAnimated != 0 }

func (f *webpFile) extend(data []byte) error {
	if len(data) != 10 || f.extended || f.still.chunks != nil {
		return errForm
	}
	f.extended, f.flags = true, data[0]&(webpAnimated|webpAlpha)
	f.width, f.height = uint24(data[4:])+1, uint24(data[7:])+1
	return nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func appendUint24(b []byte, v int) []byte { return append(b, byte(v), byte(v>>8), byte(v>>16)) }

// frame keeps a frame: its place, its time and its pixels.
func (f *webpFile) frame(data []byte) error {
	const head = 16
	if len(data) < head || !f.animated() {
		return errForm
	}
	fr := webpFrame{x: 2 * uint24(data), y: 2 * uint24(data[3:]), width: uint24(data[6:]) + 1, height: uint24(data[9:]) + 1}
	if fr.x+fr.width > f.width || fr.y+fr.height > f.height {
		return errForm
	}
	f.frames++
	if err := checkAnimation(f.frames, f.width, f.height); err != nil {
		return err
	}
	err := eachChunk(data[head:], func(name string, data []byte) error {
		fr.add(name, data)
		return nil
	})
	if err != nil {
		return err
	}
	if !fr.done {
		return errForm
	}
	if f.frames == 1 {
		f.first = fr
	}
	f.animation = appendRIFF(f.animation, "ANMF", append(data[:head:head], fr.chunks...))
	return nil
}

// bytes puts the picture together again.
func (f *webpFile) bytes() []byte {
	if !f.extended {
		return riff(f.still.chunks)
	}
	flags := f.flags
	var profile []byte
	if f.profile != nil {
		flags |= webpProfile
		profile = appendRIFF(nil, "ICCP", f.profile)
	}
	pixels := f.still.chunks
	if f.animated() {
		pixels = f.animation
	}
	return riff(extendedHead(flags, f.width, f.height), profile, pixels)
}

// file is the frame as a still picture.
func (fr *webpFrame) file() []byte {
	if !fr.alpha {
		return riff(fr.chunks)
	}
	return riff(extendedHead(webpAlpha, fr.width, fr.height), fr.chunks)
}

func extendedHead(flags byte, width, height int) []byte {
	data := appendUint24(appendUint24([]byte{flags, 0, 0, 0}, width-1), height-1)
	return appendRIFF(nil, "VP8X", data)
}

func riff(parts ...[]byte) []byte {
	length := len("WEBP")
	for _, p := range parts {
		length += len(p)
	}
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(length))
	out = append(out, "WEBP"...)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
