package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"image/jpeg"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// A payload that is malformed would be refused for the wrong reason, so each must be what a lenient server accepts.
func TestPayloads_areWellFormed(t *testing.T) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()

	const text = `{"name":"x"`
	for name, c := range map[string]struct {
		frame []byte
		size  int
	}{
		"complete": {zstdComplete(text), len(text)},
		"bomb":     {zstdBomb(text, 8*maxZstdBlock), len(text) + 9*maxZstdBlock},
		"window":   {append(zstdWindow(25), zstdBlock(0, 1, true, "}")...), 60<<10 + 1},
	} {
		if out, err := decoder.DecodeAll(c.frame, nil); err != nil || len(out) != c.size {
			t.Errorf("the %s decompresses to %d bytes and %v, want %d", name, len(out), err, c.size)
		}
	}

	z, err := gzip.NewReader(bytes.NewReader(gzipped(func(w io.Writer) { writeMembers(w, 2000) })))
	if err != nil {
		t.Fatal(err)
	}

	var members map[string]any
	if err := json.NewDecoder(z).Decode(&members); err != nil || len(members) != 2001 {
		t.Errorf("the object has %d members, and %v", len(members), err)
	}
	if lines := headerLines(100); strings.Count(lines, ":\r\n") != 100 || len(lines) != 900 {
		t.Errorf("the header lines are %q", lines)
	}

	picture, err := jpeg.Decode(bytes.NewReader(scanBomb(64, 48, 300)))
	if err != nil || picture.Bounds().Dx() != 64 || picture.Bounds().Dy() != 48 {
		t.Errorf("the JPEG is not decoded: %v", err)
	}
}
