package settingsui

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html/template"
	"image/png"
	"net/http"
	"strings"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// qrSize is the width and height of a QR code in pixels. The URI of an address of usual length has 45 to 57 modules.
const qrSize = 240

// codeSetupPage is the data of the page on which a person sets the app up.
type codeSetupPage struct {
	Sealed string
	// Secret is in groups of four, to be typed in.
	Secret string
	Image  template.URL
	Errors frame.FieldErrors
}

func newCodeSetupPage(setup account.CodeSetup) (codeSetupPage, error) {
	image, err := qrImage(setup.URI)
	if err != nil {
		return codeSetupPage{}, fmt.Errorf("draw the QR code: %w", err)
	}
	var groups []string
	for rest := setup.Secret; rest != ""; {
		n := min(4, len(rest))
		groups = append(groups, rest[:n])
		rest = rest[n:]
	}
	return codeSetupPage{Sealed: setup.Sealed, Secret: strings.Join(groups, " "), Image: image}, nil
}

// qrImage returns the QR code of a text as a data: URI.
func qrImage(text string) (template.URL, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", err
	}
	scaled, err := barcode.Scale(code, qrSize, qrSize)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := png.Encode(&b, scaled); err != nil {
		return "", err
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())), nil
}

func (ui accountUI) codesView(r *httpapi.Request, page any) frame.View {
	v := ui.pages.NewView(r, "Second step of the sign-in", "account", page)
	v.Crumbs = []frame.Link{{Text: v.T("Your account"), URL: "/account"}}
	return v
}

// setUpCodes shows a new secret after the password was confirmed.
func (ui accountUI) setUpCodes(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	err := ui.ConfirmPassword(w, r)
	if fault.KindOf(err) == fault.Invalid {
		return ui.rejectAccount(w, r, "codes", err)
	}
	if err != nil {
		return err
	}

	setup, err := ui.Accounts.Profiles.SetUpCodes(r.Principal)
	if err != nil {
		return err
	}
	page, err := newCodeSetupPage(setup)
	if err != nil {
		return err
	}

	return ui.pages.Render(w, http.StatusOK, "codes_setup", ui.codesView(r, page))
}

// recoveryCodes is the data of the page that shows recovery codes, once.
type recoveryCodes struct {
	Codes []string
	Copy  frame.Copy
}

func (ui accountUI) renderRecoveryCodes(w http.ResponseWriter, r *httpapi.Request, codes []string) error {
	l := ui.pages.Language(r)
	return ui.pages.Render(w, http.StatusCreated, "codes_recovery", ui.codesView(r, recoveryCodes{Codes: codes,
		Copy: frame.Copy{ID: "codes", Label: l.T("Recovery codes"), Text: strings.Join(codes, "\n"),
			Rows: len(codes)}}))
}

func (ui accountUI) enableCodes(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	sealed := r.PostForm.Get("setup")
	codes, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) ([]string, error) {
		codes, err := ui.Accounts.Profiles.EnableCodes(ctx, tx.Unscoped(), r.Principal, sealed, r.PostForm.Get("code"))
		if err != nil {
			return nil, err
		}
		return codes, audit.Record(ctx, tx, r.Principal.Operator.AccountEntry(audit.AccountCodesEnabled))
	})
	switch fault.KindOf(err) {
	case fault.Conflict:
		return ui.rejectAccount(w, r, "codes", fault.OneField("password", "setup_expired", "%s",
			ui.pages.Language(r).T("Setting the codes up took too long; start again.")))
	case fault.Invalid:
		return ui.rejectCodeSetup(w, r, sealed)
	}

	if err != nil {
		return err
	}

	return ui.renderRecoveryCodes(w, r, codes)
}

// rejectCodeSetup shows the same secret again after a wrong code.
func (ui accountUI) rejectCodeSetup(w http.ResponseWriter, r *httpapi.Request, sealed string) error {
	setup, err := ui.Accounts.Profiles.ContinueCodes(r.Principal, sealed)
	if err != nil {
		return err
	}
	page, err := newCodeSetupPage(setup)
	if err != nil {
		return err
	}
	l := ui.pages.Language(r)
	page.Errors = frame.FieldErrors{"code": {l.T("This code is wrong. Type the one that the app shows now; " +
		"the clock of the phone must be right.")}}
	return ui.pages.Reject(w, "codes_setup", ui.codesView(r, page), l.T("The second step is still off."))
}

func (ui accountUI) disableCodes(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	err := ui.ConfirmPassword(w, r)
	if err == nil {
		_, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
			if err := ui.Accounts.Profiles.DisableCodes(ctx, tx.Unscoped(), r.Principal); err != nil {
				return none, err
			}
			return none, audit.Record(ctx, tx, r.Principal.Operator.AccountEntry(audit.AccountCodesDisabled))
		})
	}

	if fault.KindOf(err) == fault.Invalid {
		return ui.rejectAccount(w, r, "codes", err)
	}
	return ui.Done(w, r, err, "/account",
		ui.pages.Language(r).T("The second step is off: the password alone signs you in."))
}

func (ui accountUI) renewRecoveryCodes(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	var codes []string
	err := ui.ConfirmPassword(w, r)
	if err == nil {
		codes, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) ([]string, error) {
			codes, err := ui.Accounts.Profiles.RenewRecoveryCodes(ctx, tx.Unscoped(), r.Principal)
			if err != nil {
				return nil, err
			}
			return codes, audit.Record(ctx, tx, r.Principal.Operator.AccountEntry(audit.AccountRecoveryCodesRenewed))
		})
	}

	if fault.KindOf(err) == fault.Invalid {
		return ui.rejectAccount(w, r, "codes", err)
	}
	if err != nil {
		return err
	}

	return ui.renderRecoveryCodes(w, r, codes)
}
