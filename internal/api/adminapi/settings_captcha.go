package adminapi

import (
	"strconv"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/protection"
)

// readCaptcha reads the member recaptcha of the settings.
func readCaptcha(r *wire.Reader) (e protection.Edit) {
	r.Object(func(name string) {
		switch name {
		case "active":
			e.Active = wire.OrNil(r.Bool())
		case "provider":
			e.Provider = wire.OrNil(r.String())
		case "public_key":
			e.PublicKey = wire.OrNil(r.String())
		case "secret_key":
			e.SecretKey = wire.OrNil(r.String())
		case "site_url":
			e.SiteURL = wire.OrNil(r.String())
		case "extra_hosts":
			e.ExtraHosts = wire.OrNil(readStrings(r))
		case "on_provider_error":
			e.OnProviderError = wire.OrNil(r.String())
		case "actions":
			e.Actions = wire.ListUpTo(r, maxListed, readProtectedAction)
		}
	})

	return e
}

func readProtectedAction(r *wire.Reader) protection.ProtectedAction {
	action := protection.ProtectedAction{Threshold: protection.DefaultThreshold}
	r.ObjectWith(func(name string) {
		switch name {
		case "id":
			id, _ := r.String()
			action.Action = protection.Action(id)
		case "threshold":
			if text, ok := r.Number(); ok {
				action.Threshold = parseJSONThreshold(text)
			}
		case "shadow":
			action.Shadow, _ = r.Bool()
		}
	}, wire.Required{Member: "id", Message: "Name the action that is to be protected."})
	return action
}

// parseJSONThreshold parses a JSON number. A number too large for a float64 becomes infinite, which protection refuses
// as out of range.
func parseJSONThreshold(text string) float64 {
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
