package orderui

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/privacy"
	"vitrine/internal/shop/store"
)

// eraseBody is the data of the page that finds a person and asks before it erases them.
type eraseBody struct {
	// Customer and Address say who is meant; Name is how the page names the person.
	Customer, Address, Name string
	Errors                  frame.FieldErrors
	// Chosen is true if the form says who is meant. Found is true if the store has something about the person.
	Chosen, Found bool
	Removed       []countRow
	Orders, Open  string
	Others        []addressLink
	Export        string
}

type countRow struct{ Text, Count string }

// addressLink is a further address in the data of the person.
type addressLink struct{ Address, URL string }

// subjectOf returns the person that the fields customer and address name, and whether they name one. The error is
// fault.Invalid for the field address.
func subjectOf(fields url.Values) (s privacy.Subject, chosen bool, err error) {
	if text := fields.Get("customer"); text != "" {
		if s.CustomerID, err = id.Parse[access.Customer](text); err != nil {
			return s, false, fault.Missing("customer")
		}
		return s, true, nil
	}

	address := strings.TrimSpace(fields.Get("address"))
	if address == "" {
		return s, false, nil
	}

	if strings.Contains(address, "@") {
		s.Email = address
	} else {
		s.Phone = address
	}

	if s, err = s.Check(); err == nil {
		return s, true, nil
	}

	return s, false, fault.OneField("address", "invalid_recipient",
		"This is neither an e-mail address nor a phone number with its country code, such as +49 30 1234567.")
}

// personFields are the fields that subjectOf reads, as a query.
func personFields(customerID, address string) string {
	v := url.Values{}
	if customerID != "" {
		v.Set("customer", customerID)
	} else {
		v.Set("address", address)
	}
	return "?" + v.Encode()
}

func (ui *UI) erasePage(w http.ResponseWriter, r *httpapi.Request) error {
	v := ui.pages.NewView(r, "Erase a person", "customers", nil)
	v.Crumbs = []frame.Link{{Text: v.T("Customers"), URL: "/customers"}}
	q := r.URL.Query()
	b := eraseBody{Customer: q.Get("customer"), Address: strings.TrimSpace(q.Get("address"))}

	subject, chosen, err := subjectOf(q)
	if fault.KindOf(err) == fault.Invalid {
		b.Errors = frame.NewFieldErrors(v.Language, err, nil)
		v.Body = b
		return ui.pages.Render(w, http.StatusUnprocessableEntity, "erase", v)
	}

	if err == nil && chosen {
		err = ui.fillErasePage(r, v, &b, subject)
	}

	if err != nil {
		return err
	}

	v.Body = b
	return ui.pages.Render(w, http.StatusOK, "erase", v)
}

// fillErasePage reads what is stored about the person.
func (ui *UI) fillErasePage(r *httpapi.Request, v frame.View, b *eraseBody, subject privacy.Subject) error {
	b.Chosen = true
	b.Name = b.Address

	report, err := frame.ReadStore(ui.Frame, r, true, func(ctx context.Context, tx store.Tx) (privacy.Report, error) {
		if !subject.CustomerID.IsZero() {
			c, err := customer.Find(ctx, tx, subject.CustomerID)
			if err != nil {
				return privacy.Report{}, err
			}
			row := customerRow{ID: c.ID.String(), Name: c.Name, Email: textOf(c.Email), Phone: textOf(c.Phone)}
			b.Name = row.Title()
		}

		return ui.Privacy.Preview(ctx, tx, subject)
	})
	if err != nil {
		return err
	}

	b.Found = !report.IsEmpty()
	b.Export = "/customers/export" + personFields(b.Customer, b.Address)

	for _, row := range []struct {
		text string
		n    int
	}{
		{v.T("Profile, login addresses, sessions and login codes"), report.Customers}, {v.T("Carts"), report.Carts},
		{v.T("Feedback and callback requests with the same e-mail address or phone number"), report.Inquiries},
		{v.T("Messages to the person in the mailbox"), report.Messages},
		{v.T("This address in the contact data of other customers"), report.Profiles},
	} {
		b.Removed = append(b.Removed, countRow{row.text, v.Number(row.n)})
	}

	b.Orders = v.Number(report.Orders)
	if report.OpenOrders > 0 {
		b.Open = v.Number(report.OpenOrders)
	}

	for _, address := range report.Addresses {
		b.Others = append(b.Others, addressLink{address, "/customers/erase" + personFields("", address)})
	}

	return nil
}

func (ui *UI) erase(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	if err := r.Err(); err != nil {
		return err
	}

	subject, chosen, err := subjectOf(r.PostForm)
	if err != nil {
		return err
	}
	if !chosen {
		return frame.Redirect(w, r.Request, "/customers/erase")
	}

	release, err := r.Work.Admit(r.Context(), r.Work.Class())
	if err != nil {
		return err
	}
	defer release()

	report, err := ui.Privacy.Erase(r.Context(), r.Principal.Store.ID, r.Actor(), subject)
	if err != nil {
		return err
	}

	l := ui.pages.Language(r)
	text := l.T("The person is erased. The log has an entry without the name.")
	if report.IsEmpty() {
		text = l.T("The store has nothing about this person.")
	}

	return ui.RedirectWith(w, r, "/customers", frame.Toast{Text: text})
}

// exportPerson writes all that the store has about a person as a JSON file.
func (ui *UI) exportPerson(w http.ResponseWriter, r *httpapi.Request) error {
	subject, chosen, err := subjectOf(r.URL.Query())
	if err != nil {
		return err
	}
	if !chosen {
		return frame.Redirect(w, r.Request, "/customers/erase")
	}

	export, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (privacy.Export, error) {
		return ui.Privacy.Export(ctx, tx, r.Principal.Store, subject)
	})
	if err != nil {
		return err
	}

	// The entry does not name the person: it would outlive what is erased.
	err = r.RecordDownload(audit.Entry{Action: audit.CustomerExported, Object: audit.Object{Kind: "customer"}}, false)
	if err != nil {
		return err
	}

	return r.Respond(w, func(out *httpapi.Response) error {
		text, err := json.Marshal(export, jsontext.WithIndent("  "))
		if err != nil {
			return err
		}

		out.B = append(append(out.B, text...), '\n')
		out.Type = "application/json"
		frame.SetSecurityHeaders(w.Header())
		name := "person-" + ui.Now().In(r.Principal.Store.Zone()).Format(time.DateOnly) + ".json"
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)

		return nil
	})
}
