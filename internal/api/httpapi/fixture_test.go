package httpapi_test

import (
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

const (
	options = "/v2/variant-options"
	// size is a body that is right.
	size = `{"name": "Size", "values": [{"name": "S"}]}`
	// dot is an image of one pixel.
	dot = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b"
)

// shop starts the program on SQLite, for what is decided before a database is asked.
func shop(t *testing.T) *apitest.Server {
	t.Helper()
	t.Parallel()
	return apitest.StartServer(t, database.SQLite)
}

// option makes an option and returns its path.
func option(s *apitest.Server) string {
	return options + "/" + s.OK(201, "POST", options, size).Text("data.id")
}

func header(name, value string) apitest.RequestOption { return apitest.Header(name, value) }

// nested is JSON of that many levels.
func nested(levels int, open, inside, close string) string {
	return strings.Repeat(open, levels) + inside + strings.Repeat(close, levels)
}
