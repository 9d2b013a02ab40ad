package databasetest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/internal/testkit/databasetest/pgserver"
)

// Of many processes, one creates the template. If it fails, the next one tries.
func TestOncePerRun_createsOnceAndAgainAfterAFailure(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(pgserver.SharedDirVariable, dir)

	var tries, failures atomic.Int32
	create := func() ([]byte, error) {
		if tries.Add(1) == 1 {
			return nil, errors.New("no luck")
		}
		return []byte("content"), nil
	}

	var processes sync.WaitGroup
	for range 8 {
		processes.Go(func() {
			content, err := oncePerRun("template", create)
			switch {
			case err != nil && strings.Contains(err.Error(), "no luck"):
				failures.Add(1)
			case err != nil || string(content) != "content":
				t.Errorf("got %q, %v", content, err)
			}
		})
	}
	processes.Wait()

	if tries.Load() != 2 || failures.Load() != 1 {
		t.Errorf("%d tries, %d failures, want 2 and 1", tries.Load(), failures.Load())
	}

	if err := os.Remove(filepath.Join(dir, "template")); err != nil {
		t.Errorf("the content is not in the shared directory: %v", err)
	}
	t.Setenv(pgserver.SharedDirVariable, "")
	if content, err := oncePerRun("template", create); string(content) != "content" || tries.Load() != 3 || err != nil {
		t.Errorf("without a shared directory: %q, %v after %d tries", content, err, tries.Load())
	}
}
