package openapi

import (
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/api/httpapi"
)

// commonCodes returns the codes that the problems of all routes with a status may have: they come from reading the
// request, from credentials, limits, the database and the file storage, not from what a route does.
func commonCodes(status int) []string {
	return map[int][]string{
		http.StatusBadRequest: {"malformed_query", "malformed_json", "malformed_encoding", "malformed_form",
			"malformed_idempotency_key", "weak_idempotency_key", "body_incomplete", "too_many_members"},
		http.StatusUnauthorized:          {httpapi.CredentialRequired, "invalid_credential"},
		http.StatusForbidden:             {"forbidden", "loop"},
		http.StatusNotFound:              {"not_found"},
		http.StatusRequestTimeout:        {"body_too_slow"},
		http.StatusConflict:              {"idempotency_in_progress"},
		http.StatusPreconditionFailed:    {"precondition_failed"},
		http.StatusRequestEntityTooLarge: {"body_too_large", "decompression_bomb", "too_many_elements"},
		http.StatusUnsupportedMediaType:  {"unsupported_media_type", "unsupported_encoding"},
		http.StatusUnprocessableEntity:   {"validation_failed"},
		http.StatusTooManyRequests: {"too_many_requests", "too_many_failed_credentials",
			"too_many_connections"},
		http.StatusInternalServerError: {"internal"},
		http.StatusServiceUnavailable: {"overloaded", "timeout", "busy", "database_unavailable", "database_busy",
			"outcome_unknown", "storage_failed", "disk_full", "file_storage_unavailable", "search_busy",
			"facets_unavailable"},
	}[status]
}

// ProblemCodes returns the codes of the problems that a route may answer with, by status. The code of a refusal with
// status 422 is that of a field in errors, not of the problem, except on the exchange gate.
func ProblemCodes(route httpapi.Route) map[int][]string {
	codes := map[int][]string{}
	for _, status := range failureStatuses(route) {
		list := slices.Concat(commonCodes(status), ownCodes(route, status))
		slices.Sort(list)
		codes[status] = slices.Compact(list)
	}
	return codes
}

// ownCodes returns the codes of problems with a status that the route has beside the common ones.
func ownCodes(route httpapi.Route, status int) (list []string) {
	if route.Exchange && status == http.StatusUnauthorized {
		list = append(list, "invalid_exchange_token")
	}
	for _, r := range route.Refusals {
		ofField := status == http.StatusUnprocessableEntity && !route.Exchange
		if r.Status == status && !ofField && !slices.Contains(commonCodes(status), r.Code) {
			list = append(list, r.Code)
		}
	}
	return list
}

// problemSchema returns the schema of a problem whose code is one of these.
func problemSchema(problem *huma.Schema, codes []string) *huma.Schema {
	words := make([]any, len(codes))
	for i, code := range codes {
		words[i] = code
	}
	return &huma.Schema{AllOf: []*huma.Schema{problem, {
		Type: huma.TypeObject, Required: []string{"code"},
		Properties: map[string]*huma.Schema{"code": {Type: huma.TypeString, Enum: words}},
	}}}
}

// allCodes returns the codes of all problems of the routes, sorted.
func allCodes(routes []httpapi.Route) []string {
	set := map[string]bool{}
	for _, route := range routes {
		for _, codes := range ProblemCodes(route) {
			for _, code := range codes {
				set[code] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}
