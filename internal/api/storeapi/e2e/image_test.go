package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/blobtest"
	"vitrine/internal/testkit/databasetest"
)

const imagesPath = "/v2/images"

// newPicture returns a picture of w by h pixels. If hole is true, a part of the picture is transparent.
func newPicture(w, h int, hole bool) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{uint8(255 * x / w), uint8(255 * y / h), 128, 255}
			if hole && x > w/2 && y > h/2 {
				c = color.NRGBA{}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func encodeImage(format string, img image.Image) []byte {
	var b bytes.Buffer
	var err error
	switch format {
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "png":
		err = png.Encode(&b, img)
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// tinyWebP is a lossless WebP of one pixel.
const tinyWebP = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

// contentType returns an option that sets the header Content-Type.
func contentType(mediaType string) apitest.RequestOption {
	return apitest.Header("Content-Type", mediaType)
}

// multipartForm returns a form and its media type. The argument field is the name of the form field for the file; if it
// is empty, the form has no file. The arguments fields are the names and texts of the other form fields, in turn.
func multipartForm(field string, file []byte, fields ...string) ([]byte, apitest.RequestOption) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	if field != "" {
		part, _ := w.CreateFormFile(field, "photo.txt")
		_, _ = part.Write(file)
	}
	_ = w.Close()
	return b.Bytes(), contentType(w.FormDataContentType())
}

// uploadImage uploads a file with a media type from which the format cannot be guessed.
func uploadImage(s *apitest.Server, file []byte) *apitest.Response {
	return s.OK(201, "POST", imagesPath, file, contentType("image/x"))
}

// createImage uploads a small image and returns its id.
func createImage(s *apitest.Server) string {
	return uploadImage(s, encodeImage("png", newPicture(4, 4, false))).Text("data.id")
}

// getFile requests a file of an image. The request has no API key.
func getFile(s *apitest.Server, url string, options ...apitest.RequestOption) *apitest.Response {
	return s.Do("GET", strings.TrimPrefix(url, s.URL), nil, append(options, apitest.As(""))...)
}

func TestImage_uploadsFormOrRawBody(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		photo := encodeImage("jpeg", newPicture(300, 200, false))
		for i, send := range []func() *apitest.Response{
			func() *apitest.Response {
				body, media := multipartForm("file", photo, "external_id", " x0 ", "alt", "ignored")
				return s.Do("POST", imagesPath, body, media)
			},
			func() *apitest.Response { return s.Do("POST", imagesPath, photo, contentType("image/jpeg")) },
			func() *apitest.Response {
				return s.Do("POST", imagesPath, photo,
					contentType("image/png; q=1"))
			}, // the content decides the format
			func() *apitest.Response {
				return s.Do("POST", imagesPath, photo, contentType("application/octet-stream"))
			},
			func() *apitest.Response {
				return s.Do("POST", imagesPath, io.MultiReader(bytes.NewReader(photo)), contentType("image/jpeg"))
			}, // without Content-Length
			func() *apitest.Response {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				_, _ = z.Write(photo)
				_ = z.Close()
				return s.Do("POST", imagesPath, b.Bytes(), contentType("image/jpeg"),
					apitest.Header("Content-Encoding", "gzip"))
			},
		} {
			r := send()
			if r.Status != 201 {
				t.Fatalf("%d: %s", i, r.Body)
			}

			id := r.Text("data.id")
			at := s.URL + "/images/" + s.StoreID.String() + "/" + id + "/"
			if r.Header.Get("Location") != imagesPath+"/"+id || r.Header.Get("ETag") != `"v1"` {
				t.Errorf("%d: Location %s, ETag %s", i, r.Header.Get("Location"), r.Header.Get("ETag"))
			}

			want := fmt.Sprintf(`{"height":200,"id":%q,"owner_id":null,"owner_type":null,`+
				`"thumbnails":{"medium":"%smedium.jpg","small":"%ssmall.jpg"},"url":"%soriginal.jpg","width":300}`, id,
				at, at, at)
			data, _ := r.At("data")
			shown := data.(map[string]any)
			externalID := shown["external_id"]
			delete(shown, "external_id")
			delete(shown, "created_at")
			delete(shown, "updated_at")
			for _, member := range []string{"srcset", "alt", "color"} { // they have tests of their own
				delete(shown, member)
			}

			if got := toJSON(shown); got != want {
				t.Errorf("%d: got  %s\nwant %s", i, got, want)
			}
			if i == 0 && externalID != "x0" || i > 0 && externalID != nil {
				t.Errorf("%d: external_id is %v", i, externalID)
			}

			s.Get(imagesPath + "/" + id).WantSame(s.Get(imagesPath+"/"+id, apitest.As(s.Publishable)))
			if got := getFile(s, r.Text("data.url")); !bytes.Equal(got.Body, photo) {
				t.Errorf("%d: the file has %d bytes, %d were sent", i, len(got.Body), len(photo))
			}
		}

		if got := s.Get(imagesPath + "?per_page=2&page=2"); got.Len("data") != 2 || got.Text("meta.total") != "6" {
			t.Errorf("the list is %s", got.Body)
		}
	})
}

