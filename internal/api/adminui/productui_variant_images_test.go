package adminui_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/blobtest"
)

// withImages uploads images to the product, and returns their ids.
func (c *shelf) withImages(v *client, n int) []string {
	c.t.Helper()
	for i := range n {
		v.upload("/products/"+c.product+"/images", blobtest.EncodePNG(20, 20, byte(40*i))).wantStatus(303)
	}
	return c.imageIDs()
}

// imagesOf returns the ids of the images of a variant of the product.
func (c *shelf) imagesOf(variant int) (ids []string) {
	c.t.Helper()
	read := c.read(c.product)
	for i := range read.Len(fmt.Sprintf("data.variants.%d.images", variant)) {
		ids = append(ids, read.Text(fmt.Sprintf("data.variants.%d.images.%d.id", variant, i)))
	}
	return ids
}

func (c *shelf) wantImages(variant int, want ...string) {
	c.t.Helper()
	if got := c.imagesOf(variant); !slices.Equal(got, want) {
		c.t.Errorf("variant %d has the images %v, want %v", variant, got, want)
	}
}

// The grid says which images of the product its variants show.
func TestProducts_imagesOfVariants(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		path := "/products/" + c.product
		ids := c.withImages(v, 3)

		form := v.get(path).form("product-form")
		form["variant.0.image"] = []string{ids[1]}
		form["variant.1.image"] = []string{ids[0], ids[2]}
		v.post(path, form).wantRedirect(path)
		c.wantImages(0, ids[1])
		c.wantImages(1, ids[0], ids[2])

		// Those that stay keep their order, and a form without the ticks leaves them alone.
		form = v.get(path).form("product-form")
		form["variant.0.image"] = []string{ids[0], ids[1]}
		v.post(path, form).wantRedirect(path)
		c.wantImages(0, ids[1], ids[0])

		form = v.get(path).form("product-form")
		form.Set("name", "Tall boots")
		form.Del("variant_images")
		form.Del("variant.0.image")
		v.post(path, form).wantRedirect(path)
		c.wantImages(0, ids[1], ids[0])

		form = v.get(path).form("product-form")
		form.Del("variant.0.image")
		v.post(path, form).wantRedirect(path)
		c.wantImages(0)
		c.wantImages(1, ids[0], ids[2])

		other := s.OK(201, "POST", "/v2/products", `{"name":"Hat","variants":[]}`, apitest.As(s.store.SecretKey))
		hat := "/products/" + other.Text("data.id")
		v.upload(hat+"/images", blobtest.EncodePNG(20, 20, 200)).wantStatus(303)
		foreign := v.get(hat).form("product-form").Get("image")
		form = v.get(path).form("product-form")
		form["variant.1.image"] = []string{foreign}
		v.post(path, form).wantStatus(422).
			contains("Row 2", "An image that was ticked is no longer one of this product.")
		c.wantImages(1, ids[0], ids[2])
	})
}

// A variant keeps an image of its own until its tick is taken away.
func TestProducts_ownImagesOfVariants(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	v := s.owner()
	path := "/products/" + c.product
	ids := c.withImages(v, 2)
	v.post(path+"/images/"+ids[0]+"/remove", url.Values{}).wantStatus(303)
	variant := c.read(c.product).Text("data.variants.0.id")
	s.OK(200, "PUT", "/v2/products/"+c.product+"/variants/"+variant, map[string]any{"images": []string{ids[0]}},
		apitest.As(s.store.SecretKey))

	form := v.get(path).contains("Its own image").form("product-form")
	form["variant.0.image"] = []string{ids[0], ids[1]}
	v.post(path, form).wantRedirect(path)
	c.wantImages(0, ids[0], ids[1])

	form = v.get(path).form("product-form")
	form["variant.0.image"] = []string{ids[1]}
	v.post(path, form).wantRedirect(path)
	c.wantImages(0, ids[1])
}

