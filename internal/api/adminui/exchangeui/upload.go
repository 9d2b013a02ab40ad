package exchangeui

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

// maxFieldBytes limits a field of the form other than the file.
const maxFieldBytes = 1 << 10

// uploadForm is the form of a file.
type uploadForm struct {
	Entity   string
	Sheet    string
	Entities []entityChoice
	Errors   frame.FieldErrors
}

func (ui *UI) uploadPage(w http.ResponseWriter, r *httpapi.Request) error {
	form := uploadForm{Entity: r.URL.Query().Get("entity")}
	if !slices.Contains(exchange.Entities(), form.Entity) {
		form.Entity = exchange.Products
	}
	return ui.pages.Render(w, http.StatusOK, "upload", ui.uploadView(r, form))
}

func (ui *UI) uploadView(r *httpapi.Request, form uploadForm) frame.View {
	form.Entities = entities(ui.pages.Language(r))
	v := ui.pages.NewView(r, "Upload a file", "exchange", form)
	v.Crumbs = []frame.Link{{Text: v.T("Exchange"), URL: "/exchange"}}
	return v
}

// upload stores the file of a form and starts its dry run. The file is stored while it arrives, so the other fields
// must come before it.
func (ui *UI) upload(w http.ResponseWriter, r *httpapi.Request) error {
	body, err := r.Stream("multipart/form-data")
	if err != nil {
		return err
	}
	defer body.Release()

	form, file, err := openFile(r, body)
	if err != nil {
		return err
	}

	var run exchange.Run
	if file == nil {
		err = fault.OneField("file", "required", "%s", ui.pages.Language(r).T("Choose a file."))
	} else {
		name := path.Base(strings.ReplaceAll(file.FileName(), `\`, "/"))
		run, err = ui.Exchange.Pushes.Upload(r.Context(), r.Principal.Store.ID, exchange.UploadedFile{
			Entity: form.Entity, Name: name, Sheet: form.Sheet, By: r.Principal.Operator.ID, Body: file})
	}

	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.TooLarge || kind == fault.TooMany {
		return ui.rejectUpload(w, r, form, err)
	}
	if err != nil {
		return err
	}
	if err := ui.record(r, run.Entry(audit.RunUploaded)); err != nil {
		return err
	}

	page := "/exchange/" + run.ID.String()
	if run.AwaitsColumns() {
		page += "/columns"
	}
	return frame.Redirect(w, r.Request, page)
}

// rejectUpload writes the form again. A file that is too large has no field of its own.
func (ui *UI) rejectUpload(w http.ResponseWriter, r *httpapi.Request, form uploadForm, err error) error {
	l := ui.pages.Language(r)
	form.Errors = frame.NewFieldErrors(l, err, nil)
	if len(form.Errors) == 0 {
		form.Errors = frame.FieldErrors{"file": {l.FaultMessage(err)}}
	}
	v := ui.uploadView(r, form)
	return ui.pages.Reject(w, "upload", v, v.T("The file was not taken: look at the marked field."))
}

// openFile reads the fields of a multipart form up to the file. file is nil if the form has none.
func openFile(r *httpapi.Request, body io.Reader) (form uploadForm, file *multipart.Part, err error) {
	malformed := func(cause error) error {
		if fault.KindOf(cause) != fault.Internal {
			return cause // of the stream
		}
		return fault.New(fault.Malformed, "malformed_form", "The form cannot be read.").Because(cause)
	}
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return form, nil, fault.New(fault.Malformed, "malformed_form", "The form cannot be read.")
	}

	parts := multipart.NewReader(body, params["boundary"])
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return form, nil, nil
		case err != nil:
			return form, nil, malformed(err)
		case part.FormName() == "file" && part.FileName() != "":
			return form, part, nil
		}

		value, err := io.ReadAll(io.LimitReader(part, maxFieldBytes))
		if err != nil {
			return form, nil, malformed(err)
		}

		switch part.FormName() {
		case "entity":
			form.Entity = string(value)
		case "sheet":
			form.Sheet = strings.TrimSpace(string(value))
		}
	}
}

func (ui *UI) applyUpload(w http.ResponseWriter, r *httpapi.Request) error {
	dryRunID := httpapi.PathID[exchange.Run](r, "id", "run")
	run, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (exchange.Run, error) {
		return ui.Exchange.Pushes.QueueUpload(ctx, tx, dryRunID, r.Principal.Operator.ID)
	})
	if err != nil {
		return err
	}
	return frame.Redirect(w, r.Request, "/exchange/"+run.ID.String())
}

func (ui *UI) discardUpload(w http.ResponseWriter, r *httpapi.Request) error {
	dryRunID := httpapi.PathID[exchange.Run](r, "id", "run")
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (exchange.Run, error) {
		return ui.Exchange.Pushes.DiscardUpload(ctx, tx, dryRunID)
	})
	return ui.Done(w, r, err, "/exchange/"+dryRunID.String(),
		ui.pages.Language(r).T("The file is removed. Nothing was changed."))
}