func TestImage_refusesInvalidUploads(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		photo := encodeImage("jpeg", newPicture(40, 30, false))
		drawing := encodeImage("png", newPicture(40, 30, true))
		body, media := multipartForm("file", photo, "external_id", "taken")
		s.OK(201, "POST", imagesPath, body, media)
		type sent struct {
			problem string
			body    any
			media   apitest.RequestOption
		}
		formOf := func(problem, field string, file []byte, fields ...string) sent {
			b, m := multipartForm(field, file, fields...)
			return sent{problem, b, m}
		}
		huge := make([]byte, 10<<20+1)
		copy(huge, photo)
		bomb := slices.Clone(drawing)
		binary.BigEndian.PutUint32(bomb[16:], 50_000)
		binary.BigEndian.PutUint32(bomb[20:], 50_000)

		boundary := contentType("multipart/form-data; boundary=x")
		for _, c := range []sent{
			{"415 unsupported_media_type", photo, contentType("text/plain")},
			{"415 unsupported_media_type", photo, contentType("")},
			{"415 unsupported_media_type", photo, contentType("application/x-www-form-urlencoded")},
			{"415 unsupported_media_type", `{"url": "http://169.254.169.254/"}`, contentType("application/json")},
			{"415 unsupported_media_type", photo, contentType("image/jpeg;;;=")},
			{"413 too_large", huge, contentType("image/jpeg")},
			{"413 too_large", io.MultiReader(bytes.NewReader(huge)), contentType("image/jpeg")},
			formOf("413 too_large", "file", huge),
			formOf("413 too_large", "file", photo, "note", string(huge)),
			formOf("422 file required", "image", photo),
			formOf("422 file required", "", nil),
			formOf("422 external_id too_long", "file", photo, "external_id", strings.Repeat("я", 256)),
			formOf("422 external_id control_character", "file", photo, "external_id", "a\x00"),
			formOf("422 external_id control_character", "file", photo, "external_id", "\xff"),
			formOf("409 external_id_taken", "file", photo, "external_id", "taken"),
			formOf("422 file unsupported_image", "file",
				[]byte("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")),
			{"422 file duplicate_field",
				"--x\r\nContent-Disposition: form-data; name=file\r\n\r\na\r\n--x\r\nContent-Disposition: form-data; " +
					"name=file\r\n\r\nb\r\n--x--\r\n", boundary},
			{"422 file required", photo, boundary}, // not a form
			{"400 malformed_form", "--x\r\nContent-Disposition: form-data; name=file\r\n\r\n" + string(photo),
				boundary},
			{"400 malformed_form", body, contentType("multipart/form-data")},
			{"400 malformed_encoding", photo, func(r *http.Request) {
				r.Header.Set("Content-Type", "image/jpeg")
				r.Header.Set("Content-Encoding", "gzip")
			}},
			{"422 file unsupported_image", "just text", contentType("image/png")},
			{"422 file unsupported_image", "<svg xmlns='http://www.w3.org/2000/svg'/>", contentType("image/svg+xml")},
			{"422 file broken_image", "", contentType("image/png")},
			{"422 file broken_image", photo[:len(photo)/2], contentType("image/jpeg")},
			{"422 file broken_image", drawing[:len(drawing)-20], contentType("image/png")},
			{"422 file broken_image", tinyWebP[:len(tinyWebP)-4], contentType("image/webp")},
			{"422 file broken_image", bomb, contentType("image/png")}, // the checksum of the header does not match
			{"422 file too_many_pixels", "GIF89a\xff\xff\xff\xff\x00\x00\x00\x3b", contentType("image/gif")},
		} {
			s.WantProblem(c.problem, "POST", imagesPath, c.body, c.media)
		}

		s.WantProblem("400 malformed_query", "POST", imagesPath+"?with=x", photo, contentType("image/jpeg"))
		s.WantProblem("403 forbidden", "POST", imagesPath, photo, contentType("image/jpeg"), apitest.As(s.Publishable))
		s.WantProblem("401 credential_required", "POST", imagesPath, photo, contentType("image/jpeg"), apitest.As(""))
	})
}

