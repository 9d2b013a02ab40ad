package picture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Limits of progressive JPEGs. Each scan passes over all blocks of its components, and one that changes nothing takes
// 30 bytes. Encoders write about 10 scans; optimisers of scan scripts write up to 64.
const (
	maxScans = 200
	// maxScanPixels limits the pixels of all scans together, each counted with the full size of its components. At
	// MaxPixels it allows 50 scans of one component, which take about a second.
	maxScanPixels = 50 * MaxPixels
	// maxJPEGMemory limits the memory that decoding takes, in bytes. Only progressive JPEGs of four components, or in
	// RGB, reach it below MaxPixels.
	maxJPEGMemory = 384_000_000
)

// JPEG markers.
const (
	markerSOF0  = 0xc0
	markerSOF2  = 0xc2
	markerRST0  = 0xd0
	markerRST7  = 0xd7
	markerSOI   = 0xd8
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerAPP0  = 0xe0
	markerAPP1  = 0xe1
	markerAPP2  = 0xe2
	markerAPP14 = 0xee
	markerAPP15 = 0xef
	markerCOM   = 0xfe
)

// Prefixes that identify the payload of an APPn segment.
const (
	jfifPrefix  = "JFIF\x00"
	exifPrefix  = "Exif\x00\x00"
	iccPrefix   = "ICC_PROFILE\x00"
	adobePrefix = "Adobe"
)

var (
	errTruncated = errors.New("it is cut off")
	errStructure = errors.New("its parts do not fit together")
)

// jpegFile holds the parts of a JPEG. jfif, adobe and body consist of complete segments with their markers.
type jpegFile struct {
	jfif, adobe []byte
	body        []byte // tables, frame headers and scans, in their original order
	profile     iccProfile
	orientation int // 1 to 8
	// width, height, components, progressive, ids and sampling are from the frame header.
	width, height, components int
	progressive               bool
	ids                       [4]byte   // of the components
	sampling                  [4][2]int // of the components, horizontal and vertical
	scans                     int
	scanPixels                int64
}

// parseJPEG splits a JPEG into its parts and drops everything that is not part of the image: comments, all APPn
// segments except JFIF, the ICC profile and Adobe's APP14, and all bytes after the end marker. Of EXIF only the
// orientation is read.
func parseJPEG(b []byte) (*jpegFile, error) {
	f := &jpegFile{orientation: 1}
	var chunks [][]byte // chunks of the ICC profile, each with its number and the total count
	for at := 2; ; {
		marker, start, err := nextMarker(b, at)
		if err != nil {
			return nil, err
		}

		if marker == markerEOI {
			f.profile = joinICCChunks(chunks)
			return f, nil
		}

		if start+2 > len(b) {
			return nil, errTruncated
		}

		length := int(binary.BigEndian.Uint16(b[start:]))
		if length < 2 {
			return nil, errStructure
		}
		at = start + length
		if at > len(b) {
			return nil, errTruncated
		}

		payload := b[start+2 : at]
		switch {
		case marker == markerAPP0 && bytes.HasPrefix(payload, []byte(jfifPrefix)) && f.jfif == nil:
			f.jfif = cleanJFIF(payload)
		case marker == markerAPP2 && bytes.HasPrefix(payload, []byte(iccPrefix)) && len(payload) > len(iccPrefix)+2:
			chunks = append(chunks, payload[len(iccPrefix):])
		case marker == markerAPP1, marker == markerAPP14:
			if err := f.readHeader(marker, payload); err != nil {
				return nil, err
			}
		case marker >= markerAPP0 && marker <= markerAPP15, marker == markerCOM:

		case marker == markerSOS:
			if err := f.countScan(payload); err != nil {
				return nil, err
			}

			end, err := findScanEnd(b, at)
			if err != nil {
				return nil, err
			}

			f.body = append(append(f.body, 0xff, marker), b[start:end]...)
			at = end

		default:
			if err := f.readHeader(marker, payload); err != nil {
				return nil, err
			}
			f.body = append(append(f.body, 0xff, marker), b[start:at]...)
		}
	}
}

