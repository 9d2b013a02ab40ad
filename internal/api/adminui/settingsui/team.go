package settingsui

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
)

// teamUI serves the pages of the team.
type teamUI struct{ *UI }

// roleChoice is a role with what it means, in words.
type roleChoice struct {
	Role       access.Role
	Name, Hint string
}

// roleChoices returns the roles in the language of the page.
func roleChoices(l *frame.Language) []roleChoice {
	return []roleChoice{
		{access.Owner, l.T("Owner"), l.T("May do everything: also the settings, the keys, the webhooks and the team.")},
		{access.Manager, l.T("Manager"), l.T("Runs the shop: orders, inquiries, customers, products and stock. " +
			"Cannot change the settings, the keys, the webhooks and the team.")},
		{access.Viewer, l.T("Viewer"), l.T("Sees orders, customers, products and settings, and changes nothing.")},
	}
}

// roleName returns the name of a role in the language of the page.
func roleName(l *frame.Language, role access.Role) string {
	choices := roleChoices(l)
	if i := slices.IndexFunc(choices, func(c roleChoice) bool { return c.Role == role }); i >= 0 {
		return choices[i].Name
	}
	return string(role)
}

// memberRow is a member of the team as a page shows it.
type memberRow struct {
	account.Member
	RoleName string
	State    frame.State
	SignedIn *frame.Timestamp
	// Self says that it is the operator of the request.
	Self bool
}

func (ui teamUI) memberRow(r *httpapi.Request, m account.Member) memberRow {
	l := ui.pages.Language(r)
	row := memberRow{Member: m, RoleName: roleName(l, m.Role), SignedIn: ui.pages.NewOptionalTimestamp(r, m.SignedInAt),
		Self: m.ID == r.Principal.Operator.ID}
	switch {
	case m.DisabledAt != nil:
		row.State = frame.State{Code: "off", Text: l.T("Disabled")}
	case m.Invited && (m.InvitedUntil == nil || !m.InvitedUntil.After(ui.Now())):
		row.State = frame.State{Code: "bad", Text: l.T("Invitation expired")}
	case m.Invited:
		row.State = frame.State{Code: "warn", Text: l.T("Invited")}
	default:
		row.State = frame.State{Code: "good", Text: l.T("Active")}
	}
	return row
}

func (ui teamUI) teamPage(w http.ResponseWriter, r *httpapi.Request) error {
	team, err := frame.InStore(r, ui.Snapshot(r), ui.Accounts.Operators.Team)
	if err != nil {
		return err
	}
	var rows []memberRow
	for _, m := range team {
		rows = append(rows, ui.memberRow(r, m))
	}
	return ui.pages.Render(w, http.StatusOK, "team", ui.pages.NewView(r, "Team", "settings", rows))
}

// inviteForm is the form that invites somebody.
type inviteForm struct {
	Email string
	Role  access.Role
	// ByMail sends the link by mail; otherwise the page shows it.
	ByMail bool
	// MailWorks says that the server can send mail.
	MailWorks bool
	Roles     []roleChoice
	Errors    frame.FieldErrors
}

func (ui teamUI) inviteForm(r *httpapi.Request) (inviteForm, error) {
	sends, err := frame.InStore(r, ui.Read(r), ui.Notify.SendsMail)
	return inviteForm{Role: access.Manager, ByMail: sends, MailWorks: sends,
		Roles: roleChoices(ui.pages.Language(r))}, err
}

func (ui teamUI) invitePage(w http.ResponseWriter, r *httpapi.Request) error {
	form, err := ui.inviteForm(r)
	if err != nil {
		return err
	}
	if email, _ := r.Query.Param("email"); email != "" {
		form.Email = email
	}
	if role, _ := r.Query.Param("role"); role != "" {
		form.Role = access.Role(role)
	}
	if err := r.Err(); err != nil {
		return err
	}
	return ui.pages.Render(w, http.StatusOK, "team_invite", ui.inviteView(r, form))
}

func (ui teamUI) inviteView(r *httpapi.Request, form inviteForm) frame.View {
	v := ui.pages.NewView(r, "Invite somebody", "settings", form)
	v.Crumbs = []frame.Link{{Text: v.T("Team"), URL: "/settings/team"}}
	return v
}

