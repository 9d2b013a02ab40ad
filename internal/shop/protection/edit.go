package protection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const (
	maxKey        = 512 // bytes; keys of the providers have 40 to 80
	maxExtraHosts = 100
)

// Edit is a partial update of the settings: nil fields stay unchanged. An empty key deletes the stored key.
type Edit struct {
	Active                       *bool
	Provider, PublicKey, SiteURL *string
	SecretKey                    *string
	OnProviderError              *string
	ExtraHosts                   *[]string
	Actions                      *[]ProtectedAction // the full list
}

// apply returns s with the edit applied, and the invalid fields. seal encrypts the secret key. storeSite is the site
// URL of the store, which applies if the settings have none.
func (e Edit) apply(s Settings, storeSite string, seal func(string) []byte) (Settings, []fault.Field) {
	var broken []fault.Field

	set := func(field string, from *string, rule func(string) *fault.Field, keep func(string)) {
		if from == nil {
			return
		}

		value := strings.TrimSpace(*from)
		if bad := rule(value); bad != nil {
			bad.Field = "recaptcha." + field
			broken = append(broken, *bad)
			return
		}

		keep(value)
	}
	if e.Active != nil {
		s.Active = *e.Active
	}

	set("provider", e.Provider, checkProvider, func(v string) { s.Provider = captcha.Provider(v) })
	set("public_key", e.PublicKey, checkCaptchaKey, func(v string) { s.PublicKey = v })
	set("secret_key", e.SecretKey, checkCaptchaKey, func(v string) {
		s.secret = nil
		if v != "" {
			s.secret = seal(v)
		}
	})
	set("site_url", e.SiteURL, checkSite, func(v string) { s.SiteURL = v })

	if e.ExtraHosts != nil {
		hosts, bad := checkHosts(*e.ExtraHosts)
		broken = append(broken, bad...)
		s.ExtraHosts = hosts
	}

	set("on_provider_error", e.OnProviderError, checkOnProviderError,
		func(v string) { s.OnProviderError = OnProviderError(v) })

	if e.Actions != nil {
		broken = append(broken, checkActions(*e.Actions)...)
		s.Actions = *e.Actions
	}

	if len(broken) == 0 {
		broken = s.missingFields(storeSite)
	}

	return s, broken
}

// missingFields returns an error for each field that an active protection needs and s lacks.
func (s Settings) missingFields(storeSite string) []fault.Field {
	if !s.Active {
		return nil
	}
	var missing []fault.Field
	require := func(there bool, field, what string) {
		if !there {
			missing = append(missing, fault.NewField("recaptcha."+field, "required",
				"The captcha is active and has no %s; give it one, or set active to false.", what))
		}
	}
	require(s.PublicKey != "", "public_key", "public key")
	require(s.SecretKeySet(), "secret_key", "secret key")
	_, ok := hostOf(cmp.Or(s.SiteURL, storeSite))
	require(ok, "site_url", "site address, nor has the store (site_url) one with a valid host")
	return missing
}

func checkProvider(name string) *fault.Field {
	if !slices.Contains(captcha.Providers(), captcha.Provider(name)) {
		return fault.Broken("unknown_provider", "This captcha provider is not known; use one of %s.",
			joinList(captcha.Providers()))
	}
	return nil
}

func checkCaptchaKey(key string) *fault.Field {
	switch {
	case len(key) > maxKey:
		return fault.Broken("too_long", "The key has %d bytes; at most %d are allowed.", len(key), maxKey)
	case strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }):
		return fault.Broken("invalid_characters",
			"The key holds blanks or characters that no key has; copy it from the provider's page once more.")
	}
	return nil
}

func checkSite(address string) *fault.Field {
	if _, bad := store.CheckSiteURL(address); bad != nil {
		return bad
	}
	if _, ok := hostOf(address); address != "" && !ok {
		return fault.Broken("invalid_url",
			`The host of the address is not valid; write an absolute address such as "https://shop.example", `+
				`or leave it empty.`)
	}
	return nil
}

// checkHosts validates and normalizes hosts. It removes duplicates and preserves the order.
func checkHosts(hosts []string) ([]string, []fault.Field) {
	if len(hosts) > maxExtraHosts {
		return nil, []fault.Field{{Field: "recaptcha.extra_hosts", Code: "too_many",
			Message: fmt.Sprintf("There are %d hosts; at most %d are allowed.", len(hosts), maxExtraHosts)}}
	}

	var broken []fault.Field
	normalized := []string{}
	for i, text := range hosts {
		host, ok := captcha.NormalizeHost(strings.TrimSpace(text))
		if !ok {
			broken = append(broken, fault.Field{Field: fmt.Sprintf("recaptcha.extra_hosts[%d]", i),
				Code:    "invalid_host",
				Message: `This is no host; write a name without a scheme or a path, such as "www.shop.example".`})
			continue
		}

		if !slices.Contains(normalized, host) {
			normalized = append(normalized, host)
		}
	}

	return normalized, broken
}

func checkOnProviderError(word string) *fault.Field {
	if OnProviderError(word) != RejectOnError && OnProviderError(word) != AllowOnError {
		return fault.Broken("unknown_value", `Use "reject" or "allow".`)
	}
	return nil
}

func checkActions(actions []ProtectedAction) []fault.Field {
	var broken []fault.Field
	seen := map[Action]bool{}
	for i, p := range actions {
		path := fmt.Sprintf("recaptcha.actions[%d]", i)
		switch {
		case !p.Action.valid():
			broken = append(broken, fault.NewField(path+".id", "unknown_action",
				"This action is not known; use some of %s.", joinList(Actions())))
		case seen[p.Action]:
			broken = append(broken, fault.NewField(path+".id", "duplicate",
				"This action is in the list twice; name it once."))
		}

		if !(p.Threshold >= 0 && p.Threshold <= 1) {
			broken = append(broken, fault.NewField(path+".threshold", "out_of_range",
				"A threshold is a number from 0 to 1, such as 0.5."))
		}

		seen[p.Action] = true
	}

	return broken
}

func joinList[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return strings.Join(list, ", ")
}
