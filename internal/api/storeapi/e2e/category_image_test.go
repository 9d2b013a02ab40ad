package e2e

import (
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
)

func TestCategoryImage_isWrittenAndReadLikeThatOfAProduct(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		picture, other := createImage(s), createImage(s)
		lamps := s.OK(201, "POST", categoriesPath,
			map[string]any{"name": "Lamps", "description": "Light\nof oak.", "image": picture})
		at := categoriesPath + "/" + lamps.Text("data.id")
		if lamps.Text("data.image.id") != picture || lamps.Text("data.description") != "Light\nof oak." {
			t.Errorf("the category is %s", lamps.Body)
		}
		im := s.Get(imagesPath + "/" + picture)
		if im.Text("data.owner_type") != "category" || im.Text("data.owner_id") != lamps.Text("data.id") {
			t.Errorf("the image is %s", im.Body)
		}

		// What was read may be sent back, and the menu and the list have the image.
		s.OK(200, "PUT", at, map[string]any{"image": map[string]any{"id": picture}, "description": nil})
		if got := s.Get(at); got.Text("data.image.id") != picture || got.Text("data.description") != "" {
			t.Errorf("the category is %s", got.Body)
		}
		if got := s.Get("/v2/navigation").Text("data.0.image.id"); got != picture {
			t.Errorf("the menu has the image %s", got)
		}
		if got := s.Get(categoriesPath).Text("data.0.image.thumbnails.small"); got == "" {
			t.Error("the list has no image")
		}

		s.WantProblem("422 image unknown_image", "PUT", at, map[string]any{"image": unknownID})
		s.WantProblem("422 description too_long", "PUT", at, map[string]any{"description": strings.Repeat("x", 65537)})
		chairs := s.OK(201, "POST", categoriesPath, map[string]any{"name": "Chairs"})
		s.WantProblem("422 image image_taken", "PUT", categoriesPath+"/"+chairs.Text("data.id"),
			map[string]any{"image": picture})
		s.WantProblem("422 images[0] image_taken", "POST", "/v2/products",
			map[string]any{"name": "Lamp", "images": []string{picture}})

		s.OK(200, "PUT", at, map[string]any{"image": other})
		if got := s.Get(imagesPath + "/" + picture).Text("data.owner_type"); got != "null" {
			t.Errorf("an image that was replaced belongs to a %s", got)
		}
		s.OK(200, "PUT", at, map[string]any{"image": nil})
		if got := s.Get("/v2/navigation").Text("data.0.image"); got != "null" {
			t.Errorf("the menu still has the image %s", got)
		}
	})
}
