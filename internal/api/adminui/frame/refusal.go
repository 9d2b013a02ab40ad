package frame

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// BackTo returns the address in the form from which the operator came, if it belongs to the page at path, or path.
func BackTo(r *httpapi.Request, path string) string {
	back := LocalRedirectPath(r.PostForm.Get("back"))
	if rest, ok := strings.CutPrefix(back, path); ok && (rest == "" || rest[0] == '?') {
		return back
	}
	return path
}

// ShowAgain gives the request the query of the address from which its form was sent, so that a refused form is shown
// among the rows that the operator saw.
func ShowAgain(r *httpapi.Request, path string) {
	_, r.URL.RawQuery, _ = strings.Cut(BackTo(r, path), "?")
}

// RowField is a field in a row of a list: the present text, or one that was refused with the reason.
type RowField struct{ Text, Message string }

// RenderedVersion returns the precondition that an object still has the version with which the form was rendered. It
// never holds for a form without a version.
func RenderedVersion(r *httpapi.Request) fault.Precondition {
	version, err := strconv.ParseInt(r.PostForm.Get("version"), 10, 64)
	return func(v int64) bool { return err == nil && v == version }
}

// ChangeLong does the same as Change, for a change that may take long: on SQLite it gives way to other writes.
func ChangeLong[T any](
	r *httpapi.Request, fn func(ctx context.Context, tx store.Tx) (T, error),
) (value T, err error) {
	if err := r.Err(); err != nil {
		return value, err
	}
	release, err := r.Work.AdmitLong(r.Context()) // before the slot that InStore waits for
	if err != nil {
		return value, err
	}
	defer release()
	return InStore(r, r.WriteLong, fn)
}

// Refused reports whether the form is to be shown again with the error, because the operator can correct it.
func Refused(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Conflict, fault.Stale:
		return true
	}
	return false
}

// Stale says that something has changed since the form was rendered, and what it is now.
func (v View) Stale(now string) string {
	return v.T("Somebody else has changed this meanwhile. Now it is: %s. Look at the form and save again.", now)
}

// StaleImpact says that something has changed since the page showed what its deletion would do.
func (v View) StaleImpact() string {
	return v.T("Somebody else has changed this meanwhile. Look at it again.")
}

// Refusal says why something was refused.
func (v View) Refusal(err error) string {
	return cmp.Or(v.FaultMessage(err), v.T("Nothing was saved."))
}
