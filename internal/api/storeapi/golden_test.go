package storeapi_test

import (
	"testing"

	"vitrine/internal/testkit/apitest"
)

// The API as a reader sees it: testdata/*.http.
func TestGoldens(t *testing.T) { apitest.RunGoldens(t, "testdata") }
