package e2e

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

func TestVariantImages_areWrittenAndReadLikeThoseOfProducts(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		shared, own, other := createImage(s), createImage(s), createImage(s)
		p := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "images": []string{shared},
			"variants": []map[string]any{{"sku": "a", "price": 1, "images": []string{own, shared}},
				{"sku": "b", "price": 2, "images": []any{map[string]string{"id": shared}}}}})
		at := "/v2/products/" + p.Text("data.id")
		variant := at + "/variants/" + p.Text("data.variants.0.id")
		if got := p.Texts("data.variants.0.images", "id"); !slices.Equal(got, []string{own, shared}) {
			t.Errorf("the variant shows %q", got)
		}

		im := s.Get(imagesPath + "/" + own)
		if im.Text("data.owner_type") != "variant" || im.Text("data.owner_id") != p.Text("data.variants.0.id") {
			t.Errorf("the image is %s", im.Body)
		}
		if got := s.Get(imagesPath + "/" + shared).Text("data.owner_type"); got != "product" {
			t.Errorf("a shared image belongs to a %s", got)
		}

		for path, want := range map[string]int{"": -1, "?with=variants": -1, "?with=variants,images": 2} {
			list := s.Get("/v2/products" + path)
			if got := strings.Count(string(list.Body), own+`","url"`); (got > 0) != (want > 0) {
				t.Errorf("the list %s has the image of the variant %d times", path, got)
			}
		}

		// A read variant may be sent back; a single variant is edited alone.
		read := s.Get(variant)
		if got := read.Texts("data.images", "id"); !slices.Equal(got, []string{own, shared}) {
			t.Errorf("the single variant shows %q", got)
		}
		s.OK(200, "PUT", variant, map[string]any{"images": []string{shared, other}})
		if got := s.Get(at+"/variants").Texts("data.0.images", "id"); !slices.Equal(got, []string{shared, other}) {
			t.Errorf("the list of variants shows %q", got)
		}
		if got := s.Get(imagesPath + "/" + own).Text("data.owner_type"); got != "null" {
			t.Errorf("an image that the variant lost belongs to a %s", got)
		}

		s.WantProblem("422 images[0] image_taken", "PUT", at+"/variants/"+p.Text("data.variants.1.id"),
			map[string]any{"images": []string{other}})
		s.WantProblem("422 images[0] image_taken", "PUT", at, map[string]any{"images": []string{other}})
		s.WantProblem("422 images[0] unknown_image", "PUT", variant,
			map[string]any{"images": []string{"019a8269-ea80-7f01-93d4-4c5d6e7f8a01"}})
		taken := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Lamp", "images": []string{createImage(s)}})
		s.WantProblem("422 images[0] image_taken", "PUT", variant,
			map[string]any{"images": taken.Texts("data.images", "id")})
	})
}

func TestImageWidth_isOneOfSixUpToTheOriginal(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		im := uploadImage(s, encodeImage("png", newPicture(700, 350, true)))
		if got := im.Texts("data.srcset", "width"); !slices.Equal(got, []string{"160", "320", "640"}) ||
			im.Text("data.alt") != "null" || !strings.HasPrefix(im.Text("data.color"), "#") {
			t.Errorf("the image is %s", im.Body)
		}

		url := strings.TrimPrefix(im.Text("data.url"), s.URL)
		for range 2 {
			file := getFile(s, im.Text("data.srcset.1.url"))
			if file.Status != 200 || file.Header.Get("Content-Type") != "image/png" ||
				file.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
				t.Errorf("the file is %d, %v", file.Status, file.Header)
			}
			if again := getFile(s, url+"?w=320", apitest.Header("If-None-Match",
				file.Header.Get("ETag"))); again.Status != 304 {
				t.Errorf("a request with the ETag is %d", again.Status)
			}
		}

		for _, query := range []string{"w=960", "w=161", "w=-1", "w=1000000000", "w=160&w=160", "w=", "w=0160", "w=x"} {
			s.WantProblem("400 malformed_query", "GET", url+"?"+query, nil, apitest.As(""))
		}
		small := strings.TrimPrefix(im.Text("data.thumbnails.small"), s.URL)
		s.WantProblem("400 malformed_query", "GET", small+"?w=160", nil, apitest.As(""))
		s.WantProblem("404 not_found", "GET", strings.Replace(url, ".png", ".jpg", 1)+"?w=160", nil, apitest.As(""))
	})
}

func TestImageAlt_isEditedAndShownByProducts(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		id := createImage(s)
		p := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "images": []string{id}})
		at := "/v2/products/" + p.Text("data.id")
		path := imagesPath + "/" + id

		for _, c := range []struct{ body, want string }{{`{"alt":"From behind"}`, "From behind"}, {`{}`, "From behind"},
			{`{"alt":""}`, ""}, {`{"alt":null}`, "null"}} {
			if got := s.OK(200, "PUT", path, c.body).Text("data.alt"); got != c.want {
				t.Errorf("after %s, alt is %q", c.body, got)
			}
			if got := s.Get(at).Text("data.images.0.alt"); got != c.want {
				t.Errorf("after %s, the product shows the alt %q", c.body, got)
			}
		}

		s.WantProblem("422 alt too_long", "PUT", path, map[string]string{"alt": strings.Repeat("я", 10_000)})
		s.WantProblem("422 alt wrong_type", "PUT", path, `{"alt":5}`)
	})
}