func TestImage_uploadIsIdempotent(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := apitest.StartServer(t, "sqlite", apitest.WithConfig(func(c *config.Serve) { c.Blob = data }))
	key := apitest.Header("Idempotency-Key", "k")
	photo := encodeImage("jpeg", newPicture(40, 30, false))
	first := s.OK(201, "POST", imagesPath, photo, contentType("image/jpeg"), key)

	again := s.OK(201, "POST", imagesPath, photo, contentType("image/jpeg"), key)
	if first.WantSame(again); again.Header.Get("Idempotent-Replayed") != "true" ||
		first.Header.Get("Location") != again.Header.Get("Location") {
		t.Error("the response was not replayed")
	}

	s.WantProblem("422 Idempotency-Key idempotency_key_reused", "POST", imagesPath,
		encodeImage("jpeg", newPicture(41, 30, false)), contentType("image/jpeg"), key)
	folders := map[string]bool{}
	_ = filepath.WalkDir(filepath.Join(data, s.StoreID.String()), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			folders[filepath.Dir(path)] = true
		}
		return nil
	})
	if len(folders) != 1 {
		t.Errorf("the files of %d images are stored, want 1", len(folders))
	}
}

func TestImage_filesArePublic(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, c := range []struct {
			file            []byte
			original, small string
			width, height   int // of the small thumbnail
		}{
			{encodeImage("jpeg", newPicture(1000, 500, false)), "image/jpeg", "image/jpeg", 160, 80},
			{encodeImage("png", newPicture(500, 1000, true)), "image/png", "image/png", 80, 160},
			{encodeImage("gif", newPicture(100, 50, false)), "image/gif", "image/jpeg", 100, 50},
			{[]byte(tinyWebP), "image/webp", "image/png", 1, 1},
		} {
			r := uploadImage(s, c.file)
			for url, media := range map[string]string{r.Text("data.url"): c.original,
				r.Text("data.thumbnails.small"): c.small, r.Text("data.thumbnails.medium"): c.small} {
				got := getFile(s, url)
				for name, want := range map[string]string{
					"Content-Type": media, "X-Content-Type-Options": "nosniff",
					"Content-Security-Policy":      "default-src 'none'; sandbox",
					"Cache-Control":                "public, max-age=31536000, immutable",
					"Cross-Origin-Resource-Policy": "cross-origin", "Access-Control-Allow-Origin": "*",
					"Content-Length": fmt.Sprint(len(got.Body)), "Accept-Ranges": "bytes", "Vary": "",
				} {
					if got.Status != 200 || got.Header.Get(name) != want {
						t.Errorf("%s: %d, %s is %q, want %q", url, got.Status, name, got.Header.Get(name), want)
					}
				}

				checkConditionalRequests(t, s, url, got)
			}

			small := getFile(s, r.Text("data.thumbnails.small"))
			config, _, err := image.DecodeConfig(bytes.NewReader(small.Body))
			if err != nil || config.Width != c.width || config.Height != c.height {
				t.Errorf("the small thumbnail of %s is %d × %d: %v", c.original, config.Width, config.Height, err)
			}
		}

		id := createImage(s)
		at := "/images/" + s.StoreID.String() + "/" + id
		for _, path := range []string{
			at, at + "/", at + "/original", at + "/original.jpg", at + "/small.png", at + "/huge.jpg",
			at + "/original.png/x", at + "/%2e%2e/x", "/images", "/images/", "/images/x/y/small.jpg",
			"/images/" + s.Other.StoreID.String() + "/" + id + "/original.png",
			"/images/" + s.StoreID.String() + "/" + unknownID + "/small.jpg",
			"/images/" + s.StoreID.String() + "/" + unknownID + "/original.png",
		} {
			if r := getFile(s, s.URL+path); r.Status != 404 || r.Header.Get("Cache-Control") != "no-store" ||
				r.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s: %d, %s", path, r.Status, r.Header.Get("Cache-Control"))
			}
		}

		if r := s.Do("POST", at+"/original.png", "x", apitest.As("")); r.Problem() != "405 method_not_allowed" ||
			r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST: %s", r.Problem())
		}
	})
}

// checkConditionalRequests reads a file with conditions and ranges, as caches and media players do.
func checkConditionalRequests(t *testing.T, s *apitest.Server, url string, whole *apitest.Response) {
	t.Helper()
	tag := whole.Header.Get("ETag")
	if !strings.HasPrefix(tag, `"`) || len(tag) < 10 {
		t.Errorf("%s has the ETag %s", url, tag)
	}

	size := len(whole.Body)
	part := fmt.Sprintf("bytes=%d-", size-3)
	for _, c := range []struct {
		name, value string
		status      int
		body        []byte
	}{
		{"If-None-Match", tag, 304, nil},
		{"If-None-Match", `"x", ` + tag, 304, nil},
		{"If-None-Match", `"x"`, 200, whole.Body},
		{"If-Match", `"x"`, 200, whole.Body}, // ignored, because If-Match applies only to writes
		{"Range", "bytes=0-1", 206, whole.Body[:2]},
		{"Range", part, 206, whole.Body[size-3:]},
		{"Range", "bytes=-2", 206, whole.Body[size-2:]},
		{"Range", fmt.Sprintf("bytes=%d-", size), 200, whole.Body},
		{"Range", "bytes=2-2", 206, whole.Body[2:3]},
		{"Range", "bytes=5-2", 200, whole.Body},
		{"Range", "bytes=-0", 200, whole.Body},
		{"Range", "bytes=-", 200, whole.Body},
		{"Range", "bytes=5-2,7", 200, whole.Body},
		{"Range", "lines=1-2", 200, whole.Body},
		{"Range", "bytes=99999999999999999999-", 200, whole.Body},
	} {
		if r := getFile(s, url, apitest.Header(c.name, c.value)); r.Status != c.status || !bytes.Equal(r.Body, c.body) {
			t.Errorf("%s with %s: %s: %d and %d bytes", url, c.name, c.value, r.Status, len(r.Body))
		}
	}

	if r := s.Do("HEAD", strings.TrimPrefix(url, s.URL), nil, apitest.As("")); r.Status != 200 || len(r.Body) != 0 ||
		r.Header.Get("Content-Length") != fmt.Sprint(size) {
		t.Errorf("HEAD %s: %d", url, r.Status)
	}
}

