package check_test

import (
	"os"
	"testing"

	"vitrine/internal/testkit/apitest"
)

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }
