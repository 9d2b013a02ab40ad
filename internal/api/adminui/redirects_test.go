package adminui_test

import (
	"net/url"
	"regexp"
	"testing"
)

func TestRedirects_areMadeTriedAndDeleted(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		v.get("/settings/redirects").wantStatus(200).contains("There are no redirects.")
		v.post("/settings/redirects", url.Values{"from": {"sale"}, "to": {"/c/none"}}).wantStatus(422).
			contains(`aria-invalid="true"`)
		v.post("/settings/redirects", url.Values{"from": {"/sale"}, "to": {"/c/none"}}).
			wantRedirect("/settings/redirects")
		page := v.get("/settings/redirects?path=/sale").wantStatus(200).contains("By a redirect to", "/c/none")
		v.get("/settings/redirects?path=nonsense").wantStatus(200).contains("begins with a slash")
		v.get("/settings/redirects?path=/nowhere&page=9").wantStatus(200).contains("This path leads to nothing.")

		action := regexp.MustCompile(`/settings/redirects/[0-9a-f-]+/delete`).FindString(page.text)
		v.post(action, url.Values{}).wantRedirect("/settings/redirects")
		v.post(action, url.Values{}).wantStatus(404)
		v.get("/settings/redirects").contains("There are no redirects.")
	})
}