// A photo from a phone has its location in its metadata, and an EXIF orientation. The served files have no metadata and
// are upright.
func TestImage_stripsMetadata(t *testing.T) {
	t.Parallel()
	const canary = "GPS 59.9386N canary"

	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		exif := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00" +
			"\x00\x06\x00\x00\x00\x00\x00\x00\x00" + canary
		photo := encodeImage("jpeg", newPicture(60, 40, false))
		photo = slices.Concat(photo[:2], []byte{0xff, 0xe1, 0, byte(len(exif) + 2)}, []byte(exif),
			[]byte{0xff, 0xfe, 0, byte(len(canary) +
				2)}, []byte(canary), photo[2:], []byte("<script>"+canary+"</script>"))
		drawing := encodeImage("png", newPicture(60, 40, true))
		drawing = append(drawing, canary...)
		animation := encodeImage("gif", newPicture(60, 40, false))
		animation = slices.Concat(animation[:len(animation)-1], []byte("\x21\xfe"), []byte{byte(len(canary))},
			[]byte(canary), []byte("\x00\x3b"), []byte(canary))
		for i, sent := range [][]byte{photo, drawing, animation, []byte(tinyWebP + canary)} {
			r := uploadImage(s, sent)
			for _, url := range []string{r.Text("data.url"), r.Text("data.thumbnails.small"),
				r.Text("data.thumbnails.medium")} {
				got := getFile(s, url)
				if got.Status != 200 || bytes.Contains(got.Body, []byte("canary")) ||
					bytes.Contains(got.Body, []byte("script")) {
					t.Errorf("%d: %s has the status %d or contains metadata", i, url, got.Status)
				}
			}

			if i > 0 {
				continue
			}

			config, err := jpeg.DecodeConfig(bytes.NewReader(getFile(s, r.Text("data.url")).Body))
			if err != nil || config.Width != 40 || config.Height != 60 || r.Text("data.width") != "40" ||
				r.Text("data.height") != "60" {
				t.Errorf("the file is %d × %d, the response says %s × %s: %v", config.Width, config.Height,
					r.Text("data.width"), r.Text("data.height"), err)
			}
		}
	})
}

func TestImage_isEditedAndDeleted(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		id := createImage(s)
		at := imagesPath + "/" + id
		read := s.Get(at)

		sentBack := s.OK(200, "PUT", at,
			map[string]any{"data": 1, "id": unknownID, "url": "http://elsewhere", "owner_type": "product",
				"owner_id": unknownID, "width": 1, "external_id": 7})
		if sentBack.Text("data.external_id") != "7" || sentBack.Text("data.owner_id") != "null" ||
			sentBack.Text("data.url") != read.Text("data.url") || sentBack.Header.Get("ETag") != `"v2"` {
			t.Errorf("the edited image is %s", sentBack.Body)
		}

		whole, _ := sentBack.At("data")
		if got := s.OK(200, "PUT", at, whole).Text("data.external_id"); got != "7" {
			t.Errorf("after PUT with the data of a response external_id is %s", got)
		}

		s.WantProblem("422 external_id wrong_type", "PUT", at, `{"external_id": {}}`)
		s.WantProblem("412 precondition_failed", "PUT", at, `{}`, apitest.Header("If-Match", `"v1"`))
		s.WantProblem("412 precondition_failed", "DELETE", at, nil, apitest.Header("If-Match", `"v1"`))
		s.WantProblem("403 forbidden", "DELETE", at, nil, apitest.As(s.Publishable))
		other := imagesPath + "/" + createImage(s)
		s.WantProblem("409 external_id_taken", "PUT", other, `{"external_id": "7"}`)

		if got := s.OK(200, "PUT", at, `{"external_id": null}`).Text("data.external_id"); got != "null" {
			t.Errorf("external_id is %s", got)
		}

		url := read.Text("data.url")
		if getFile(s, url).Status != 200 {
			t.Error("the file is not served")
		}

		s.OK(204, "DELETE", at, nil, apitest.Header("If-Match", `"v4"`))
		if got := s.Do("GET", at, nil).Problem(); got != "404 not_found" {
			t.Errorf("a deleted image: %s", got)
		}
		if err := s.App.Images.RemoveOrphans(t.Context()); err != nil {
			t.Error(err)
		}
		if got := getFile(s, url).Problem(); got != "404 not_found" {
			t.Errorf("the file of a deleted image: %s", got)
		}
	})
}

// Browsers also send form fields that the user left empty, so an empty field counts as absent. In JSON an empty
// external_id is refused; null removes it.
func TestImage_emptyFormFieldIsIgnored(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, "sqlite")
	for range 2 { // a stored empty external id would cause a conflict the second time
		for _, empty := range []string{"", "  "} {
			body, media := multipartForm("file", encodeImage("png", newPicture(4, 4, false)), "external_id", empty)
			r := s.OK(201, "POST", imagesPath, body, media)
			if got := r.Text("data.external_id"); got != "null" {
				t.Errorf("external_id %q is stored as %s", empty, got)
			}
			s.WantProblem("422 external_id required", "PUT", imagesPath+"/"+r.Text("data.id"),
				map[string]any{"external_id": empty})
		}
	}
}

// The deletion of a product wakes the worker that removes files, which otherwise runs only once a minute.
func TestImage_filesAreRemovedWithProduct(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, "sqlite")
	im := uploadImage(s, encodeImage("png", newPicture(4, 4, false)))
	p := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "images": []string{im.Text("data.id")}})
	s.OK(204, "DELETE", "/v2/products/"+p.Text("data.id"), nil)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for getFile(s, im.Text("data.url")).Status != 404 {
		if ctx.Err() != nil {
			t.Fatal("the file is still served")
		}
	}
}

func TestImage_belongsToItsProduct(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		first, second := createImage(s), createImage(s)
		p := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "images": []string{second, first}})
		at := "/v2/products/" + p.Text("data.id")
		if got := p.Texts("data.images", "id"); !slices.Equal(got, []string{second, first}) {
			t.Errorf("the product shows %q", got)
		}

		alone := s.Get(imagesPath + "/" + first)
		if alone.Text("data.owner_type") != "product" || at != "/v2/products/"+alone.Text("data.owner_id") {
			t.Errorf("the image is %s", alone.Body)
		}

		for _, member := range []string{"url", "width", "height", "thumbnails", "srcset", "color"} {
			if got := p.Text("data.images.1." + member); got != alone.Text("data."+member) {
				t.Errorf("in the product %s is %s", member, got)
			}
		}

		s.OK(204, "DELETE", imagesPath+"/"+second, nil)
		now := s.Get(at)
		if got := now.Texts("data.images", "id"); !slices.Equal(got, []string{first}) ||
			now.Header.Get("ETag") == p.Header.Get("ETag") || now.Text("data.updated_at") != p.Text("data.updated_at") {
			t.Errorf("after the deletion the product is %s", now.Body)
		}

		s.OK(200, "POST", at+"/archive", nil)

		for token, want := range map[string]int{s.Secret: 1, s.Publishable: 0} {
			if got := s.Get(imagesPath, apitest.As(token)).Len("data"); got != want {
				t.Errorf("%.2s key: lists %d images of an archived product, want %d", token, got, want)
			}
			if status := s.Do("GET", imagesPath+"/"+first, nil,
				apitest.As(token)).Status; (status == 200) != (want == 1) {
				t.Errorf("%.2s key: reading the image gets %d", token, status)
			}
		}
	})
}