// Who saves last sees which images somebody else has chosen meanwhile. Images that are removed beside the form are no
// reason to refuse it.
func TestProducts_imagesOfVariantsConflict(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		c := newShelf(s)
		v := s.owner()
		path := "/products/" + c.product
		ids := c.withImages(v, 4)

		first := v.get(path).form("product-form")
		second := v.get(path).form("product-form")
		third := v.get(path).form("product-form")
		first["variant.0.image"] = []string{ids[1]}
		v.post(path, first).wantRedirect(path)

		second["variant.0.image"] = []string{ids[2]}
		conflict := v.post(path, second).wantStatus(409)
		conflict.contains("S: images", "Image 2", "Image 3")
		v.post(path, conflict.form("product-form")).wantRedirect(path)
		c.wantImages(0, ids[2])

		third.Set("name", "Tall boots")
		conflict = v.post(path, third).wantStatus(409)
		v.post(path, conflict.form("product-form")).wantRedirect(path)
		c.wantImages(0, ids[2])

		form := v.get(path).form("product-form")
		form["variant.1.image"] = []string{ids[0], ids[3]}
		v.post(path, form).wantRedirect(path)
		form = v.get(path).form("product-form")
		v.post(path+"/images/"+ids[0]+"/remove", url.Values{}).wantStatus(303)
		form.Set("name", "Low boots")
		v.post(path, form).wantRedirect(path)
		c.wantImages(1, ids[3])
	})
}

// One step gives the rows with the same value of an option the images of the first of them.
func TestProducts_copyImagesToVariantsThatLookAlike(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	v := s.owner()
	path := "/products/" + c.product
	ids := c.withImages(v, 2)

	form := v.get(path).form("product-form")
	form.Set("step", "add-variant")
	form = v.post(path, form).wantStatus(200).form("product-form")
	form.Set("variant.2.option.0", "l")
	form["variant.0.image"] = []string{ids[0]}
	form["variant.1.image"] = []string{ids[1]}
	form.Set("images_option", c.option)
	form.Set("step", "copy-images")
	form = v.post(path, form).wantStatus(200).form("product-form")

	if got := form["variant.2.image"]; !slices.Equal(got, []string{ids[1]}) {
		t.Errorf("the new row has the images %v, want those of the row with the same size", got)
	}
	if got := form["variant.0.image"]; !slices.Equal(got, []string{ids[0]}) {
		t.Errorf("the row with another size has the images %v", got)
	}
	c.wantImages(1)
}

// In Chromium, images that are uploaded beside the form can be ticked at once, and removed ones lose their ticks.
func TestBrowser_imagesOfVariants(t *testing.T) {
	t.Parallel()
	s := newFixture(t, database.SQLite)
	c := newShelf(s)
	b := newTab(t, true)
	base := strings.Replace(s.AdminURL, "127.0.0.1", "localhost", 1)
	b.do(chromedp.Navigate(base+"/products/"+c.product), chromedp.WaitVisible(chromedp.ID("email")))
	b.signIn(s.store.AdminEmail, s.store.AdminPassword)
	b.do(chromedp.WaitVisible(chromedp.ID("description")))
	click := func(selector string) {
		t.Helper()
		evaluate(b, chromedp.Evaluate[bool](fmt.Sprintf("document.querySelector(%q).click(), true", selector)))
	}

	var files []string
	for i := range 2 {
		file := filepath.Join(t.TempDir(), "boots.png")
		if err := os.WriteFile(file, blobtest.EncodePNG(60, 40, byte(90*i)), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	b.do(chromedp.SetUploadFiles(chromedp.ID("picture-file"), files),
		chromedp.WaitVisible(chromedp.CSS("[data-picture]:nth-child(2) img")))
	ids := c.imageIDs()

	click("[data-choose] summary")
	click(`input[name="variant.0.image"][value="` + ids[0] + `"]`)
	click(`input[name="variant.0.image"][value="` + ids[1] + `"]`)
	b.wantFitsPhone("the images of variants")
	click(`button[value="remove-picture:` + ids[0] + `"]`)
	b.do(chromedp.WaitNotPresent(chromedp.CSS(`[data-choices] input[value="`+ids[0]+`"]`)),
		chromedp.WaitVisible(chromedp.CSS("[data-choose] [data-chosen] img")), b.press("Save"),
		chromedp.WaitVisible(chromedp.CSS(".toast")))
	c.wantImages(0, ids[1])
	c.wantImages(1)
}
