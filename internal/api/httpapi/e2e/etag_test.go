package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// A single resource has an ETag, which changes with the resource. A list has none.
func TestETag_changesWithTheResource(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, list := range []string{optionsPath, "/v2/features", "/v2/products"} {
			made := s.OK(201, "POST", list, `{"name": "x"}`)
			path := list + "/" + made.Text("data.id")
			tag := made.Header.Get("ETag")
			if tag == "" || s.Get(path).Header.Get("ETag") != tag || s.Do("HEAD", path, nil).Header.Get("ETag") != tag {
				t.Errorf("%s: made with %q, read with %q", list, tag, s.Get(path).Header.Get("ETag"))
			}

			changed := s.OK(200, "PUT", path, `{"name": "y"}`).Header.Get("ETag")
			if changed == tag || s.Get(path).Header.Get("ETag") != changed {
				t.Errorf("%s: the change keeps the tag %s", list, tag)
			}
			if s.Get(list).Header.Get("ETag") != "" {
				t.Errorf("%s: a list has a tag", list)
			}
		}

		// A new value changes the tag of its option. A refused change does not.
		path := createOption(s)
		tag := func() string { return s.Get(path).Header.Get("ETag") }
		before := tag()
		s.WantProblem("422 values[0].name required", "PUT", path, `{"values": [{}]}`)
		if tag() != before {
			t.Error("a refused edit changes the tag")
		}

		s.OK(200, "PUT", path, `{"values": [{"name": "M"}]}`)
		if tag() == before {
			t.Error("a new value leaves the tag")
		}
		if s.Get("/v2/store").Header.Get("ETag") == "" {
			t.Error("the store has no tag")
		}
	})
}

// With dates=iso a response does not age, so a list has an ETag, too, and a cache may revalidate it.
func TestISODates_areCacheable(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		const query = "?dates=iso"
		product := s.OK(201, "POST", "/v2/products", `{"name": "x"}`).Text("data.id")
		key := apitest.As(s.Publishable)
		for _, path := range []string{"/v2/products", "/v2/products/" + product, "/v2/store", "/v2/categories"} {
			r := s.Get(path+query, key)
			tag := r.Header.Get("ETag")
			vary := strings.Join(r.Header.Values("Vary"), ", ")
			if tag == "" || r.Header.Get("Cache-Control") != "public, max-age=0, must-revalidate" ||
				!strings.Contains(vary, "Authorization") || !strings.Contains(vary, "Accept-Encoding") {
				t.Errorf("%s has the headers %v", path, r.Header)
			}

			same := s.Do("GET", path+query, nil, key, apitest.Header("If-None-Match", tag))
			if same.Status != 304 || len(same.Body) != 0 || same.Header.Get("ETag") != tag ||
				strings.Join(same.Header.Values("Vary"), ", ") != vary {
				t.Errorf("%s with its tag is %d %v", path, same.Status, same.Header)
			}

			if private := s.Get(path + query).Header.Get("Cache-Control"); private != "private, no-cache" {
				t.Errorf("%s with a secret key is %s", path, private)
			}
			if aging := s.Get(path, key); aging.Header.Get("Cache-Control") != "private, no-cache" {
				t.Errorf("%s without the parameter is %s", path, aging.Header.Get("Cache-Control"))
			}
		}

		if got := s.Get("/v2/orders" + query).Header.Get("Cache-Control"); got != "private, no-cache" {
			t.Errorf("orders are %s", got)
		}

		// A change is never hidden.
		list := s.Get("/v2/products" + query)
		one := s.Get("/v2/products/" + product + query)
		if list.Text("data.0.created_at") != "2026-11-14T12:00:05Z" {
			t.Errorf("the list shows %s", list.Body)
		}

		s.OK(200, "PUT", "/v2/products/"+product, `{"name": "y"}`, apitest.Header("If-Match", one.Header.Get("ETag")))
		s.WantProblem("412 precondition_failed", "PUT", "/v2/products/"+product, `{"name": "z"}`,
			apitest.Header("If-Match", one.Header.Get("ETag")))

		for path, old := range map[string]string{"/v2/products": list.Header.Get("ETag"),
			"/v2/products/" + product: one.Header.Get("ETag")} {
			if r := s.Get(path+query, apitest.Header("If-None-Match", old)); !strings.Contains(string(r.Body), `"y"`) {
				t.Errorf("%s with the old tag is %s", path, r.Body)
			}
		}
	})
}

