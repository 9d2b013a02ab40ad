// Package confirm is the table of changes for which an operator types the password again, because somebody with a
// stolen session must not be able to make them: they hand out credentials, or weaken what protects the shop. The pages
// and the JSON API use it alike. Keys and exchange tokens have no password and confirm nothing.
package confirm

import (
	"slices"

	"vitrine/internal/shop/access"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/webhook"
)

// Row is a change for which the password is needed.
type Row struct {
	Change string
	// OnPages and InJSON say which surfaces can make the change.
	OnPages, InJSON bool
}

// Table returns all such changes. A test makes each of them on both surfaces without the password.
func Table() []Row {
	return []Row{
		{"key.create", true, true},
		{"key.rotate", true, true},
		{"key.members", false, true},
		{"key.group", false, true},
		{"operator.invite", true, true},
		{"operator.edit", true, true},
		{"operator.remove", true, true},
		{"account.email", true, true},
		{"account.password", true, true},
		{"account.codes", true, false},
		{"receiver.create", true, true},
		{"receiver.secret", true, true},
		{"receiver.url", true, true},
		{"receiver.types", true, true},
		{"captcha.active", true, true},
		{"captcha.secret_key", true, true},
		{"captcha.provider", true, true},
		{"captcha.threshold", true, true},
		{"captcha.action_removed", true, true},
		{"captcha.shadow", true, true},
		{"captcha.on_provider_error", true, true},
		{"captcha.extra_hosts", true, true},
		{"captcha.site_url", true, true},
		{"mail_server.set", true, false},
		{"mail_server.remove", true, false},
		{"store.site_url", true, true}, // the host of the captcha, if that has none of its own
	}
}

// Key reports whether an edit of an exchange token lets it write more, or an edit of a publishable key shows its
// visitors the prices of another group: everybody has the key of a public shop.
func Key(before, after access.Key) bool {
	return after.Owned()&^before.Owned() != 0 || !sameGroup(before.GroupID, after.GroupID)
}

func sameGroup(a, b *access.GroupID) bool { return a == b || a != nil && b != nil && *a == *b }

// Receiver reports whether an edit sends events to another address, or more of them.
func Receiver(before, after webhook.Receiver) bool {
	return before.URL != after.URL || slices.ContainsFunc(event.TypeIDs(), func(eventType string) bool {
		return after.Wants(eventType) && !before.Wants(eventType)
	})
}

// Settings reports whether an edit of the settings weakens the captcha. Turning it on counts as well, because the keys
// decide whose captcha it is. newSecret says that the edit has a secret key.
func Settings(u protection.Updated, newSecret bool) bool {
	before, after := u.SettingsBefore, u.Settings
	if newSecret || before.Active != after.Active {
		return true
	}
	if !before.Active {
		return false
	}

	known := before.Hosts(u.StoreBefore.SiteURL)
	moreHosts := slices.ContainsFunc(after.Hosts(u.Store.SiteURL), func(host string) bool {
		return !slices.Contains(known, host)
	})
	return moreHosts || before.Provider != after.Provider ||
		before.OnProviderError != after.OnProviderError && after.OnProviderError == protection.AllowOnError ||
		slices.ContainsFunc(before.Actions, func(p protection.ProtectedAction) bool { return weaker(p, after.Actions) })
}

// weaker reports whether an action is protected less than before: not at all, from a lower score on, or on trial only.
func weaker(before protection.ProtectedAction, after []protection.ProtectedAction) bool {
	i := slices.IndexFunc(after, func(p protection.ProtectedAction) bool { return p.Action == before.Action })
	return i < 0 || after[i].Threshold < before.Threshold || after[i].Shadow && !before.Shadow
}
