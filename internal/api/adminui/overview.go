package adminui

import (
	"net/http"

	"vitrine/internal/api/httpapi"
)

func (ui *UI) overviewPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.render(w, http.StatusOK, "overview", ui.newView(r, "Overview", "overview", nil))
}
