package exchangeapi

import "vitrine/internal/api/httpapi"

// oneCDocs returns the documentation of the routes of 1C, by method and path.
func oneCDocs() map[string]httpapi.Route {
	query := []httpapi.Param{
		{Name: "type", Enum: []string{"catalog", "sale"},
			Description: "What is exchanged: goods and offers, or orders. Orders need the scope `orders`."},
		{Name: "mode", Enum: []string{"checkauth", "init", "file", "import", "deactivate", "complete", "query",
			"success", "info"}, Description: "The step of the exchange."},
		{Name: "filename", Description: "With `mode=file` and `mode=import`: the path of the file inside the package.",
			Example: "import.xml"},
		{Name: "version", Description: "With `mode=init`: the version of the exchange that 1C speaks. Newer ones get " +
			"`sessid` and `version` back.", Example: "3.1"},
		{Name: "sessid", Description: "The session that `mode=init` has answered, which tells exchanges apart that " +
			"send no cookie.", Example: "17"},
	}

	const about = "The protocol that 1C has built in, for its exchange with a site, " +
		"with files of CommerceML 2. Enter `{base_url}/v2/sync-gate/commerceml` as the address, any login, " +
		"and the exchange token as the password; " +
		"or `{base_url}/v2/sync-gate/{token}/commerceml`, which needs neither.\n\n" +
		"Every answer is 200 `text/plain`, a wrong password too: its first line is `success`, " +
		"`progress` or `failure`, the second says why. (`mode=init` answers `zip=yes` and `file_limit=…`, " +
		"`mode=query` an XML document.) " +
		"Files become ordinary pushes with ordinary runs, and the runs of the token report their results."
	return map[string]httpapi.Route{
		"GET " + routePrefix + oneCPath: {
			OperationID: "commerceML", PlainMediaType: "text/plain", QueryParams: query, Summary: "Exchange with 1C",
			Description: about +
				"\n\n`mode=import` answers `progress` while the file is applied in the background: send the same " +
				"request again until it is `success` or `failure`.",
		},
		"POST " + routePrefix + oneCPath: {
			OperationID: "commerceMLFile", PlainMediaType: "text/plain", QueryParams: query,
			Summary: "Send a file of 1C",
			Description: about +
				"\n\nThe body of `mode=file` is the file, or a part of it: parts are appended. A part equal to the " +
				"one before it is dropped.",
		},
	}
}