// invitedOperator is the data of the page that shows the link of an invitation.
type invitedOperator struct {
	access.Operator
	RoleName string
	Link     frame.Copy
}

func (ui teamUI) invite(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	form, err := ui.inviteForm(r)
	if err != nil {
		return err
	}
	form.Email = r.PostForm.Get("email")
	form.Role = access.Role(r.PostForm.Get("role"))
	form.ByMail = r.PostForm.Get("how") == "mail"
	link := ""

	invited, err := frame.IssueCredential(ui.Frame, w, r,
		func(ctx context.Context, tx store.Tx) (access.Operator, error) {
			base := r.AdminURL(ui.AdminURL)
			if form.ByMail {
				var err error
				if base, err = ui.mailBase(r, "how"); err != nil {
					return access.Operator{}, err
				}
			}

			o, token, err := ui.Accounts.Operators.Invite(ctx, tx, form.Email, form.Role)
			if err != nil {
				return o, err
			}

			link = base + "/invitation/" + token
			if form.ByMail {
				err = ui.Notify.Send(ctx, tx, account.InvitationMessage(r.Principal.Store, o, link))
			}

			return o, err
		})

	l := ui.pages.Language(r)
	if fault.KindOf(err) == fault.Invalid {
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		return ui.pages.Reject(w, "team_invite", ui.inviteView(r, form),
			l.T("Nobody was invited: look at the marked fields."))
	}

	if err != nil {
		return err
	}

	if form.ByMail {
		return ui.RedirectWith(w, r, "/settings/team",
			frame.Toast{Text: l.T("The invitation is on its way to %s.", invited.Email)})
	}

	v := ui.pages.NewView(r, "Invitation", "settings", invitedOperator{Operator: invited,
		RoleName: roleName(l, invited.Role),
		Link:     frame.Copy{ID: "link", Label: l.T("Link of the invitation"), Text: link, Rows: 2}})
	v.Crumbs = []frame.Link{{Text: v.T("Team"), URL: "/settings/team"}}
	return ui.pages.Render(w, http.StatusCreated, "team_invited", v)
}

// memberForm is the page of a member, with a form that changes the role or the state.
type memberForm struct {
	memberRow
	Role    access.Role // as it was sent
	Enabled bool
	Version int64
	Roles   []roleChoice
	Created frame.Timestamp
	Errors  frame.FieldErrors
}

// findMember returns a member of the team, or fault.NotFound.
func (ui teamUI) findMember(r *httpapi.Request) (memberForm, error) {
	operatorID := httpapi.PathID[access.Operator](r, "id", "operator")
	team, err := frame.InStore(r, ui.Snapshot(r), ui.Accounts.Operators.Team)
	if err != nil {
		return memberForm{}, err
	}
	i := slices.IndexFunc(team, func(m account.Member) bool { return m.ID == operatorID })
	if i < 0 {
		return memberForm{}, fault.Missing("operator")
	}
	m := team[i]
	return memberForm{memberRow: ui.memberRow(r, m), Role: m.Role, Enabled: m.DisabledAt == nil,
		Version: m.UpdatedAt.UnixMicro(), Roles: roleChoices(ui.pages.Language(r)),
		Created: ui.pages.NewTimestamp(r, m.CreatedAt)}, nil
}

func (ui teamUI) memberPage(r *httpapi.Request) (frame.View, error) {
	form, err := ui.findMember(r)
	return ui.memberView(r, form), err
}

func (ui teamUI) memberView(r *httpapi.Request, form memberForm) frame.View {
	v := ui.pages.NewView(r, "Member of the team", "settings", form)
	v.Title = form.Email
	v.Crumbs = []frame.Link{{Text: v.T("Team"), URL: "/settings/team"}}
	return v
}

