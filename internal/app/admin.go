package app

import (
	"vitrine/internal/httpapi"
)

// newAdmin makes the administration's surface.
func (a *App) newAdmin(deps httpapi.Deps) *httpapi.Server {
	return httpapi.NewServer(deps, a.operations())
}
