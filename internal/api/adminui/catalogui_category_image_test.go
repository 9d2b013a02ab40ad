package adminui_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/blobtest"
)

func TestCategory_hasADescriptionAndAPicture(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		path := "/categories/" + c.category
		read := func() *apitest.Response {
			return s.OK(200, "GET", "/v2/categories/"+c.category, "", apitest.As(s.store.SecretKey))
		}

		v.post(path, url.Values{"name": {"Shoes"}, "version": {"1"}, "slug": {"shoes"},
			"description": {"For dry\r\nfeet."}}).wantRedirect(path)
		if got := read().Text("data.description"); got != "For dry\nfeet." {
			t.Errorf("the description is %q", got)
		}
		v.post(path, url.Values{"name": {""}, "version": {"2"}, "description": {"Kept"}}).
			wantStatus(422).contains("Kept")

		v.upload(path+"/image", []byte("no image")).wantStatus(422).contains("picture-error")
		v.upload(path+"/image", blobtest.EncodePNG(20, 20, 50)).wantRedirect(path)
		first := read().Text("data.image.id")
		v.get(path).contains("/pictures/"+first, "For dry")
		v.upload(path+"/image", blobtest.EncodePNG(20, 20, 90)).wantRedirect(path)
		second := read().Text("data.image.id")
		if first == second || second == "null" {
			t.Errorf("the picture was %s and is %s", first, second)
		}
		s.WantProblem("404 not_found", "GET", "/v2/images/"+first, nil, apitest.As(s.store.SecretKey))

		v.post(path+"/image/remove", url.Values{}).wantRedirect(path)
		if got := read().Text("data.image"); got != "null" {
			t.Errorf("the picture is still %s", got)
		}
		if log := v.get("/settings/log").text; !strings.Contains(log, "Image") {
			t.Error("the log does not tell of the picture")
		}
	})
}