// probeJPEG reads a JPEG up to its frame header.
func probeJPEG(r io.Reader) (*jpegFile, error) {
	f := &jpegFile{orientation: 1}
	in := bufio.NewReader(r)
	if _, err := in.Discard(2); err != nil {
		return nil, err
	}

	for f.components == 0 {
		marker, err := readMarker(in)
		if err != nil {
			return nil, err
		}

		var length [2]byte
		if _, err := io.ReadFull(in, length[:]); err != nil {
			return nil, err
		}

		n := int(binary.BigEndian.Uint16(length[:]))
		if n < 2 || marker == markerSOS || marker == markerEOI {
			return nil, errStructure
		}

		payload := make([]byte, n-2)
		if _, err := io.ReadFull(in, payload); err != nil {
			return nil, err
		}
		if err := f.readHeader(marker, payload); err != nil {
			return nil, err
		}
	}

	return f, nil
}

// readMarker returns the next marker, as nextMarker does.
func readMarker(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		for err == nil && b != 0xff {
			b, err = in.ReadByte()
		}
		for err == nil && b == 0xff {
			b, err = in.ReadByte()
		}
		if err != nil || isMarker(b) {
			return b, err
		}
	}
}

// readHeader reads the segments that say how much memory the image takes. All of them are before or in the first frame
// header, so that probeJPEG finds them: an orientation after it is ignored, and a colour transform is an error. A JPEG
// with more than one frame header is refused by the decoder.
func (f *jpegFile) readHeader(marker byte, payload []byte) error {
	before := f.components == 0
	switch {
	case marker == markerAPP1 && bytes.HasPrefix(payload, []byte(exifPrefix)) && f.orientation == 1 && before:
		f.orientation = exifOrientation(payload[len(exifPrefix):])
	case marker == markerAPP14 && bytes.HasPrefix(payload, []byte(adobePrefix)) && len(payload) >= 12:
		if !before {
			return errStructure
		}
		f.adobe = jpegSegment(markerAPP14, payload[:12]) // the last byte is the colour transform of the channels
	case marker >= markerSOF0 && marker <= markerSOF2 && len(payload) >= 6 && before:
		return f.readFrameHeader(payload, marker == markerSOF2)
	}
	return nil
}

// readFrameHeader reads a SOF segment.
func (f *jpegFile) readFrameHeader(payload []byte, progressive bool) error {
	f.height, f.width = int(binary.BigEndian.Uint16(payload[1:])), int(binary.BigEndian.Uint16(payload[3:]))
	f.components = int(payload[5])
	f.progressive = progressive
	if f.components == 0 || f.components > len(f.sampling) || len(payload) != 6+3*f.components {
		return errStructure
	}

	for i := range f.components {
		component := payload[6+3*i:]
		f.ids[i] = component[0]
		f.sampling[i] = [2]int{int(component[1] >> 4), int(component[1] & 15)}
		if h, v := f.sampling[i][0], f.sampling[i][1]; h < 1 || h > 4 || v < 1 || v > 4 {
			return errStructure
		}
	}

	if f.components == 1 {
		f.sampling[0] = [2]int{1, 1} // the decoder ignores the factors of a single component
	}

	use := f.memoryUse().decoding
	pixels := int64(f.width) * int64(f.height)
	if pixels > 0 && use > maxJPEGMemory {
		return &Refusal{"too_many_pixels", fmt.Sprintf("This has %d × %d pixels. A progressive JPEG of this kind may "+
			"have at most %d million pixels. Save it as a baseline JPEG, or make it smaller, and send it again.",
			f.width, f.height, maxJPEGMemory/max(1, use/pixels)/1_000_000)}
	}

	return nil
}

// countScan counts a scan and checks the limits. The decoder sees exactly the scans that are counted here: inside the
// data of a scan there is no other marker.
func (f *jpegFile) countScan(header []byte) error {
	if len(header) == 0 {
		return errStructure
	}
	f.scans++
	f.scanPixels += int64(f.width) * int64(f.height) * int64(header[0])
	if f.scans > maxScans || f.scanPixels > maxScanPixels {
		return &Refusal{"too_many_scans", fmt.Sprintf("This JPEG of %d × %d pixels is split into more than %d scans. "+
			"Save it as a baseline JPEG and send it again.", f.width, f.height, f.scans-1)}
	}
	return nil
}

