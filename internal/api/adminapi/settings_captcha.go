package adminapi

import (
	"strconv"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/protection"
)

// readCaptcha reads the member recaptcha of the settings.
func readCaptcha(r *wire.Reader) protection.Edit {
	var edit protection.Edit
	text := func(to **string) {
		if s, ok := r.String(); ok {
			*to = &s
		}
	}
	r.Object(func(name string) {
		switch name {
		case "active":
			if b, ok := r.Bool(); ok {
				edit.Active = &b
			}
		case "provider":
			text(&edit.Provider)
		case "public_key":
			text(&edit.PublicKey)
		case "secret_key":
			text(&edit.SecretKey)
		case "site_url":
			text(&edit.SiteURL)
		case "extra_hosts":
			if list, ok := readStrings(r); ok {
				edit.ExtraHosts = &list
			}
		case "on_provider_error":
			text(&edit.OnProviderError)
		case "actions":
			list := []protection.ProtectedAction{}
			if r.Array(func(int) { list = append(list, readAction(r)) }) {
				edit.Actions = &list
			}
		}
	})
	return edit
}

func readAction(r *wire.Reader) protection.ProtectedAction {
	action, hasID := protection.ProtectedAction{Threshold: protection.DefaultThreshold}, false
	isObject := r.Object(func(name string) {
		switch name {
		case "id":
			hasID = true
			id, _ := r.String()
			action.Action = protection.Action(id)
		case "threshold":
			if text, ok := r.Number(); ok {
				action.Threshold = parseThreshold(text)
			}
		case "shadow":
			action.Shadow, _ = r.Bool()
		}
	})
	if isObject && !hasID {
		r.FailAt("id", "required", "Name the action that is to be protected.")
	}
	return action
}

// parseThreshold parses a JSON number. A number too large for a float64 becomes infinite, which protection refuses as
// out of range.
func parseThreshold(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

func renderCaptcha(s protection.Settings) Captcha {
	rendered := Captcha{
		Active: s.Active, Provider: string(s.Provider), PublicKey: s.PublicKey, SecretKeySet: s.SecretKeySet(),
		SiteURL: s.SiteURL, ExtraHosts: s.ExtraHosts,
		OnProviderError: string(s.OnProviderError),
	}
	for _, p := range s.Actions {
		rendered.Actions = append(rendered.Actions, ProtectedAction{ID: string(p.Action), Threshold: score(p.Threshold),
			Shadow: p.Shadow})
	}
	return rendered
}
