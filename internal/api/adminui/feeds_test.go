package adminui_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestFeeds_areMadeEditedAndDeleted(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.withT(t).owner()
		v.get("/settings/feeds").wantStatus(200).contains("There are no feeds.", "no address of its site")
		v.get("/settings/new-feed").wantStatus(200).contains("Make the feed")
		v.get("/settings/feeds", "Accept-Language", "ru").wantStatus(200).contains("Фиды", "Поиск в магазине")
		v.post("/settings/feeds", url.Values{"name": {"Not right"}, "format": {"yml"}, "filter.price_from": {"x"}}).
			wantStatus(422).contains(`aria-invalid="true"`)
		form := url.Values{"name": {"market"}, "format": {"google"}, "in_stock": {"1"}, "filter.price_from": {"10,5"},
			"brand_text": {"Acme & Sons"}, "mapping.mpn": {"sku"}}
		v.post("/settings/feeds", form).wantRedirect("/settings/feeds/market")
		v.post("/settings/feeds", form).wantStatus(422).contains("a feed with this name already")

		page := v.get("/settings/feeds/market").wantStatus(200).contains("Acme &amp; Sons", "10.5", "fk_")
		address := func(text string) string {
			return html.UnescapeString(regexp.MustCompile(`http[^<]*/v2/feeds/market\?key=fk_[0-9A-Za-z]+`).
				FindString(text))
		}
		first := address(page.text)
		v.post("/settings/feeds/market", url.Values{"format": {"csv"}, "version": {"7"}}).wantStatus(422)
		v.post("/settings/feeds/market", url.Values{"format": {"xml"}, "version": {"1"}}).wantStatus(422)
		v.post("/settings/feeds/market", url.Values{"format": {"csv"}, "version": {"1"},
			"filter.category": {"none"}}).wantStatus(422).contains("no category with this id")
		v.post("/settings/feeds/market", url.Values{"format": {"csv"}, "version": {"1"}}).
			wantRedirect("/settings/feeds/market")
		v.post("/settings/feeds/market/key", url.Values{}).wantRedirect("/settings/feeds/market")
		if second := address(v.get("/settings/feeds/market").text); first == "" || second == first {
			t.Errorf("the address is %q after %q", second, first)
		}

		v.get("/settings/feeds/market/report").wantStatus(200).contains("The feed cannot be read")
		v.post("/settings/feeds/market/delete", url.Values{}).wantRedirect("/settings/feeds")
		v.post("/settings/feeds/market/delete", url.Values{}).wantStatus(404)
		v.get("/settings/feeds/market").wantStatus(404)
		if text := v.get("/settings/log").text; !strings.Contains(text, "Feed deleted") {
			t.Error("the log does not say that the feed was deleted")
		}
	})
}
