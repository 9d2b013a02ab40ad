package adminui_test

import (
	"html"
	"net/url"
	"os"
	"strings"
	"testing"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

// settingsForm returns the form that the settings page would send. The arguments
// changes are names and values, in turn, of fields to set.
func (v *client) settingsForm(changes ...string) url.Values {
	v.t.Helper()
	p := v.get("/settings").wantStatus(200)
	f := url.Values{"version": {p.between(`name="version" value="`, `"`)}, "name": {"North Shop"},
		"timezone": {"Europe/Moscow"}, "locale": {"en"}, "currency": {"USD"}, "site_url": {""}}
	for i := 0; i+1 < len(changes); i += 2 {
		f.Set(changes[i], changes[i+1])
	}
	return f
}

// sitesForm returns the form of the page of the sites.
func (v *client) sitesForm(origins string) url.Values {
	v.t.Helper()
	p := v.get("/settings/sites").wantStatus(200)
	return url.Values{"version": {p.between(`name="version" value="`, `"`)}, "cors_origins": {origins}}
}

func (s *fixture) storedSettings() store.Store {
	s.t.Helper()
	one, err := s.App.Stores.Find(s.t.Context(), s.store.StoreID)
	if err != nil {
		s.t.Fatal(err)
	}
	return one
}

func TestSettings_areSaved(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.post("/settings",
			v.settingsForm("name", `Nord <script>alert("x")</script>`, "timezone", "Asia/Almaty", "locale", "kk",
				"currency", " kzt ", "site_url", "https://nord.example/")).wantRedirect("/settings")
		v.get("/settings").wantStatus(200).
			contains(`<option selected>Asia/Almaty</option>`, `<option value="kk" selected>`, `value="KZT"`,
				html.EscapeString(`Nord <script>`)).omits("<script>alert")
		v.get("/settings/sites").wantStatus(200).contains("Add https://nord.example")
		v.post("/settings/sites", v.sitesForm("https://nord.example\r\n\r\n  http://localhost:3000 \r\n")).
			wantRedirect("/settings/sites")
		v.get("/settings/sites").wantStatus(200).contains("https://nord.example\nhttp://localhost:3000</textarea>").
			omits("Add https://nord.example")

		got := s.storedSettings()
		if got.Timezone != "Asia/Almaty" || got.Locale != "kk" || got.Currency != "KZT" ||
			got.SiteURL != "https://nord.example/" ||
			strings.Join(got.CORSOrigins, " ") != "https://nord.example http://localhost:3000" {
			t.Errorf("the store is %+v", got)
		}

		v.get("/settings").wantStatus(200).contains("Asia/Almaty", "kk").omits("<script>alert")
	})
}

func TestSettings_showErrorsBesideTheField(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		before := s.storedSettings()
		for _, c := range []struct{ field, value, message string }{
			{"name", "", "The name is empty"},
			{"name", "bad\x00", "control characters"},
			{"timezone", "Mars/Olympus", "This timezone is not known"},
			{"locale", "tlh", "This locale is not known"},
			{"currency", "QQQ", "This currency is not known"},
			{"site_url", "shop.example", "does not begin with https://"},
			{"cors_origins", "https://a.example\nhttps://b.example/path",
				"https://b.example/path: An origin is a scheme"},
		} {
			path := "/settings"
			form := v.settingsForm(c.field, c.value, "name",
				map[bool]string{true: c.value, false: "Renamed"}[c.field == "name"])
			if c.field == "cors_origins" {
				path = "/settings/sites"
				form = v.sitesForm(c.value)
			}

			p := v.post(path, form).wantStatus(422).wantHTML().contains("Nothing was saved")
			message := html.UnescapeString(p.between(`id="`+c.field+`-wrong">`, "</div>"))
			if !strings.Contains(message, c.message) {
				t.Errorf("%s %q: the message beside the field is %q", c.field, c.value, message)
			}

			tag := p.between(`id="`+c.field+`" name="`+c.field+`"`, ">")
			if !strings.Contains(tag, `aria-invalid="true"`) || !strings.Contains(tag, c.field+"-wrong") {
				t.Errorf("%s %q: the field does not refer to the message: %s", c.field, c.value, tag)
			}
			if strings.Count(p.text, `class="wrong"`) != 1 {
				t.Errorf("%s %q: other fields are marked too", c.field, c.value)
			}

			if c.field != "name" && c.field != "cors_origins" {
				p.contains(`value="Renamed"`) // the form keeps the input
			}
		}

		if after := s.storedSettings(); after.Version != before.Version {
			t.Error("a refused form changed the store")
		}
	})
}

func TestSettings_detectConcurrentEdits(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		mine := v.settingsForm("name", "Mine")
		theirs := v.settingsForm("name", "Theirs")
		v.post("/settings", theirs).wantRedirect("/settings")
		p := v.post("/settings", mine).wantStatus(409).wantHTML().
			contains("Somebody else changed the settings", `value="Mine"`, "<td>Theirs</td><td>Mine</td>")

		if got := s.storedSettings().Name; got != "Theirs" {
			t.Errorf("the name is %q, want Theirs", got)
		}

		mine.Set("version", p.between(`name="version" value="`, `"`))
		v.post("/settings", mine).wantRedirect("/settings")

		if got := s.storedSettings().Name; got != "Mine" {
			t.Errorf("the name is %q, want Mine", got)
		}
	})
}

func TestSettings_refuseOversizedForm(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		v.post("/settings/sites", v.sitesForm(strings.Repeat("x", 2<<20))).wantStatus(413).wantHTML()
	})
}

func TestKeys_ofAnotherStoreAreNotFound(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *fixture) {
		v := s.owner()
		theirs := s.keys(s.Provision("owner@south.example"))
		for _, keyID := range []string{theirs[0].ID.String(), id.New[store.Store]().String(), "no-uuid"} {
			for _, action := range []string{"rotate", "revoke"} {
				v.get("/keys/" + keyID + "/" + action).wantStatus(404).wantHTML().
					contains("There is no such key in this store.")
				v.post("/keys/"+keyID+"/"+action,
					url.Values{"overlap_hours": {"1"}, "password": {s.store.AdminPassword}}).wantStatus(404).wantHTML()
			}
		}
		v.get("/keys").wantStatus(200).omits(theirs[0].Hint)
	})
}

// A store accepts every timezone that the page offers.
func TestZones_areKnown(t *testing.T) {
	text, err := os.ReadFile("settingsui/zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(text))
	if len(names) < 400 {
		t.Errorf("zones.txt has only %d zones", len(names))
	}
	for _, name := range names {
		if _, err := locale.Zone(name); err != nil {
			t.Error(err)
		}
	}
}
