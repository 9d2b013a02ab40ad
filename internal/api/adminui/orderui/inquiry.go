package orderui

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/store"
)

// inquiryBody is the data of the page of an inquiry.
type inquiryBody struct {
	inquiry.Inquiry
	Title   string
	State   frame.State
	Created frame.Timestamp
	// Taken and Finished are nil if it was not taken or is not done.
	Taken, Finished *frame.Timestamp
	Extra           []extraMember
	Steps           []step
	// MayTake and the others say which buttons the page has.
	MayTake, MayFinish, MayReopen, MayNote bool
	// NoteText is the text in the field of the note, which was refused if it differs from Note.
	NoteText string
	Errors   frame.FieldErrors
}

// extraMember is a member of feedback that the shop's site has sent besides the known ones.
type extraMember struct{ Name, Value string }

func inquiryID(r *httpapi.Request) inquiry.ID {
	return httpapi.PathID[inquiry.Inquiry](r, "id", "inquiry")
}

func (ui *UI) inquiryPage(w http.ResponseWriter, r *httpapi.Request) error {
	v, body, err := ui.readInquiry(r)
	if err != nil {
		return err
	}
	v.Body = body
	return ui.pages.Render(w, http.StatusOK, "inquiry", v)
}

func (ui *UI) readInquiry(r *httpapi.Request) (v frame.View, body inquiryBody, err error) {
	id := inquiryID(r)
	v = ui.pages.NewView(r, "Inquiry", "inquiries", nil)
	v.Crumbs = []frame.Link{{Text: v.T("Inquiries"), URL: "/inquiries"}}
	body, err = frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (inquiryBody, error) {
		i, err := ui.Inquiries.Find(ctx, tx, id)
		if err != nil {
			return inquiryBody{}, err
		}
		log, err := ui.Audit.OfObject(ctx, tx, "inquiry", id.String(), loggedChanges)
		return newInquiryBody(v, i, log), err
	})
	v.Title = body.Title
	return v, body, err
}

func newInquiryBody(v frame.View, i inquiry.Inquiry, log []audit.StoredEntry) inquiryBody {
	b := inquiryBody{Inquiry: i, Title: v.T("Message from %s", inquirer(v.Language, &i)), NoteText: i.Note,
		State: inquiryState(v.Language, i.State), Created: v.Timestamp(i.CreatedAt), Extra: extraMembers(i.Extra),
		Steps: inquirySteps(v, log)}
	if i.Kind == inquiry.KindCallback {
		b.Title = v.T("Call %s back", inquirer(v.Language, &i))
	}

	if i.TakenAt != nil {
		b.Taken = new(v.Timestamp(*i.TakenAt))
	}

	if i.DoneAt != nil {
		b.Finished = new(v.Timestamp(*i.DoneAt))
	}

	if v.May(string(access.OrdersWrite)) {
		b.MayTake = i.State == inquiry.StateNew || i.State == inquiry.StateTaken && i.Handler != v.Operator.Email
		b.MayFinish = i.State != inquiry.StateDone
		b.MayReopen = i.State != inquiry.StateNew
		b.MayNote = true
	}

	return b
}

// extraMembers returns the members of an encoded JSON object without braces. Values that are not texts stay JSON.
func extraMembers(encoded string) (list []extraMember) {
	d := jsontext.NewDecoder(strings.NewReader("{" + encoded + "}"))
	if _, err := d.ReadToken(); err != nil {
		return nil
	}

	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return list
		}

		member := extraMember{Name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return list
		}

		if json.Unmarshal(value, &member.Value) != nil {
			member.Value = string(value)
		}

		list = append(list, member)
	}

	return list
}

// inquirySteps returns what operators did, the last first.
func inquirySteps(v frame.View, log []audit.StoredEntry) (list []step) {
	for _, e := range log {
		s := step{At: v.Timestamp(e.At), By: e.Actor.Name}
		switch e.Action {
		case audit.InquiryTaken:
			s.Icon, s.Text = "user", v.T("Taken")
		case audit.InquiryDone:
			//messages: "Done (button)"
			s.Icon, s.Text = "circle-check", v.T("Done")
		case audit.InquiryReopened:
			s.Icon, s.Text = "undo-2", v.T("Reopened")
		case audit.InquiryNoted:
			s.Icon, s.Text = "pencil", v.T("Note changed")
		default:
			continue
		}

		list = append(list, s)
	}

	return list
}

// handling is a change of an inquiry by a button.
type handling int

const (
	takeInquiry handling = iota
	finishInquiry
	reopenInquiry
)

