package transfer

import (
	"os"
	"testing"

	"vitrine/internal/testkit/databasetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }
