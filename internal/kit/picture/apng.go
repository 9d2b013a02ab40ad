package picture

import "encoding/binary"

// startAnimation reads how many frames there are and how often they are repeated.
func (f *pngFile) startAnimation(data []byte) error {
	if len(data) != 8 || f.frames > 0 || f.pixels != nil {
		return errForm
	}
	if f.frames = int(binary.BigEndian.Uint32(data)); f.frames == 0 {
		return errForm
	}
	if err := checkAnimation(f.frames, f.header.width, f.header.height); err != nil {
		return err
	}
	f.out = appendChunk(f.out, "acTL", data)
	return nil
}

// startFrame ends the frame before and notes where the next one goes.
func (f *pngFile) startFrame(data []byte) error {
	if len(data) != 26 {
		return errForm
	}
	if err := f.endFrame(); err != nil {
		return err
	}
	if f.seen++; f.seen > f.frames {
		return errForm
	}
	width, height := int64(binary.BigEndian.Uint32(data[4:])), int64(binary.BigEndian.Uint32(data[8:]))
	x, y := int64(binary.BigEndian.Uint32(data[12:])), int64(binary.BigEndian.Uint32(data[16:]))
	if width == 0 || height == 0 || x+width > int64(f.header.width) || y+height > int64(f.header.height) {
		return errForm
	}
	f.control = data
	f.out = appendChunk(f.out, "fcTL", f.number(), data[4:])
	return nil
}

func (f *pngFile) frameData(data []byte) error {
	if len(data) < 4 || f.control == nil || !f.flushed {
		return errForm
	}
	f.frame = append(f.frame, data[4:]...)
	return nil
}

// endFrame writes the data that has come since the last frame began: first that of the picture itself, whether or not that is a frame.
func (f *pngFile) endFrame() error {
	if f.pixels != nil && !f.flushed {
		return f.flushPixels()
	}
	if f.control == nil {
		return nil
	}
	if f.frame == nil {
		return errForm
	}
	data, err := f.trim(f.frame, int(binary.BigEndian.Uint32(f.control[4:])), int(binary.BigEndian.Uint32(f.control[8:])))
	if err != nil {
		return err
	}
	f.out = appendChunk(f.out, "fdAT", f.number(), data)
	f.frame = nil
	return nil
}

// number is the next of the numbers that the chunks of an animation have.
func (f *pngFile) number() []byte {
	f.sequence++
	return binary.BigEndian.AppendUint32(nil, f.sequence-1)
}
