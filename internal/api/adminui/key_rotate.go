package adminui

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// rotation is the form that replaces a key.
type rotation struct {
	keyRow
	OverlapHours int
	Wrong        wrongs
}

// Overlaps are the choices of how long the old key works on.
func (f rotation) Overlaps() []overlap {
	return []overlap{{0, "not at all"}, {1, "1 hour"}, {24, "1 day"}, {72, "3 days"}, {168, "7 days"}, {720, "30 days"}}
}

type overlap struct {
	Hours int
	Text  string
}

func (ui *UI) rotatePage(w http.ResponseWriter, r *httpapi.Request) error {
	key, err := ui.keyInPath(r)
	if err != nil {
		return err
	}
	if !key.Active(ui.Now()) {
		return fault.New(fault.Conflict, "key_not_active", "The key is revoked or expired and cannot be rotated; create a new one.")
	}
	form := rotation{keyRow: ui.row(r, key), OverlapHours: int(access.DefaultOverlap.Hours())}
	return ui.render(w, http.StatusOK, "key_rotate", ui.view(r, "Rotate key", "keys", form))
}

func (ui *UI) rotateKey(w http.ResponseWriter, r *httpapi.Request) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	key, err := ui.keyInPath(r)
	if err != nil {
		return err
	}
	form := rotation{keyRow: ui.row(r, key)}
	form.OverlapHours, err = strconv.Atoi(r.PostForm.Get("overlap_hours"))
	if err != nil || form.OverlapHours < 0 || form.OverlapHours > 24*365 {
		form.OverlapHours = -1 // which the rule about overlaps refuses
	}
	wrong, err := ui.confirm(w, r, r.PostForm.Get("password"))
	if err != nil {
		return err
	}
	if wrong != "" {
		form.Wrong = wrongs{"password": {wrong}}
		return ui.rotationAgain(w, r, form)
	}
	var old access.Key
	made, err := ui.make(r, func(ctx context.Context, q database.Querier) (key access.Key, token string, err error) {
		key, token, err = ui.Access.RotateKey(ctx, q, r.Principal.Store.ID, form.ID, time.Duration(form.OverlapHours)*time.Hour)
		if err == nil {
			// Read here and not afterwards: once the new token exists, nothing may keep it from being shown.
			old, err = ui.find(ctx, q, r, form.ID)
		}
		return key, token, err
	})
	if fault.KindOf(err) == fault.Invalid {
		form.Wrong = wrongFields(err, nil)
		return ui.rotationAgain(w, r, form)
	}
	if err != nil {
		return err
	}
	made.Old = new(ui.row(r, old))
	return ui.render(w, http.StatusCreated, "key_made", ui.view(r, "Key rotated", "keys", made))
}

func (ui *UI) rotationAgain(w http.ResponseWriter, r *httpapi.Request, form rotation) error {
	v := ui.view(r, "Rotate key", "keys", form)
	v.Bad = "The key was not rotated: look at the marked fields."
	return ui.render(w, http.StatusUnprocessableEntity, "key_rotate", v)
}
