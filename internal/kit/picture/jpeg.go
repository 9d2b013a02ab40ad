package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Limits of progressive JPEGs. Each scan passes over all blocks of its components, and one that changes nothing takes 30
// bytes. Encoders write about 10 scans; optimisers of scan scripts write up to 64.
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
	// width, height, components and progressive are from the frame header.
	width, height, components int
	progressive               bool
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
		case marker == markerAPP1 && bytes.HasPrefix(payload, []byte(exifPrefix)) && f.orientation == 1:
			f.orientation = exifOrientation(payload[len(exifPrefix):])
		case marker == markerAPP2 && bytes.HasPrefix(payload, []byte(iccPrefix)) && len(payload) > len(iccPrefix)+2:
			chunks = append(chunks, payload[len(iccPrefix):])
		case marker == markerAPP14 && bytes.HasPrefix(payload, []byte(adobePrefix)) && len(payload) >= 12:
			f.adobe = jpegSegment(markerAPP14, payload[:12]) // the last byte is the colour transform of the channels
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
			if marker >= markerSOF0 && marker <= markerSOF2 && len(payload) >= 6 && f.components == 0 {
				if err := f.readFrameHeader(payload, marker == markerSOF2); err != nil {
					return nil, err
				}
			}
			f.body = append(append(f.body, 0xff, marker), b[start:at]...)
		}
	}
}

// readFrameHeader reads a SOF segment. A JPEG with more than one is refused by the decoder.
func (f *jpegFile) readFrameHeader(payload []byte, progressive bool) error {
	f.height, f.width = int(binary.BigEndian.Uint16(payload[1:])), int(binary.BigEndian.Uint16(payload[3:]))
	f.components, f.progressive = int(payload[5]), progressive
	if pixels := int64(f.width) * int64(f.height); pixels > 0 && f.decodeBytes() > maxJPEGMemory/pixels {
		return &Refusal{"too_many_pixels", fmt.Sprintf("This has %d × %d pixels; at most %d million are taken of a "+
			"progressive JPEG of this kind. Save it as a baseline JPEG, or make it smaller, and send it again.",
			f.width, f.height, maxJPEGMemory/f.decodeBytes()/1_000_000)}
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

// decodeBytes returns an upper bound of the memory per pixel while the image is decoded: a byte per component, four
// more for a conversion to RGB or CMYK, and four for each coefficient of a progressive JPEG.
func (f *jpegFile) decodeBytes() int64 {
	n := f.imageBytes()
	if f.progressive {
		n += 4 * int64(f.components)
	}
	return n
}

// imageBytes returns an upper bound of the memory per pixel of the decoded image.
func (f *jpegFile) imageBytes() int64 {
	n := int64(f.components)
	if f.components == 4 || f.adobe != nil {
		n += 4
	}
	return n
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
		marker, at = b[at], at+1
		if marker != 0 && (marker < markerRST0 || marker > markerSOI) {
			return marker, at, nil
		}
	}
}

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
