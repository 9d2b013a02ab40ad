package protection

import (
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// settingsEntry returns what the log says about a change of the settings. Of a secret key it says only that it was
// replaced. The entry has no action if nothing changed.
func settingsEntry(before, after store.Store, captchaBefore, captchaAfter Settings) audit.Entry {
	from := settingsFields(before, captchaBefore)
	to := settingsFields(after, captchaAfter)
	var changes []audit.Change
	for i, field := range from {
		if field.text != to[i].text {
			changes = append(changes, audit.Change{Field: field.name, From: field.text, To: to[i].text})
		}
	}

	if string(captchaBefore.secret) != string(captchaAfter.secret) {
		changes = append(changes, audit.Change{Field: "recaptcha.secret_key"})
	}

	if changes == nil {
		return audit.Entry{}
	}

	return audit.Entry{Action: audit.SettingsChanged, Object: audit.Object{Kind: "settings", Label: after.Name},
		Changes: changes}
}

type settingsField struct{ name, text string }

// settingsFields returns the settings as text, in the order of the API. Secrets are left out.
func settingsFields(s store.Store, c Settings) []settingsField {
	fields := []settingsField{
		{"name", s.Name}, {"timezone", s.Timezone}, {"locale", s.Locale}, {"currency", s.Currency},
		{"site_url", s.SiteURL}, {"address", s.Address}, {"paths.product", string(s.Paths.Product)},
		{"paths.category", string(s.Paths.Category)}, {"cors_origins", strings.Join(s.CORSOrigins, ", ")},
		{"public_remainders", strconv.FormatBool(s.PublicRemainders)}, {"old_price_list", oldPriceList(s)},
		{"recaptcha.active", strconv.FormatBool(c.Active)}, {"recaptcha.provider", string(c.Provider)},
		{"recaptcha.public_key", c.PublicKey}, {"recaptcha.site_url", c.SiteURL},
		{"recaptcha.extra_hosts", strings.Join(c.ExtraHosts, ", ")},
		{"recaptcha.on_provider_error", string(c.OnProviderError)},
	}
	for _, a := range Actions() {
		text := ""
		if i := slices.IndexFunc(c.Actions, func(p ProtectedAction) bool { return p.Action == a }); i >= 0 {
			text = strconv.FormatFloat(c.Actions[i].Threshold, 'f', -1, 64)
			if c.Actions[i].Shadow {
				text += " (shadow)"
			}
		}
		fields = append(fields, settingsField{"recaptcha.actions." + string(a), text})
	}

	return fields
}

// oldPriceList returns the id of the list of old prices, or "".
func oldPriceList(s store.Store) string {
	if s.OldPriceList == nil {
		return ""
	}
	return s.OldPriceList.String()
}