// memoryUse returns what decoding the image takes. The decoder has a byte for each sample and four for each coefficient
// of a progressive JPEG, in whole blocks, and then converts some images to four bytes per pixel.
func (f *jpegFile) memoryUse() memoryUse {
	width, height := 8*f.sampling[0][0], 8*f.sampling[0][1] // of the blocks that are coded together
	blocks := int64((f.width+width-1)/width) * int64((f.height+height-1)/height)
	samples := int64(0)
	pixels := int64(f.width) * int64(f.height)

	for _, s := range f.sampling[:f.components] {
		samples += 64 * int64(s[0]*s[1]) * blocks
	}

	use := memoryUse{decoding: samples, image: samples}
	if f.isConverted() {
		use.decoding, use.image = samples+4*pixels, samples+4*pixels
	}

	if f.progressive {
		use.decoding += 4 * samples
	}

	if f.orientation != 1 {
		use.upright = max(samples, 4*pixels)
		if !f.isConverted() && f.hasPlainSampling() {
			use.upright = samples
		}
	}

	return use
}

// isConverted reports whether the decoder converts the image to RGB or CMYK. It may also report true for an image in
// YCbCr that only looks as if it were not.
func (f *jpegFile) isConverted() bool {
	const transform = 2 + 2 + 11 // of the Adobe segment
	return f.components == 4 || f.components == 3 && (f.ids == [4]byte{'R', 'G', 'B'} ||
		f.adobe != nil && f.adobe[transform] == 0)
}

// hasPlainSampling reports whether applyOrientation keeps the samples of the image as they are.
func (f *jpegFile) hasPlainSampling() bool {
	return f.components == 1 || f.sampling[0][0] <= 2*f.sampling[1][0] && f.sampling[0][1] <= 2*f.sampling[1][1]
}

// nextMarker returns the first marker in b[at:] and the position in b at which its segment starts. It skips bytes that
// are not markers, as decoders do.
func nextMarker(b []byte, at int) (marker byte, start int, err error) {
	for {
		i := bytes.IndexByte(b[at:], 0xff)
		if i < 0 {
			return 0, 0, errTruncated
		}

		for at += i; at < len(b) && b[at] == 0xff; { // fill bytes: any number of 0xff may precede a marker
			at++
		}

		if at == len(b) {
			return 0, 0, errTruncated
		}

		marker = b[at]
		at++
		if isMarker(marker) {
			return marker, at, nil
		}
	}
}

// isMarker reports whether the byte after 0xff is the marker of a segment or of the end.
func isMarker(b byte) bool { return b != 0 && (b < markerRST0 || b > markerSOI) }

// findScanEnd returns the position of the first marker after a scan's data that is not a restart marker.
func findScanEnd(b []byte, at int) (int, error) {
	for {
		i := bytes.IndexByte(b[at:], 0xff)
		if i < 0 || at+i+1 >= len(b) {
			return 0, errTruncated
		}
		at += i
		switch next := b[at+1]; {
		case next == 0, next >= markerRST0 && next <= markerRST7:
			at += 2
		case next == 0xff:
			at++
		default:
			return at, nil
		}
	}
}

// cleanJFIF returns the JFIF segment without the thumbnail that it may contain.
func cleanJFIF(payload []byte) []byte {
	clean := []byte(jfifPrefix + "\x01\x01\x00\x00\x01\x00\x01\x00\x00")
	if len(payload) >= 12 {
		copy(clean, payload[:12])
	}
	return jpegSegment(markerAPP0, clean)
}

func jpegSegment(marker byte, payload []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(payload)+2))
	return append(b, payload...)
}

// joinICCChunks joins the chunks of a profile. It returns nil unless every chunk is present exactly once.
func joinICCChunks(chunks [][]byte) iccProfile {
	slices.SortStableFunc(chunks, func(a, b []byte) int { return int(a[0]) - int(b[0]) })
	var whole []byte
	for i, c := range chunks {
		if int(c[0]) != i+1 || int(c[1]) != len(chunks) {
			return nil
		}
		whole = append(whole, c[2:]...)
	}
	return validProfile(whole)
}

// appendICCSegments appends a profile as APP2 segments.
func appendICCSegments(b []byte, p iccProfile) []byte {
	const maxChunk = 0xffff - 2 - len(iccPrefix) - 2
	total := (len(p) + maxChunk - 1) / maxChunk
	number := 0
	for part := range slices.Chunk(p, maxChunk) {
		number++
		payload := append([]byte(iccPrefix), byte(number), byte(total))
		b = append(b, jpegSegment(markerAPP2, append(payload, part...))...)
	}
	return b
}

// assemble returns the clean file.
func (f *jpegFile) assemble() []byte {
	return slices.Concat([]byte{0xff, markerSOI}, f.jfif, f.adobe, appendICCSegments(nil, f.profile), f.body,
		[]byte{0xff, markerEOI})
}
