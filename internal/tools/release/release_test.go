package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/promise"
)

var released = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// A program that is packed twice gives the same files, and the SBOM lists every module that it contains.
func TestRelease_isReproducibleAndListsEveryModule(t *testing.T) {
	t.Chdir("../../..") // the root of the module
	platform := "linux/" + runtime.GOARCH
	program := filepath.Join(t.TempDir(), "vitrine")
	flags := os.Getenv("GOFLAGS") // so that the packages need not be compiled a second time
	if promise.ProveAll() {
		flags = ""
	}
	if err := build(t.Context(), platform, "v1.2.3", program, flags); err != nil {
		t.Fatal(err)
	}

	// Packing the program a second time takes seconds: the tests below compare two packages of a small program.
	first, second := t.TempDir(), t.TempDir()
	outs := []string{first}
	if promise.ProveAll() {
		outs = append(outs, second)
	}

	for _, out := range outs {
		r := release{version: "v1.2.3", time: released, out: out}
		written, err := r.pack(t.Context(), platform, program)
		if err := errors.Join(err, r.writeChecksums(written)); err != nil {
			t.Fatal(err)
		}
	}

	names := readNames(t, first)
	base := "vitrine-v1.2.3-linux-" + runtime.GOARCH
	want := []string{checksumsFile, base + ".cdx.json", base + ".tar.gz", "vitrine_1.2.3_" + runtime.GOARCH + ".deb"}
	if !slices.Equal(names, want) {
		t.Fatalf("the release has the files %q, want %q", names, want)
	}

	for _, name := range names {
		if promise.ProveAll() && !bytes.Equal(readFile(t, filepath.Join(first, name)),
			readFile(t, filepath.Join(second, name))) {
			t.Errorf("%s differs between two runs", name)
		}
	}

	check := exec.Command("sha256sum", "--check", "--strict", checksumsFile)
	check.Dir = first
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("sha256sum --check: %v\n%s", err, out)
	}

	files := readArchive(t, filepath.Join(first, base+".tar.gz"))
	bomText := readFile(t, filepath.Join(first, base+".cdx.json"))
	if !bytes.Equal(files[base+"/vitrine.cdx.json"], bomText) {
		t.Error("the SBOM in the archive is not the one beside it")
	}

	unpacked := filepath.Join(t.TempDir(), "vitrine")
	if err := os.WriteFile(unpacked, files[base+"/vitrine"], 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(unpacked, "version").Output(); err != nil || string(out) != "vitrine v1.2.3\n" {
		t.Errorf("the program of the archive prints the version %q, %v", out, err)
	}

	checkModules(t, bomText, string(files[base+"/THIRD-PARTY-LICENSES.txt"]))
}

// checkModules compares an SBOM with the modules of the packages that the program imports, as go list knows them.
func checkModules(t *testing.T, bomText []byte, licences string) {
	t.Helper()
	var listed bom
	decoder := json.NewDecoder(bytes.NewReader(bomText))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&listed); err != nil {
		t.Fatal(err)
	}

	versions := map[string]string{}
	for _, c := range listed.Components {
		versions[c.Name] = c.Version
		if len(c.Licences) == 0 || !strings.HasSuffix(c.URL, "@"+c.Version) {
			t.Errorf("%s has the licences %v and the URL %s", c.Name, c.Licences, c.URL)
		}
		if !strings.Contains(licences, "\n"+c.Name+" "+c.Version+" (") {
			t.Errorf("the licences do not name %s %s", c.Name, c.Version)
		}
	}

	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "./cmd/vitrine")
	list.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}

	modules := 0
	for line := range strings.Lines(string(out)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path == "" || path == "vitrine" {
			continue
		}
		modules++
		if versions[path] != version {
			t.Errorf("the program contains %s %s, and the SBOM lists %q", path, version, versions[path])
		}
	}

	if modules < 100 {
		t.Errorf("only %d packages of other modules were compared", modules)
	}

	for _, name := range []string{"stdlib", "htmx.org", "rapidoc"} {
		if versions[name] == "" {
			t.Errorf("the SBOM does not list %s", name)
		}
	}

	if got, want := versions["sqlite"], sqliteVersion(t); got != want {
		t.Errorf("the SBOM lists SQLite %q, and it says that it is %s", got, want)
	}
	if listed.Metadata.Time != released || !strings.HasPrefix(listed.Serial, "urn:uuid:") {
		t.Errorf("the SBOM has the time %v and the serial number %s", listed.Metadata.Time, listed.Serial)
	}
}

