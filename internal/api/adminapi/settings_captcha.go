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

func appendCaptcha(b []byte, s protection.Settings) []byte {
	b = append(b, `{"active":`...)
	b = strconv.AppendBool(b, s.Active)
	b = append(b, `,"provider":`...)
	b = wire.AppendString(b, string(s.Provider))
	b = append(b, `,"public_key":`...)
	b = wire.AppendString(b, s.PublicKey)
	b = append(b, `,"secret_key_set":`...)
	b = strconv.AppendBool(b, s.SecretKeySet())
	b = append(b, `,"site_url":`...)
	b = wire.AppendString(b, s.SiteURL)
	b = append(b, `,"extra_hosts":`...)
	b = appendStrings(b, s.ExtraHosts)
	b = append(b, `,"on_provider_error":`...)
	b = wire.AppendString(b, string(s.OnProviderError))
	b = append(b, `,"actions":[`...)
	for i, p := range s.Actions {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"id":`...)
		b = wire.AppendString(b, string(p.Action))
		b = append(b, `,"threshold":`...)
		b = strconv.AppendFloat(b, p.Threshold, 'f', -1, 64)
		b = append(b, `,"shadow":`...)
		b = strconv.AppendBool(b, p.Shadow)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}
