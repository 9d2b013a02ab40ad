package mailing

import (
	"strings"
	"testing"

	"vitrine/internal/shop/store"
)

// setTemplate sets the template of a kind.
func (f *fixture) setTemplate(kind Kind, t Template) (settings Settings) {
	f.Helper()
	f.Write(func(tx store.Tx) (err error) {
		settings, err = f.SetTemplate(f.Context(), tx, f.Store, kind, t, nil)
		return err
	})
	return settings
}

// A store's own text is sent. The program's own is not kept, so that it stays that of the language and the version.
func TestSetTemplate_changesWhatIsSent(t *testing.T) {
	each(t, func(f *fixture) {
		f.set(Switches{Kinds: []Kind{OrderReceived}})
		own := f.setTemplate(OrderReceived, Template{"{{shop}}: {{number}}", "Dear {{name}},\r\nthanks for {{total}}"})
		if len(own.Templates) != 1 || !own.On(OrderReceived) {
			f.Errorf("the settings are %+v", own)
		}

		f.submit(contactEdit("Anna <b>", customerEmail))
		f.start()
		m := f.mailServer.WaitForMessages(f, 1)[0]
		if m.Subject != "My shop: 1" || m.Text != "Dear Anna <b>,\nthanks for 2,469.12\u00a0USD\n" ||
			!strings.Contains(m.HTML, "Dear Anna &lt;b&gt;,<br>") {
			f.Errorf("the mail is %q: %q", m.Subject, m.Text)
		}

		restored := f.setTemplate(OrderReceived, Template{})
		if len(restored.Templates) != 0 || restored.Version != own.Version+1 {
			f.Errorf("the restored settings are %+v", restored)
		}

		err := f.TryWrite(func(tx store.Tx) error {
			_, err := f.SetTemplate(f.Context(), tx, f.Store, OrderReceived, Template{"A", "{{numbr}}"}, nil)
			return err
		})
		if !strings.Contains(fieldMessages(err), "Did you mean {{number}}?") {
			f.Errorf("an unknown placeholder: %v", err)
		}
	})
}

// The preview has an example, or the newest order of the store.
func TestPreview_ofEveryKind(t *testing.T) {
	each(t, func(f *fixture) {
		preview := func(kind Kind) (text string) {
			f.Read(func(tx store.Tx) error {
				m, err := f.Preview(f.Context(), tx, f.Store, kind, DefaultTemplate(kind, f.Store.Language()))
				text = m.Subject + "\n" + m.Text
				if m.To != "" || m.HTML == "" {
					f.Errorf("the preview is to %q: %s", m.To, m.HTML)
				}
				return err
			})
			return text
		}

		for _, kind := range Kinds() {
			if text := preview(kind); strings.Contains(text, "{{") || len(text) < 50 {
				f.Errorf("the preview of %s is %q", kind, text)
			}
		}

		f.submit(contactEdit("Zoe", customerEmail))
		wantAll(f, "the preview of an order", preview(NewOrder), "Zoe", "New order 1", "Lamp <b>")
	})
}
