package adminapi

import (
	"strconv"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/protection"
)

// readCaptcha reads the member recaptcha of the settings.
func readCaptcha(r *wire.Reader) protection.Edit {
	var e protection.Edit
	text := func(to **string) {
		if s, ok := r.String(); ok {
			*to = &s
		}
	}
	r.Object(func(name string) {
		switch name {
		case "active":
			if b, ok := r.Bool(); ok {
				e.Active = &b
			}
		case "provider":
			text(&e.Provider)
		case "public_key":
			text(&e.PublicKey)
		case "secret_key":
			text(&e.SecretKey)
		case "site_url":
			text(&e.SiteURL)
		case "extra_hosts":
			if list, ok := readStrings(r); ok {
				e.ExtraHosts = &list
			}
		case "on_provider_error":
			text(&e.OnProviderError)
		case "actions":
			list := []protection.ProtectedAction{}
			if r.Array(func(int) { list = append(list, readAction(r)) }) {
				e.Actions = &list
			}
		}
	})
	return e
}

func readAction(r *wire.Reader) protection.ProtectedAction {
	p, named := protection.ProtectedAction{Threshold: protection.DefaultThreshold}, false
	isObject := r.Object(func(name string) {
		switch name {
		case "id":
			named = true
			id, _ := r.String()
			p.Action = protection.Action(id)
		case "threshold":
			if text, ok := r.Number(); ok {
				p.Threshold = threshold(text)
			}
		case "shadow":
			p.Shadow, _ = r.Bool()
		}
	})
	if isObject && !named {
		r.FailAt("id", "required", "Name the action that is to be protected.")
	}
	return p
}

// threshold reads a JSON number. One beyond what a float holds is infinite, which is no threshold.
func threshold(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

func captchaOf(s protection.Settings) Captcha {
	shape := Captcha{
		Active: s.Active, Provider: string(s.Provider), PublicKey: s.PublicKey, SecretKeySet: s.SecretKeySet(),
		SiteURL: s.SiteURL, ExtraHosts: s.ExtraHosts,
		OnProviderError: string(s.OnProviderError),
	}
	for _, p := range s.Actions {
		shape.Actions = append(shape.Actions, ProtectedAction{ID: string(p.Action), Threshold: score(p.Threshold), Shadow: p.Shadow})
	}
	return shape
}