func (ui *UI) changeInquiry(
	ctx context.Context, tx store.Tx, h handling, id inquiry.ID, by, previous string, pre fault.Precondition,
) (before, after inquiry.Inquiry, err error) {
	switch h {
	case takeInquiry:
		return ui.Inquiries.Take(ctx, tx, id, by, pre)
	case finishInquiry:
		return ui.Inquiries.Finish(ctx, tx, id, by, pre)
	case reopenInquiry:
	}
	assignment, err := ui.assignment(ctx, tx, id, previous)
	if err != nil {
		return before, after, err
	}
	return ui.Inquiries.Reopen(ctx, tx, id, assignment, pre)
}

// assignment returns when the operator with this e-mail address took an inquiry, or nil if the log does not know it:
// the address is that of a form.
func (ui *UI) assignment(ctx context.Context, tx store.Tx, id inquiry.ID, handler string) (*inquiry.Assignment, error) {
	if handler == "" {
		return nil, nil
	}
	log, err := ui.Audit.OfObject(ctx, tx, "inquiry", id.String(), loggedChanges)
	for _, e := range log {
		if e.Action == audit.InquiryTaken && e.Actor.Name == handler {
			return &inquiry.Assignment{Handler: handler, TakenAt: e.At}, err
		}
	}
	return nil, err
}

// toast returns the message after the change. Reopening undoes the others.
func (h handling) toast(l *frame.Language, before, after *inquiry.Inquiry) frame.Toast {
	undo := &frame.Undo{Action: "/inquiries/" + after.ID.String() + "/reopen", Fields: versionFields(after.Version)}
	if before.State == inquiry.StateTaken {
		undo.Fields.Set("previous", before.Handler)
	}
	switch h {
	case takeInquiry:
		return frame.Toast{Text: l.T("You have taken it."), Undo: undo}
	case finishInquiry:
		return frame.Toast{Text: l.T("It is done."), Undo: undo}
	case reopenInquiry:
	}
	return frame.Toast{Text: l.T("It is open again.")}
}

// handle returns the handler of a button of the page of an inquiry.
func (ui *UI) handle(h handling) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		id := inquiryID(r)
		frame.ParseForm(r)
		pre := versionField(r)
		l := ui.pages.Language(r)
		by := r.Principal.Operator.Email
		var before inquiry.Inquiry
		after, err := frame.Change(ui.Frame, r,
			func(ctx context.Context, tx store.Tx) (after inquiry.Inquiry, err error) {
				before, after, err = ui.changeInquiry(ctx, tx, h, id, by, r.PostForm.Get("previous"), pre)
				return after, err
			})
		if isConflict(err) {
			return ui.refuseHandling(w, r, nil)
		}

		if err != nil {
			return err
		}

		return ui.RedirectWith(w, r, "/inquiries/"+id.String(), h.toast(l, &before, &after))
	}
}

func (ui *UI) saveNote(w http.ResponseWriter, r *httpapi.Request) error {
	id := inquiryID(r)
	frame.ParseForm(r)
	note := strings.TrimSpace(r.PostForm.Get("note"))
	pre := versionField(r)
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (after inquiry.Inquiry, err error) {
		_, after, err = ui.Inquiries.SetNote(ctx, tx, id, note, pre)
		return after, err
	})

	switch {
	case isConflict(err):
		return ui.refuseHandling(w, r, &note)
	case fault.KindOf(err) == fault.Invalid:
		v, body, readErr := ui.readInquiry(r)
		if readErr != nil {
			return readErr
		}
		body.NoteText, body.Errors = note, frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		v.Body = body
		return ui.pages.Reject(w, "inquiry", v, v.T("The note was not saved."))
	case err != nil:
		return err
	}

	return ui.RedirectWith(w, r, "/inquiries/"+id.String(),
		frame.Toast{Text: ui.pages.Language(r).T("The note is saved.")})
}

// refuseHandling writes the page of an inquiry that has changed since the form was rendered. note is the text of a
// refused note, which stays in its field; nil without one.
func (ui *UI) refuseHandling(w http.ResponseWriter, r *httpapi.Request, note *string) error {
	v, body, err := ui.readInquiry(r)
	if err != nil {
		return err
	}
	v.Failure = v.T("Nothing was done, because this inquiry has changed meanwhile. It is now “%s”.", body.State.Text)
	if len(body.Steps) > 0 {
		last := body.Steps[0]
		v.Failure += " " + v.T("The last change: %s, %s, %s.", last.Text, last.By, last.At.Text)
	}
	if note != nil && *note != body.Note {
		body.NoteText = *note
		v.Failure += " " + v.T("Your note is still in the field; compare it with the stored one and save it again.")
	}
	v.Body = body
	return ui.pages.Render(w, http.StatusConflict, "inquiry", v)
}

// isConflict reports whether a change was refused because of what somebody else has changed.
func isConflict(err error) bool {
	kind := fault.KindOf(err)
	return err != nil && (kind == fault.Stale || kind == fault.Conflict)
}
