package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/account"
)

// firstRunFile is the name of the file in the data directory that holds a FirstRun.
const firstRunFile = "first-run.json"

// FirstRun holds the credentials of the store that the first run created, and the addresses of the server. Its JSON has
// the members of vitrine store create --json and two more.
type FirstRun struct {
	account.ProvisionedStore

	APIURL   string `json:"api_url"`
	AdminURL string `json:"admin_url"`
}

// FirstRunFile returns the path of the file in which Save keeps the credentials of the first store.
func FirstRunFile(dataDir string) string { return filepath.Join(dataDir, firstRunFile) }

// Save writes the file in the data directory. Only the owner of the file can read it. A crash leaves the former file or
// the new one, never a part of it.
func (f FirstRun) Save(dataDir string) (err error) {
	text, err := json.Marshal(f, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}

	// CreateTemp creates files with mode 0600.
	temporary, err := os.CreateTemp(dataDir, firstRunFile+".*")
	if err != nil {
		return fmt.Errorf("save the credentials of the first run: %w", err)
	}

	_, err = temporary.Write(append(text, '\n'))
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), FirstRunFile(dataDir))
	}

	if err != nil {
		return errors.Join(fmt.Errorf("save the credentials of the first run: %w", err), os.Remove(temporary.Name()))
	}

	return nil
}

// LoadFirstRun reads the file that Save wrote. It returns a fault.NotFound if there is none.
func LoadFirstRun(dataDir string) (FirstRun, error) {
	path := FirstRunFile(dataDir)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return FirstRun{}, fault.New(fault.NotFound, "no_first_run",
			"There is no file %s. The first run of vitrine serve writes it; --data names its directory. If it was "+
				"deleted, create new keys with vitrine key create.", path)
	}
	if err != nil {
		return FirstRun{}, fmt.Errorf("read the credentials of the first run: %w", err)
	}
	var f FirstRun
	if err := json.Unmarshal(text, &f); err != nil {
		return FirstRun{}, fault.New(fault.Invalid, "invalid_first_run", "The file %s is damaged.", path).Because(err)
	}
	return f, nil
}

// UpdateFirstRun stores new addresses in the file, if there is one.
func UpdateFirstRun(dataDir, apiURL, adminURL string) error {
	f, err := LoadFirstRun(dataDir)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil || f.APIURL == apiURL && f.AdminURL == adminURL {
		return err
	}
	f.APIURL, f.AdminURL = apiURL, adminURL
	return f.Save(dataDir)
}