// URLs of files start with the configured public URL. If none is configured, they start with the host of the request.
func TestImage_urlsAreAbsolute(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, "sqlite")
	at := imagesPath + "/" + createImage(s)
	for _, c := range []struct{ host, forwarded, want string }{
		{"api.shop.example", "", "http://api.shop.example/images/"},
		{"api.shop.example:8443", "", "http://api.shop.example:8443/images/"},
		{"[::1]:9", "", "http://[::1]:9/images/"},
		{"shop.example", "evil.example", "http://shop.example/images/"},
	} {
		r := s.Get(at, func(r *http.Request) {
			r.Host = c.host
			r.Header.Set("X-Forwarded-Host", c.forwarded)
			r.Header.Set("X-Forwarded-Proto", "https")
		})
		for _, member := range []string{"url", "thumbnails.small", "thumbnails.medium"} {
			if got := r.Text("data." + member); !strings.HasPrefix(got, c.want+s.StoreID.String()+"/") {
				t.Errorf("%s: %s is %s", c.host, member, got)
			}
		}
	}

	old := s.SendRaw("GET " + at + " HTTP/1.0\r\nAuthorization: Bearer " + s.Secret + "\r\n\r\n")
	if got := old.Text("data.url"); !strings.HasPrefix(got, s.URL+"/images/") {
		t.Errorf("without a Host header the URL is %s", got)
	}

	public := apitest.StartServer(t, "sqlite",
		apitest.WithConfig(func(c *config.Serve) { c.PublicURL = "https://cdn.shop.example/api/" }))
	if got := public.Get(imagesPath + "/" + createImage(public)).Text("data.url"); !strings.HasPrefix(got,
		"https://cdn.shop.example/api/images/") {
		t.Errorf("with a public URL it is %s", got)
	}
}

// Files can be stored in an S3 bucket. While it is unavailable, uploads are refused with 503. When it is back, the
// files of deleted images are removed.
func TestImage_storedInS3(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			testImageInS3(t, engine)
		})
	}
}
func testImageInS3(t *testing.T, engine string) {
	t.Helper()
	s3 := blobtest.NewS3(t)
	s := apitest.StartServer(t, engine, apitest.WithConfig(func(c *config.Serve) { c.Blob = s3.URL("shops") }))
	photo := encodeImage("jpeg", newPicture(1000, 500, false))
	r := uploadImage(s, photo)
	for _, url := range []string{r.Text("data.url"), r.Text("data.thumbnails.small"),
		r.Text("data.thumbnails.medium")} {
		whole := getFile(s, url)
		if whole.Status != 200 || whole.Header.Get("Content-Type") != "image/jpeg" {
			t.Errorf("%s: %d", url, whole.Status)
		}
		checkConditionalRequests(t, s, url, whole)
	}

	if got := s3.Keys(); len(got) != 4 || got[3] != "shops/vitrine/storage.json" ||
		!strings.HasPrefix(got[0], "shops/"+s.StoreID.String()+"/"+r.Text("data.id")+"/") {
		t.Errorf("the bucket contains %q", got)
	}

	if other := s.StartNode(); getFile(other,
		other.URL+strings.TrimPrefix(r.Text("data.thumbnails.small"), s.URL)).Status != 200 {
		t.Error("another node does not serve the file")
	}

	s3.Refuse(func(*http.Request) bool { return true })

	if got := s.Do("POST", imagesPath, photo,
		contentType("image/jpeg")).Problem(); got != "503 file_storage_unavailable" {
		t.Errorf("an upload while the bucket is unavailable: %s", got)
	}

	if got := getFile(s, r.Text("data.url")).Problem(); got != "503 file_storage_unavailable" {
		t.Errorf("a file while the bucket is unavailable: %s", got)
	}

	s.OK(204, "DELETE", imagesPath+"/"+r.Text("data.id"), nil) // the deletion itself does not need the bucket
	s3.Refuse(nil)

	if got := s.Get(imagesPath).Text("meta.total"); got != "0" {
		t.Errorf("there are %s images", got)
	}

	s.Clock.Advance(2 * time.Hour)
	if err := s.App.Images.RemoveOrphans(t.Context()); err != nil || len(s3.Keys()) != 1 { // the marker of the storage
		t.Errorf("the bucket contains %q: %v", s3.Keys(), err)
	}
}