func (ui teamUI) editMember(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	form, err := ui.findMember(r)
	if err != nil {
		return err
	}

	current := form.Version
	form.Role, form.Enabled = access.Role(r.PostForm.Get("role")), r.PostForm.Get("enabled") != ""
	version := readVersion(r)

	_, err = frame.IssueCredential(ui.Frame, w, r,
		func(ctx context.Context, tx store.Tx) (access.Operator, error) {
			return ui.Accounts.Operators.Edit(ctx, tx, form.ID,
				account.OperatorEdit{Role: &form.Role, Enabled: &form.Enabled}, func(o access.Operator) error {
					if o.UpdatedAt.UnixMicro() != version {
						return fault.VersionChanged()
					}
					return nil
				})
		})

	l := ui.pages.Language(r)
	switch fault.KindOf(err) {
	case fault.Invalid:
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		return ui.pages.Reject(w, "team_member", ui.memberView(r, form),
			l.T("Nothing was saved: look at the marked fields."))
	case fault.Conflict:
		return ui.rejectMember(w, r, form, l.T("This is the last owner of the store who can sign in. "+
			"Make somebody else an owner first."))
	case fault.Stale:
		form.Version = current
		return ui.rejectMember(w, r, form, l.T("Somebody else has changed this member meanwhile: now %s, %s. "+
			"Save again to overwrite that.", form.RoleName, form.State.Text))
	}

	return ui.Done(w, r, err, "/settings/team", l.T("%s is changed.", form.Email))
}

func (ui teamUI) rejectMember(w http.ResponseWriter, r *httpapi.Request, form memberForm, message string) error {
	v := ui.memberView(r, form)
	v.Failure = message
	return ui.pages.Render(w, http.StatusConflict, "team_member", v)
}

func (ui teamUI) endMemberSessions(w http.ResponseWriter, r *httpapi.Request) error {
	operatorID := httpapi.PathID[access.Operator](r, "id", "operator")
	o, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (access.Operator, error) {
		return ui.Accounts.Operators.EndSessions(ctx, tx, operatorID, nil)
	})
	return ui.Done(w, r, err, "/settings/team/"+o.ID.String(),
		ui.pages.Language(r).T("%s is signed out everywhere in this store.", o.Email))
}

func (ui teamUI) removeMemberPage(r *httpapi.Request) (frame.View, error) {
	form, err := ui.findMember(r)
	return ui.removeMemberView(r, form), err
}

func (ui teamUI) removeMemberView(r *httpapi.Request, form memberForm) frame.View {
	v := ui.pages.NewView(r, "Remove from the team", "settings", form)
	v.Crumbs = []frame.Link{{Text: v.T("Team"), URL: "/settings/team"},
		{Text: form.Email, URL: "/settings/team/" + form.ID.String()}}
	return v
}

func (ui teamUI) removeMember(w http.ResponseWriter, r *httpapi.Request) error {
	if frame.ParseForm(r); r.Err() != nil {
		return r.Err()
	}

	form, err := ui.findMember(r)
	if err != nil {
		return err
	}

	_, err = frame.IssueCredential(ui.Frame, w, r,
		func(ctx context.Context, tx store.Tx) (none struct{}, err error) {
			return none, ui.Accounts.Operators.Remove(ctx, tx, form.ID, nil)
		})
	l := ui.pages.Language(r)
	switch fault.KindOf(err) {
	case fault.Invalid:
		form.Errors = frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		return ui.pages.Reject(w, "team_remove", ui.removeMemberView(r, form),
			l.T("Nobody was removed: look at the marked fields."))
	case fault.Conflict:
		v := ui.removeMemberView(r, form)
		v.Failure = l.T("This is the last owner of the store who can sign in. Make somebody else an owner first.")
		return ui.pages.Render(w, http.StatusConflict, "team_remove", v)
	}

	if err != nil {
		return err
	}
	if form.Self {
		return frame.Redirect(w, r.Request, "/login")
	}

	return ui.RedirectWith(w, r, "/settings/team", frame.Toast{Text: l.T("%s is removed.", form.Email)})
}

// mailBase returns the URL of the administration, for a link in a mail. It returns fault.Invalid for a field of the
// form if the URL is not known.
func (ui *UI) mailBase(r *httpapi.Request, field string) (string, error) {
	base, err := r.AdminURLForMail(ui.AdminURL)
	if unknown, ok := errors.AsType[*fault.Error](err); ok {
		return "", fault.OneField(field, "unknown_host", "%s", unknown.Message)
	}
	return base, err
}
