package picture

import "encoding/binary"

// startAnimation handles the acTL chunk, which holds the number of frames and of repetitions.
func (f *pngFile) startAnimation(data []byte) error {
	if len(data) != 8 || f.frames > 0 || f.idat != nil {
		return errStructure
	}
	if f.frames = int(binary.BigEndian.Uint32(data)); f.frames == 0 {
		return errStructure
	}
	if err := checkAnimationLimits(f.frames, f.header.width, f.header.height); err != nil {
		return err
	}
	f.out = appendPNGChunk(f.out, "acTL", data)
	return nil
}

// startFrame handles an fcTL chunk: it finishes the previous frame and stores the position and size of the next one.
func (f *pngFile) startFrame(data []byte) error {
	if len(data) != 26 {
		return errStructure
	}
	if err := f.endFrame(); err != nil {
		return err
	}
	if f.framesSeen++; f.framesSeen > f.frames {
		return errStructure
	}

	width := int64(binary.BigEndian.Uint32(data[4:]))
	height := int64(binary.BigEndian.Uint32(data[8:]))
	x := int64(binary.BigEndian.Uint32(data[12:]))

	y := int64(binary.BigEndian.Uint32(data[16:]))
	if width == 0 || height == 0 || x+width > int64(f.header.width) || y+height > int64(f.header.height) {
		return errStructure
	}

	f.frameControl = data
	f.out = appendPNGChunk(f.out, "fcTL", f.nextSequence(), data[4:])
	return nil
}

func (f *pngFile) addFrameData(data []byte) error {
	if len(data) < 4 || f.frameControl == nil || !f.idatWritten {
		return errStructure
	}
	f.frameIDAT = append(f.frameIDAT, data[4:]...)
	return nil
}

// endFrame writes the image data that was read since the last fcTL chunk. On the first call this is the default image,
// whether or not it is a frame of the animation.
func (f *pngFile) endFrame() error {
	if f.idat != nil && !f.idatWritten {
		return f.writeIDAT()
	}
	if f.frameControl == nil {
		return nil
	}
	if f.frameIDAT == nil {
		return errStructure
	}

	data, err := f.trimZlib(f.frameIDAT, int(binary.BigEndian.Uint32(f.frameControl[4:])),
		int(binary.BigEndian.Uint32(f.frameControl[8:])))
	if err != nil {
		return err
	}

	f.out = appendPNGChunk(f.out, "fdAT", f.nextSequence(), data)
	f.frameIDAT = nil
	return nil
}

// nextSequence returns the next sequence number of the animation's chunks.
func (f *pngFile) nextSequence() []byte {
	f.sequence++
	return binary.BigEndian.AppendUint32(nil, f.sequence-1)
}
