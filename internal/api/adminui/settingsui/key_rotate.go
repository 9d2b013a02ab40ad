package settingsui

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

type keyRotationForm struct {
	keyRow
	OverlapHours int
	Errors       frame.FieldErrors
}

// OverlapChoices returns the hours for which the replaced key can stay active.
func (f keyRotationForm) OverlapChoices() []int { return []int{0, 1, 24, 72, 168, 720} }

// daysOf returns the days of a number of hours.
func daysOf(hours int) int { return hours / 24 }

func (ui keyUI) rotateKeyPage(w http.ResponseWriter, r *httpapi.Request) error {
	key, err := ui.keyFromPath(r)
	if err != nil {
		return err
	}
	if !key.Active(ui.Now()) {
		return fault.New(fault.Conflict, "key_not_active",
			"The key is revoked or expired and cannot be rotated; create a new one.")
	}
	form := keyRotationForm{keyRow: ui.keyRow(r, key), OverlapHours: int(access.DefaultOverlap.Hours())}
	return ui.pages.Render(w, http.StatusOK, "key_rotate", ui.keyView(r, "Replace the key", form))
}

func (ui keyUI) rotateKey(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	key, err := ui.keyFromPath(r)
	if err != nil {
		return err
	}

	form := keyRotationForm{keyRow: ui.keyRow(r, key)}
	form.OverlapHours, err = strconv.Atoi(r.PostForm.Get("overlap_hours"))
	if err != nil || form.OverlapHours < 0 || form.OverlapHours > 24*365 {
		form.OverlapHours = -1 // RotateKey refuses it
	}

	issued, err := frame.IssueCredential(ui.Frame, w, r, func(
		ctx context.Context, tx store.Tx,
	) (issued issuedKey, err error) {
		key, token, err := ui.Access.RotateKey(ctx, tx, form.ID, time.Duration(form.OverlapHours)*time.Hour)
		if err != nil {
			return issued, err
		}
		// The replaced key is read before the commit: after it, no error may prevent the page from showing the token.
		replaced, err := ui.findKey(ctx, tx, form.ID)
		return issuedKey{keyRow: ui.keyRow(r, key), Token: token, Replaced: new(ui.keyRow(r, replaced))}, err
	})
	if fault.KindOf(err) == fault.Invalid {
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		return ui.pages.Reject(w, "key_rotate", ui.keyView(r, "Replace the key", form),
			ui.pages.Language(r).T("The key was not replaced: look at the marked fields."))
	}

	if err != nil {
		return err
	}

	return ui.pages.Render(w, http.StatusCreated, "key_issued", ui.keyView(r, "Key replaced", issued))
}
