package adminui

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

// keyRotationForm is the form that rotates a key.
type keyRotationForm struct {
	keyRow
	OverlapHours int
	Errors       fieldErrors
}

// OverlapChoices returns how long the replaced key can stay active.
func (f keyRotationForm) OverlapChoices() []overlapChoice {
	return []overlapChoice{{0, "not at all"}, {1, "1 hour"}, {24, "1 day"}, {72, "3 days"}, {168, "7 days"},
		{720, "30 days"}}
}

type overlapChoice struct {
	Hours int
	Text  string
}

func (ui *UI) rotateKeyPage(w http.ResponseWriter, r *httpapi.Request) error {
	key, err := ui.keyFromPath(r)
	if err != nil {
		return err
	}
	if !key.Active(ui.Now()) {
		return fault.New(fault.Conflict, "key_not_active",
			"The key is revoked or expired and cannot be rotated; create a new one.")
	}
	form := keyRotationForm{keyRow: ui.keyRow(r, key), OverlapHours: int(access.DefaultOverlap.Hours())}
	return ui.render(w, http.StatusOK, "key_rotate", ui.newView(r, "Rotate key", "keys", form))
}

func (ui *UI) rotateKey(w http.ResponseWriter, r *httpapi.Request) error {
	if err := parseForm(w, r); err != nil {
		return err
	}
	key, err := ui.keyFromPath(r)
	if err != nil {
		return err
	}
	form := keyRotationForm{keyRow: ui.keyRow(r, key)}
	form.OverlapHours, err = strconv.Atoi(r.PostForm.Get("overlap_hours"))
	if err != nil || form.OverlapHours < 0 || form.OverlapHours > 24*365 {
		form.OverlapHours = -1 // RotateKey refuses it
	}
	rejection, err := ui.confirmPassword(w, r, r.PostForm.Get("password"))
	if err != nil {
		return err
	}
	if rejection != "" {
		form.Errors = fieldErrors{"password": {rejection}}
		return ui.rejectKeyRotation(w, r, form)
	}
	var replaced access.Key
	issued, err := ui.issueKey(r,
		func(ctx context.Context, tx store.Tx) (key access.Key, token string, err error) {
			key, token, err = ui.Access.RotateKey(ctx, tx, form.ID, time.Duration(form.OverlapHours)*time.Hour)
			if err == nil {
				// Read within the transaction: after the commit no error may prevent the page from showing the token.
				replaced, err = ui.findKey(ctx, tx, form.ID)
			}
			return key, token, err
		})
	if fault.KindOf(err) == fault.Invalid {
		form.Errors = newFieldErrors(err, nil)
		return ui.rejectKeyRotation(w, r, form)
	}
	if err != nil {
		return err
	}
	issued.Replaced = new(ui.keyRow(r, replaced))
	return ui.render(w, http.StatusCreated, "key_issued", ui.newView(r, "Key rotated", "keys", issued))
}

func (ui *UI) rejectKeyRotation(w http.ResponseWriter, r *httpapi.Request, form keyRotationForm) error {
	v := ui.newView(r, "Rotate key", "keys", form)
	v.Failure = "The key was not rotated: look at the marked fields."
	return ui.render(w, http.StatusUnprocessableEntity, "key_rotate", v)
}
