package adminui

import (
	"net/http"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/access"
)

func (ui *UI) overview(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.render(w, http.StatusOK, "overview", ui.newView(r, "Overview", "overview", nil))
}

func roleName(role access.Role) string {
	switch role {
	case access.Owner:
		return "Owner"
	case access.Manager:
		return "Manager"
	case access.Viewer:
		return "Viewer"
	}
	return string(role)
}
