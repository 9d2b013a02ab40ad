package e2e

import (
	"testing"

	"vitrine/internal/testkit/apitest"
)

// The golden files testdata/*.http show requests and responses of the API.
func TestGoldens(t *testing.T) { apitest.RunGoldens(t, "testdata") }
