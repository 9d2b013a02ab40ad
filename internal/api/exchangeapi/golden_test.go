package exchangeapi_test

import (
	"testing"

	"vitrine/internal/testkit/apitest"
)

// The goldens are in testdata/*.http.
func TestGoldens(t *testing.T) { apitest.RunGoldens(t, "testdata") }
