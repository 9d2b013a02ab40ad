package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// component is a part of the program that others wrote.
type component struct {
	name, version string
	// url is the package URL (purl), which vulnerability scanners look up.
	url string
	// cpe is the name in the National Vulnerability Database, for parts that no package manager knows; may be empty.
	cpe string
	// sum is the checksum of a module in go.sum, or empty.
	sum string
	// licences are SPDX ids.
	licences []string
	// text has the texts of the licence files.
	text string
}

// findComponents returns the parts of a program: the modules that the linker recorded in it, the standard library,
// SQLite, and the files of the front end.
func findComponents(ctx context.Context, program string) ([]component, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}

	var all []component
	paths := make([]string, 0, len(info.Deps))
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, fmt.Errorf("%s is replaced: a release is made of published modules", m.Path)
		}
		paths = append(paths, m.Path)
		all = append(all, component{name: m.Path, version: m.Version, url: goURL(m.Path, m.Version), sum: m.Sum})
	}

	directories, err := moduleDirectories(ctx, paths)
	if err != nil {
		return nil, err
	}

	for i, c := range all {
		if all[i].licences, all[i].text, err = readLicences(directories[c.name]); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}

	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	library := component{name: "stdlib", version: goVersion, url: goURL("stdlib", goVersion)}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	if library.licences, library.text, err = readLicences(strings.TrimSpace(string(root))); err != nil {
		return nil, fmt.Errorf("the standard library: %w", err)
	}

	sqlite, err := findSQLite(all)
	if err != nil {
		return nil, err
	}
	frontEnd, err := frontEndComponents(".")
	if err != nil {
		return nil, err
	}

	return append(append(all, library, sqlite), frontEnd...), nil
}

func goURL(path, version string) string { return "pkg:golang/" + path + "@" + version }

// sqliteNumber matches the version of SQLite in the version of the module that contains it: v6.3.35304 has 3.53.4.
var sqliteNumber = regexp.MustCompile(`\.3(\d\d)(\d\d)$`)

// findSQLite returns SQLite, which is part of a module, translated to Go.
func findSQLite(modules []component) (component, error) {
	i := slices.IndexFunc(modules, func(c component) bool {
		return strings.HasPrefix(c.name, "github.com/ncruces/go-sqlite3-wasm/")
	})
	if i < 0 {
		return component{}, errors.New("the program does not contain SQLite")
	}

	m := sqliteNumber.FindStringSubmatch(modules[i].version)
	if m == nil {
		return component{}, fmt.Errorf("the version of SQLite is not known from %s", modules[i].version)
	}

	version := fmt.Sprintf("3.%s.%s", strings.TrimPrefix(m[1], "0"), strings.TrimPrefix(m[2], "0"))
	if m[2] == "00" {
		version += "0"
	}

	return component{
		name: "sqlite", version: version, url: "pkg:generic/sqlite@" + version,
		cpe:      "cpe:2.3:a:sqlite:sqlite:" + version + ":*:*:*:*:*:*:*",
		licences: []string{"blessing"}, text: "SQLite is in the public domain.\n",
	}, nil
}

// moduleDirectories returns where the source of modules is.
func moduleDirectories(ctx context.Context, paths []string) (map[string]string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-m", "-json"}, paths...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}

	directories := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Dir string }
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return directories, nil
		} else if err != nil {
			return nil, err
		}
		directories[m.Path] = m.Dir
	}
}