// PUT and DELETE with an If-Match that does not contain the current tag get a 412.
func TestIfMatch_staleTagIs412(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		for _, list := range []string{optionsPath, "/v2/product-variants", "/v2/features", "/v2/products"} {
			create := list
			if list == "/v2/product-variants" {
				create = optionsPath
			}

			id := s.OK(201, "POST", create, `{"name": "x"}`).Text("data.id")
			path := list + "/" + id
			s.OK(200, "PUT", path, `{"name": "y"}`) // the tag is "v2" now
			for _, stale := range []string{`"v1"`, `"v3"`, `W/"v2"`, `v2`, `"V2"`, `"v2`, `"v1", "v3"`, `""`, `"*"`,
				`W/"v2", "v1"`, "nonsense"} {
				s.WantProblem("412 precondition_failed", "PUT", path, `{"name": "never"}`,
					withHeader("If-Match", stale))
				if list != "/v2/product-variants" {
					s.WantProblem("412 precondition_failed", "DELETE", path, nil, withHeader("If-Match", stale))
				} else {
					s.WantProblem("412 precondition_failed", "DELETE", path,
						`{"removed_values": ["018f0000-0000-7000-8000-000000000000"]}`, withHeader("If-Match", stale))
				}
			}

			version := 2
			for _, good := range []string{`"v%d"`, `*`, `"v1", "v%d"`, `"v%d","v1"`, ` "v%d" `, `W/"v1", "v%d"`} {
				if strings.Contains(good, "%") {
					good = fmt.Sprintf(good, version)
				}
				s.OK(200, "PUT", path, `{"name": "z"}`, withHeader("If-Match", good))
				version++
			}

			s.OK(200, "PUT", path, `{"name": "z"}`,
				apitest.HeaderLines("If-Match", `"v1"`, fmt.Sprintf(`"v%d"`, version)))
			version++

			// A resource that does not exist gets a 404, even with If-Match. An invalid body gets a 422, even with a
			// stale tag.
			s.WantProblem("404 not_found", "PUT", list+"/018f0000-0000-7000-8000-000000000000", `{"name": "x"}`,
				withHeader("If-Match", `*`))
			s.WantProblem("422 name required", "PUT", path, `{"name": ""}`, withHeader("If-Match", `"v1"`))

			if list != "/v2/product-variants" {
				s.OK(204, "DELETE", path, nil, withHeader("If-Match", fmt.Sprintf(`"v%d"`, version)))
			}
		}

		// GET ignores If-Match.
		s.Get(optionsPath, withHeader("If-Match", `"v9"`))
	})
}

// Of several concurrent edits with the same If-Match exactly one succeeds.
func TestIfMatch_onlyOneConcurrentEditSucceeds(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		path := createOption(s)
		const editors = 12
		statuses := make([]int, editors)
		var wait sync.WaitGroup
		for i := range editors {
			wait.Go(func() {
				if r, err := s.Try("PUT", path,
					fmt.Sprintf(`{"name": "editor %d", "values": [{"name": "of %d"}]}`, i, i),
					withHeader("If-Match", `"v1"`)); err == nil {
					statuses[i] = r.Status
				}
			})
		}

		wait.Wait()
		winner := -1
		for i, status := range statuses {
			switch {
			case status == 200 && winner < 0:
				winner = i
			case status != 412:
				t.Errorf("editor %d got %d", i, status)
			}
		}

		r := s.Get(path + "?with=values")
		if r.Text("data.name") != fmt.Sprint("editor ", winner) || r.Len("data.values") != 2 ||
			r.Text("data.values.1.name") != fmt.Sprint("of ", winner) {
			t.Errorf("editor %d won, and it is %s", winner, r.Body)
		}
	})
}

// Concurrent edits without If-Match are all applied, one after the other. No value is lost.
func TestEdit_concurrentEditsLoseNothing(t *testing.T) {
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		path := createOption(s)
		const editors = 24
		var wait sync.WaitGroup
		for i := range editors {
			wait.Go(func() {
				if r, err := s.Try("PUT", path,
					fmt.Sprintf(`{"values": [{"name": "a%d"}, {"name": "b%d"}]}`, i, i)); err != nil ||
					r.Status != 200 {
					t.Errorf("editor %d: %v %v", i, r, err)
				}
			})
		}

		wait.Wait()
		r := s.Get(path + "?with=values")
		if r.Len("data.values") != 1+2*editors || r.Header.Get("ETag") != fmt.Sprintf(`"v%d"`, 1+editors) ||
			s.Get(path+"/values").Text("meta.total") != fmt.Sprint(1+2*editors) {
			t.Errorf("%d values with %s, want %d", r.Len("data.values"), r.Header.Get("ETag"), 1+2*editors)
		}
	})
}
