package picture

import "encoding/binary"

// The blocks of a GIF.
const (
	gifExtension   = 0x21
	gifImage       = 0x2c
	gifTrailer     = 0x3b
	gifControl     = 0xf9 // an extension: how long a frame is shown, and which colour is none
	gifApplication = 0xff // an extension: whatever an application wants
)

// gifFile is a GIF being taken apart and put together again.
type gifFile struct {
	b             []byte
	at            int
	width, height int
	out           []byte
	control       []byte // the control extension of the next frame
	frames        int
}

// cleanGIF leaves out what is no part of the picture: comments, texts, what applications added but how often it is repeated, and all
// behind the end.
func cleanGIF(b []byte) ([]byte, error) {
	f := &gifFile{b: b}
	screen, err := f.take(13)
	if err != nil {
		return nil, err
	}
	f.width, f.height = int(binary.LittleEndian.Uint16(screen[6:])), int(binary.LittleEndian.Uint16(screen[8:]))
	f.out = append(f.out, screen...)
	if err := f.palette(screen[10]); err != nil {
		return nil, err
	}
	for {
		kind, err := f.take(1)
		if err != nil {
			return nil, err
		}
		switch kind[0] {
		case gifTrailer:
			return append(f.out, gifTrailer), nil
		case gifExtension:
			err = f.extension()
		case gifImage:
			err = f.image()
		default:
			err = errForm
		}
		if err != nil {
			return nil, err
		}
	}
}

// take reads n bytes.
func (f *gifFile) take(n int) ([]byte, error) {
	if f.at+n > len(f.b) {
		return nil, errCut
	}
	f.at += n
	return f.b[f.at-n : f.at], nil
}

// palette copies the colours that follow if the flags say so.
func (f *gifFile) palette(flags byte) error {
	if flags&0x80 == 0 {
		return nil
	}
	colours, err := f.take(3 << (flags&7 + 1))
	f.out = append(f.out, colours...)
	return err
}

// blocks reads data that comes in pieces, each with its length before it, up to an empty one; each gets them one by one.
func (f *gifFile) blocks(each func(block []byte)) error {
	for {
		length, err := f.take(1)
		if err != nil {
			return err
		}
		if length[0] == 0 {
			return nil
		}
		block, err := f.take(int(length[0]))
		if err != nil {
			return err
		}
		each(block)
	}
}

func (f *gifFile) extension() error {
	label, err := f.take(1)
	if err != nil {
		return err
	}
	var blocks [][]byte
	if err := f.blocks(func(b []byte) {
		if len(blocks) < 2 { // more than two mean nothing here
			blocks = append(blocks, b)
		}
	}); err != nil {
		return err
	}
	switch {
	case label[0] == gifControl && len(blocks) == 1 && len(blocks[0]) == 4:
		f.control = append(append([]byte{gifExtension, gifControl, 4}, blocks[0]...), 0)
	case label[0] == gifApplication && len(blocks) == 2 && loops(blocks[0]) && len(blocks[1]) == 3 && blocks[1][0] == 1:
		f.out = append(f.out, gifExtension, gifApplication, 11)
		f.out = append(f.out, blocks[0]...)
		f.out = append(f.out, 3)
		f.out = append(f.out, blocks[1]...)
		f.out = append(f.out, 0)
	}
	return nil
}

// loops reports the one extension of an application that browsers follow: how often an animation is repeated.
func loops(application []byte) bool {
	return string(application) == "NETSCAPE2.0" || string(application) == "ANIMEXTS1.0"
}

func (f *gifFile) image() error {
	place, err := f.take(9)
	if err != nil {
		return err
	}
	x, y := int(binary.LittleEndian.Uint16(place)), int(binary.LittleEndian.Uint16(place[2:]))
	width, height := int(binary.LittleEndian.Uint16(place[4:])), int(binary.LittleEndian.Uint16(place[6:]))
	if width == 0 || height == 0 || x+width > f.width || y+height > f.height {
		return errForm
	}
	f.frames++
	if err := checkAnimation(f.frames, f.width, f.height); err != nil {
		return err
	}
	f.out = append(append(append(f.out, f.control...), gifImage), place...)
	f.control = nil
	if err := f.palette(place[8]); err != nil {
		return err
	}
	codeSize, err := f.take(1)
	if err != nil {
		return err
	}
	f.out = append(f.out, codeSize[0])
	err = f.blocks(func(b []byte) { f.out = append(append(f.out, byte(len(b))), b...) })
	f.out = append(f.out, 0)
	return err
}
