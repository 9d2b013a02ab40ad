package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maintainerScripts are the programs that dpkg runs, in deploy/debian.
var maintainerScripts = []string{"postinst", "postrm", "prerm"}

// debianSettings is the file that an upgrade leaves as the operator has changed it.
const debianSettings = "etc/vitrine/vitrine.env"

// isDebian reports whether there is a Debian package for a platform. Debian has the same names for its architectures.
func isDebian(platform string) bool { return platform == "linux/amd64" || platform == "linux/arm64" }

// debianName returns the name of the package's file.
func (r release) debianName(platform string) string {
	return fmt.Sprintf("vitrine_%s_%s.deb", debianVersion(r.version, r.time), strings.TrimPrefix(platform, "linux/"))
}

// writeDebian writes the Debian package of a platform. files are the files of its archive.
func (r release) writeDebian(w io.Writer, platform string, files []archiveFile) error {
	installed, err := debianFiles(files)
	if err != nil {
		return err
	}
	control, err := r.debianControl(platform, installed)
	if err != nil {
		return err
	}

	var data, info bytes.Buffer
	if err := writeArchive(&data, ".", installed, r.time); err != nil {
		return err
	}
	if err := writeArchive(&info, ".", control, r.time); err != nil {
		return err
	}

	return writeAr(w, []archiveFile{ // in the order that dpkg requires
		{name: "debian-binary", mode: 0o100644, content: []byte("2.0\n")},
		{name: "control.tar.gz", mode: 0o100644, content: info.Bytes()},
		{name: "data.tar.gz", mode: 0o100644, content: data.Bytes()},
	}, r.time)
}

// debianFiles returns what the package installs: the files of the archive in their places, and the documentation.
func debianFiles(files []archiveFile) (installed []archiveFile, err error) {
	const documents = "usr/share/doc/vitrine/"

	places := map[string]archiveFile{
		"vitrine":                  {name: "usr/bin/vitrine", mode: 0o755},
		"LICENSE":                  {name: documents + "copyright", mode: 0o644},
		"THIRD-PARTY-LICENSES.txt": {name: documents + "THIRD-PARTY-LICENSES.txt", mode: 0o644},
		"vitrine.cdx.json":         {name: documents + "vitrine.cdx.json", mode: 0o644},
		"systemd/vitrine.service":  {name: "usr/lib/systemd/system/vitrine.service", mode: 0o644},
		"systemd/vitrine.sysusers": {name: "usr/lib/sysusers.d/vitrine.conf", mode: 0o644},
		"systemd/vitrine.env":      {name: debianSettings, mode: 0o600}, // has passwords
		"prometheus/alerts.yml":    {name: "usr/share/vitrine/prometheus/alerts.yml", mode: 0o644},
		"grafana/vitrine.json":     {name: "usr/share/vitrine/grafana/vitrine.json", mode: 0o644},
	}
	for _, f := range files {
		place, ok := places[f.name]
		if !ok {
			return nil, fmt.Errorf("the package has no place for %s", f.name)
		}
		place.content = f.content
		installed = append(installed, place)
	}

	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		return nil, err
	}

	for _, page := range append(pages, "CHANGELOG.md") {
		content, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		installed = append(installed, archiveFile{name: documents + filepath.Base(page), mode: 0o644, content: content})
	}

	slices.SortFunc(installed, func(a, b archiveFile) int { return strings.Compare(a.name, b.name) })
	return installed, nil
}

// debianControl returns the files that describe the package to dpkg.
func (r release) debianControl(platform string, installed []archiveFile) ([]archiveFile, error) {
	var sums strings.Builder
	size := int64(0)
	for _, f := range installed {
		size += int64(len(f.content)+1023) / 1024
		if f.name != debianSettings {
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.content), f.name)
		}
	}

	control := fmt.Sprintf(`Package: vitrine
Version: %s
Architecture: %s
Maintainer: The Vitrine authors <maintainers@vitrine.invalid>
Installed-Size: %d
Depends: ca-certificates, systemd
Section: web
Priority: optional
Description: store backend with an HTTP API
 Vitrine keeps the catalogue, stock, carts and orders of shops in SQLite or
 PostgreSQL, and exchanges them with accounting systems and storefronts.
`, debianVersion(r.version, r.time), strings.TrimPrefix(platform, "linux/"), size)

	files := []archiveFile{
		{name: "control", mode: 0o644, content: []byte(control)},
		{name: "conffiles", mode: 0o644, content: []byte("/" + debianSettings + "\n")},
		{name: "md5sums", mode: 0o644, content: []byte(sums.String())},
	}
	for _, name := range maintainerScripts {
		content, err := os.ReadFile(filepath.Join("deploy/debian", name))
		if err != nil {
			return nil, err
		}
		files = append(files, archiveFile{name: name, mode: 0o755, content: content})
	}

	return files, nil
}

// writeAr writes an archive in the common form of ar, with the files of root.
func writeAr(w io.Writer, files []archiveFile, modified time.Time) error {
	if _, err := io.WriteString(w, "!<arch>\n"); err != nil {
		return err
	}
	for _, f := range files {
		_, err := fmt.Fprintf(w, "%-16s%-12d%-6d%-6d%-8o%-10d`\n%s", f.name, modified.Unix(), 0, 0, f.mode,
			len(f.content),
			f.content)
		if err == nil && len(f.content)%2 == 1 {
			_, err = io.WriteString(w, "\n")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	versionNumber = regexp.MustCompile(`^\d+(\.\d+)+$`)
	// commitsSince is what git describe adds to the name of a tag.
	commitsSince      = regexp.MustCompile(`^(\d+-g[0-9a-f]+|dirty)`)
	notInDebianNumber = regexp.MustCompile(`[^A-Za-z0-9.]+`)
)

// debianVersion returns the version in the form and the order of Debian: 1.2.3~rc.1, 1.2.3, 1.2.3+4.g0123456. A commit
// without a tag before it has the time of the commit, and is older than all tags.
func debianVersion(version string, at time.Time) string {
	clean := func(text string) string { return notInDebianNumber.ReplaceAllString(text, ".") }
	number, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	switch {
	case !versionNumber.MatchString(number):
		return "0~" + at.UTC().Format("20060102150405") + "." + clean(version)
	case rest == "":
		return number
	case commitsSince.MatchString(rest):
		return number + "+" + clean(rest)
	}
	return number + "~" + clean(rest)
}
