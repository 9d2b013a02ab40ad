package picture

import (
	"encoding/binary"
	"slices"
)

// Block types and extension labels of a GIF.
const (
	gifExtension   = 0x21
	gifImage       = 0x2c
	gifTrailer     = 0x3b
	gifControl     = 0xf9 // graphic control extension: duration and transparent colour of a frame
	gifApplication = 0xff // application extension
)

// gifFile holds the state while a GIF is rewritten.
type gifFile struct {
	src            []byte
	pos            int
	width, height  int
	out            []byte
	pendingControl []byte // graphic control extension for the next frame
	frames         int
}

// cleanGIF rewrites a GIF and drops everything that is not part of the image: comments, texts, application extensions
// except the loop count, and all bytes after the trailer.
func cleanGIF(b []byte) ([]byte, error) {
	f := &gifFile{src: b}
	screen, err := f.read(13)
	if err != nil {
		return nil, err
	}

	f.width, f.height = int(binary.LittleEndian.Uint16(screen[6:])), int(binary.LittleEndian.Uint16(screen[8:]))
	f.out = append(f.out, screen...)

	if err := f.copyPalette(screen[10]); err != nil {
		return nil, err
	}

	for {
		blockType, err := f.read(1)
		if err != nil {
			return nil, err
		}

		switch blockType[0] {
		case gifTrailer:
			return append(f.out, gifTrailer), nil
		case gifExtension:
			err = f.copyExtension()
		case gifImage:
			err = f.copyImage()
		default:
			err = errStructure
		}

		if err != nil {
			return nil, err
		}
	}
}

// read returns the next n bytes.
func (f *gifFile) read(n int) ([]byte, error) {
	if f.pos+n > len(f.src) {
		return nil, errTruncated
	}
	f.pos += n
	return f.src[f.pos-n : f.pos], nil
}

// copyPalette copies the colour table that follows, if flags declare one.
func (f *gifFile) copyPalette(flags byte) error {
	if flags&0x80 == 0 {
		return nil
	}
	colours, err := f.read(3 << (flags&7 + 1))
	f.out = append(f.out, colours...)
	return err
}

// eachBlock reads data sub-blocks up to the empty one that ends the sequence, and calls fn for each.
func (f *gifFile) eachBlock(fn func(block []byte)) error {
	for {
		length, err := f.read(1)
		if err != nil {
			return err
		}
		if length[0] == 0 {
			return nil
		}
		block, err := f.read(int(length[0]))
		if err != nil {
			return err
		}
		fn(block)
	}
}

func (f *gifFile) copyExtension() error {
	label, err := f.read(1)
	if err != nil {
		return err
	}

	var blocks [][]byte
	if err := f.eachBlock(func(b []byte) {
		if len(blocks) < 2 { // further blocks are ignored
			blocks = append(blocks, b)
		}
	}); err != nil {
		return err
	}

	switch {
	case label[0] == gifControl && len(blocks) == 1 && len(blocks[0]) == 4:
		f.pendingControl = append(append([]byte{gifExtension, gifControl, 4}, blocks[0]...), 0)
	case label[0] == gifApplication && len(blocks) == 2 && isLoopExtension(blocks[0]) &&
		len(blocks[1]) == 3 && blocks[1][0] == 1:
		f.out = append(f.out, slices.Concat([]byte{gifExtension, gifApplication, 11}, blocks[0], []byte{3}, blocks[1],
			[]byte{0})...)
	}

	return nil
}

// isLoopExtension reports whether an application extension sets the loop count of an animation. Browsers support no
// other application extensions.
func isLoopExtension(application []byte) bool {
	return string(application) == "NETSCAPE2.0" || string(application) == "ANIMEXTS1.0"
}

func (f *gifFile) copyImage() error {
	descriptor, err := f.read(9)
	if err != nil {
		return err
	}

	x := int(binary.LittleEndian.Uint16(descriptor))
	y := int(binary.LittleEndian.Uint16(descriptor[2:]))
	width := int(binary.LittleEndian.Uint16(descriptor[4:]))

	height := int(binary.LittleEndian.Uint16(descriptor[6:]))
	if width == 0 || height == 0 || x+width > f.width || y+height > f.height {
		return errStructure
	}

	f.frames++
	if err := checkAnimationLimits(f.frames, f.width, f.height); err != nil {
		return err
	}

	f.out = append(append(append(f.out, f.pendingControl...), gifImage), descriptor...)
	f.pendingControl = nil

	if err := f.copyPalette(descriptor[8]); err != nil {
		return err
	}

	codeSize, err := f.read(1)
	if err != nil {
		return err
	}

	f.out = append(f.out, codeSize[0])
	err = f.eachBlock(func(b []byte) { f.out = append(append(f.out, byte(len(b))), b...) })
	f.out = append(f.out, 0)

	return err
}
