package homeui

import (
	"net/http"

	"vitrine/internal/api/httpapi"
)

func (ui *UI) overviewPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.pages.Render(w, http.StatusOK, "overview", ui.pages.NewView(r, "Home", "home", nil))
}
