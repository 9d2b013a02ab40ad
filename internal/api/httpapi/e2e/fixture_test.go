package e2e

import (
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

const (
	optionsPath = "/v2/variant-options"
	// optionBody is a valid body that creates an option.
	optionBody = `{"name": "Size", "values": [{"name": "S"}]}`
	// onePixelGIF is an image of one pixel.
	onePixelGIF = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff" +
		"\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b"
)

// startServer starts a server on SQLite, for tests whose result does not depend on the database. It makes the test run
// in parallel.
func startServer(t *testing.T, options ...apitest.Option) *apitest.Server {
	t.Helper()
	t.Parallel()
	return apitest.StartServer(t, database.SQLite, options...)
}

// createOption creates an option and returns its path.
func createOption(s *apitest.Server) string {
	return optionsPath + "/" + s.OK(201, "POST", optionsPath, optionBody).Text("data.id")
}

func withHeader(name, value string) apitest.RequestOption { return apitest.Header(name, value) }

// nestedJSON returns inside, enclosed in open and close as many times as levels says.
func nestedJSON(levels int, open, inside, close string) string {
	return strings.Repeat(open, levels) + inside + strings.Repeat(close, levels)
}