// sqliteVersion asks SQLite for its version.
func sqliteVersion(t *testing.T) (version string) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{URL: filepath.Join(t.TempDir(), "v.db")})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Read(t.Context(), func(q database.Querier) error {
		return database.QueryRow(t.Context(), q, "SELECT sqlite_version()", nil, &version)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return version
}

// All files of an archive have the same owner and time, whoever packs it and when.
func TestWriteArchive_hasFixedOwnersAndTimes(t *testing.T) {
	var archive bytes.Buffer
	files := []archiveFile{{name: "program", mode: 0o755, content: []byte("x")}, {name: "a/b/c.txt", mode: 0o644}}
	if err := writeArchive(&archive, "v1", files, released); err != nil {
		t.Fatal(err)
	}

	compressed, err := gzip.NewReader(&archive)
	if err != nil {
		t.Fatal(err)
	}
	if !compressed.ModTime.Equal(released) || compressed.Name != "" {
		t.Errorf("the gzip header has the time %v and the name %q", compressed.ModTime, compressed.Name)
	}

	var names []string
	for r := tar.NewReader(compressed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}

		names = append(names, h.Name)

		if h.Uid != 0 || h.Gid != 0 || h.Uname != "root" || h.Gname != "root" || !h.ModTime.Equal(released) {
			t.Errorf("%s belongs to %d:%d (%s:%s) and has the time %v", h.Name, h.Uid, h.Gid, h.Uname, h.Gname,
				h.ModTime)
		}
	}

	if want := []string{"v1/", "v1/program", "v1/a/", "v1/a/b/", "v1/a/b/c.txt"}; !slices.Equal(names, want) {
		t.Errorf("the archive has %q, want %q", names, want)
	}
}

// The table of the front end's files has the versions that the files beside them state, and all that have a licence.
func TestFrontEndParts_areThoseOfTheReadmeFiles(t *testing.T) {
	t.Chdir("../../..")
	used := map[string]bool{}
	for _, p := range frontEndParts {
		used[filepath.Join(p.folder, p.licence)] = true
		stated := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(p.name) + `\b.*\b` + regexp.QuoteMeta(p.version) + `\b`)
		if p.name == "tailwindcss" {
			stated = regexp.MustCompile(`Tailwind CSS ` + regexp.QuoteMeta(p.version) + `\b`)
		}
		if !stated.Match(readFile(t, filepath.Join(p.folder, "README.md"))) {
			t.Errorf("%s/README.md does not name %s %s", p.folder, p.name, p.version)
		}
	}

	for _, folder := range []string{adminAssets, docsAssets} {
		for _, name := range readNames(t, folder) {
			if path := filepath.Join(folder, name); strings.Contains(strings.ToLower(name), "license") && !used[path] {
				t.Errorf("%s belongs to no part in frontEndParts", path)
			}
		}
	}
}

func TestIdentifyLicences(t *testing.T) {
	for text, want := range map[string][]string{
		"// Permission is hereby granted, free of charge, to any person …\n// The above copyright notice and " +
			"this\n// permission notice shall be included": {"MIT"},
		"Permission is hereby granted, free of charge, to any person":                      {"MIT-0"},
		"Redistribution and use in source and binary forms … Neither the name of":          {"BSD-3-Clause"},
		"Redistribution and use in source\nand binary forms, with or without":              {"BSD-2-Clause"},
		"Apache License\n   Version 2.0, January 2004":                                     {"Apache-2.0"},
		"Permission to use, copy, modify, and/or distribute this software for any purpose": {"0BSD"},
		"Permission to use, copy, modify, and/or distribute this software … this permission notice appear in all " +
			"copies. The above copyright notice and this permission notice appear in all copies": {"ISC"},
		"All rights reserved.": nil,
	} {
		if got := identifyLicences(text); !slices.Equal(got, want) {
			t.Errorf("%q has the licences %q, want %q", text, got, want)
		}
	}
}

func readNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// readArchive returns the content of the files of a tar.gz by name.
func readArchive(t *testing.T, path string) map[string][]byte {
	t.Helper()
	compressed, err := gzip.NewReader(bytes.NewReader(readFile(t, path)))
	if err != nil {
		t.Fatal(err)
	}

	files := map[string][]byte{}
	for r := tar.NewReader(compressed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
