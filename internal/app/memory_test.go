package app_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// largePNG returns a PNG of three megapixels, all of them zero. With 128 MiB for the program it is large.
func largePNG(depth, colours, interlaced byte, bytesPerRow int) []byte {
	const width, height = 2000, 1500
	chunk := func(name string, data []byte) []byte {
		out := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), name...)
		out = append(out, data...)
		return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	var pixels bytes.Buffer
	z := zlib.NewWriter(&pixels)
	for range height {
		_, _ = z.Write(make([]byte, 1+bytesPerRow)) // a buffer accepts everything
	}
	_ = z.Close()
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(header, depth, colours, 0, 0, interlaced)),
		chunk("IDAT", pixels.Bytes()), chunk("IEND", nil))
}

// H5: an image that takes more memory than the share of images is refused, and one of the same size in an ordinary
// format is not.
func TestH5_imagesStayWithinTheirShare(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) { c.Memory = 128 << 20 }))
	r := s.Do("POST", "/v2/images", largePNG(16, 6, 1, 8*2000), apitest.Header("Content-Type", "image/png"))
	if r.Problem() != "413 image_needs_too_much_memory" || !strings.Contains(string(r.Body), "needs 35 MiB; at most ") {
		t.Errorf("an interlaced PNG with 16 bits got %d %s", r.Status, r.Body)
	}
	s.OK(201, "POST", "/v2/images", largePNG(8, 6, 0, 4*2000), apitest.Header("Content-Type", "image/png"))
}

// H5: nine large images of one store made the small images of all others wait.
func TestH5_largeImagesOfOneStoreDoNotStopOthers(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.AdmissionWait = 50 * time.Millisecond
		c.Memory = 128 << 20
	}))
	const uploads = 32
	large := largePNG(8, 6, 0, 4*2000)
	answers := make(chan string, uploads)
	for range uploads {
		go func() {
			r, err := s.Try("POST", "/v2/images", large, apitest.Header("Content-Type", "image/png"))
			switch {
			case err != nil:
				answers <- err.Error()
			case r.Status == 201:
				answers <- "201"
			default:
				answers <- r.Problem() + ", Retry-After: " + r.Header.Get("Retry-After")
			}
		}()
	}

	got := map[string]int{<-answers: 1} // a large image was decoded, or refused because of another one
	other := s.Do("POST", "/v2/images", apitest.PNG(1), apitest.As(s.Other.Secret),
		apitest.Header("Content-Type", "image/png"))
	if other.Status != 201 {
		t.Errorf("a small image of another store got %d %s", other.Status, other.Body)
	}

	for range uploads - 1 {
		got[<-answers]++
	}

	const refused = "429 too_many_requests, Retry-After: 1"
	const overloaded = "503 overloaded, Retry-After: 1" // of all requests on a slow machine, before an image is read
	if got["201"] == 0 || got[refused] == 0 || got["201"]+got[refused]+got[overloaded] != uploads {
		t.Errorf("the large images got %v", got)
	}

	// On a slow machine a request may also be refused before its image is read: by the class of its credential, or by
	// the memory of requests. All these counters together have what was refused.
	counted := 0
	line := regexp.MustCompile(`(?m)^vitrine_(?:admission_refused_total\{class="\w+",reason="share"\}` +
		`|memory_refused_total\{scope="owner",share="\w+"\}) (\d+)$`)
	for _, found := range line.FindAllStringSubmatch(s.Metrics(), -1) {
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		counted += n
	}
	if counted != got[refused] {
		t.Errorf("/metrics counts %d refused images, %d were refused", counted, got[refused])
	}
}
