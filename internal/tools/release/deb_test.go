package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// readAr returns the files of an ar archive by name, and their names in order.
func readAr(t *testing.T, content []byte) (files map[string][]byte, names []string) {
	t.Helper()
	content, ok := bytes.CutPrefix(content, []byte("!<arch>\n"))
	if !ok {
		t.Fatal("the file is not an ar archive")
	}

	files = map[string][]byte{}
	for len(content) > 0 {
		name := strings.TrimSpace(string(content[:16]))
		size, err := strconv.Atoi(strings.TrimSpace(string(content[48:58])))
		if err != nil || string(content[58:60]) != "`\n" {
			t.Fatalf("the header of %s is %q", name, content[:60])
		}
		files[name], names = content[60:60+size], append(names, name)
		content = content[60+size+size%2:]
	}

	return files, names
}

// packDebian packs a program that is a text.
func packDebian(t *testing.T, platform string) []byte {
	t.Helper()
	program := filepath.Join(t.TempDir(), "vitrine")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho program\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	files, err := archiveFiles(platform, program, []byte("{}"), "licences")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (release{version: "v1.2.3", time: released}).writeDebian(&out, platform, files); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDebian_hasThePartsThatDpkgNeeds(t *testing.T) {
	t.Chdir("../../..")

	for _, architecture := range []string{"amd64", "arm64"} {
		pkg := packDebian(t, "linux/"+architecture)
		if !bytes.Equal(pkg, packDebian(t, "linux/"+architecture)) {
			t.Errorf("the package of %s differs between two runs", architecture)
		}

		parts, names := readAr(t, pkg)
		if want := []string{"debian-binary", "control.tar.gz", "data.tar.gz"}; !slices.Equal(names, want) ||
			string(parts["debian-binary"]) != "2.0\n" {
			t.Fatalf("the package has %q, want %q", names, want)
		}

		control := readTar(t, parts["control.tar.gz"])
		data := readTar(t, parts["data.tar.gz"])
		for _, line := range []string{"Package: vitrine", "Version: 1.2.3", "Architecture: " + architecture} {
			if !strings.Contains(string(control["./control"]), line+"\n") {
				t.Errorf("the control file lacks %q: %s", line, control["./control"])
			}
		}

		if got := string(control["./conffiles"]); got != "/etc/vitrine/vitrine.env\n" {
			t.Errorf("the conffiles are %q", got)
		}

		for _, name := range []string{"./usr/bin/vitrine", "./usr/lib/systemd/system/vitrine.service",
			"./usr/lib/sysusers.d/vitrine.conf", "./etc/vitrine/vitrine.env", "./usr/share/doc/vitrine/copyright",
			"./usr/share/vitrine/prometheus/alerts.yml", "./usr/share/vitrine/grafana/vitrine.json",
			"./usr/share/doc/vitrine/operations.md"} {
			if len(data[name]) == 0 {
				t.Errorf("the package has no %s", name)
			}
		}

		// The paths of the unit and of the scripts are those of the package.
		unit := string(data["./usr/lib/systemd/system/vitrine.service"])
		for _, text := range []string{"ExecStart=/usr/bin/vitrine ", "EnvironmentFile=-/etc/vitrine/vitrine.env"} {
			if !strings.Contains(unit, text) {
				t.Errorf("the unit lacks %q", text)
			}
		}

		if !strings.Contains(string(control["./postinst"]), "systemd-sysusers /usr/lib/sysusers.d/vitrine.conf\n") {
			t.Error("postinst does not create the user")
		}

		for _, script := range maintainerScripts {
			check := exec.Command("sh", "-n")
			check.Stdin = bytes.NewReader(control["./"+script])
			if out, err := check.CombinedOutput(); err != nil || len(control["./"+script]) == 0 {
				t.Errorf("%s: %v\n%s", script, err, out)
			}
		}
	}
}

// readTar returns the content of the files of a tar.gz by name.
func readTar(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive.tar.gz")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return readArchive(t, path)
}

// Where dpkg is installed, it unpacks the package, and the checksums are right.
func TestDebian_isUnpackedByDpkg(t *testing.T) {
	t.Chdir("../../..")
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		return // not a Debian system; the other tests read the package themselves
	}

	dir := t.TempDir()
	file := filepath.Join(dir, "vitrine.deb")
	if err := os.WriteFile(file, packDebian(t, "linux/amd64"), 0o600); err != nil {
		t.Fatal(err)
	}

	dpkg := func(args ...string) string {
		out, err := exec.Command("dpkg-deb", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("dpkg-deb %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if got := dpkg("--field", file, "Version"); got != "1.2.3\n" {
		t.Errorf("the version is %q", got)
	}

	listed := dpkg("--contents", file)
	for _, line := range []string{"-rwxr-xr-x root/root", "-rw------- root/root"} {
		if !strings.Contains(listed, line) {
			t.Errorf("no file is %s:\n%s", line, listed)
		}
	}

	dpkg("--raw-extract", file, filepath.Join(dir, "root"))
	sums := exec.Command("md5sum", "--check", "--strict", "--quiet", "DEBIAN/md5sums")
	sums.Dir = filepath.Join(dir, "root")
	if out, err := sums.CombinedOutput(); err != nil {
		t.Errorf("md5sum: %v\n%s", err, out)
	}

	if out, err := exec.Command(filepath.Join(dir, "root/usr/bin/vitrine")).Output(); err != nil ||
		string(out) != "program\n" {
		t.Errorf("the program prints %q, %v", out, err)
	}
}

func TestDebianVersion(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 30, 0, 0, time.UTC)
	ordered := []string{"0123456789ab", "v1.2.3-rc.1", "v1.2.3-rc.1-4-g0123456789ab", "v1.2.3",
		"v1.2.3-4-g0123456789ab",
		"v1.2.10"}
	want := []string{"0~20261101123000.0123456789ab", "1.2.3~rc.1", "1.2.3~rc.1.4.g0123456789ab", "1.2.3",
		"1.2.3+4.g0123456789ab", "1.2.10"}
	for i, version := range ordered {
		if got := debianVersion(version, at); got != want[i] {
			t.Errorf("%s is %s, want %s", version, got, want[i])
		}
	}

	if got := debianVersion("v1.2.3-dirty", at); got != "1.2.3+dirty" {
		t.Errorf("a changed tree is %s", got)
	}
	if _, err := exec.LookPath("dpkg"); err != nil {
		return // not a Debian system
	}

	for i := range len(want) - 1 {
		if err := exec.Command("dpkg", "--compare-versions", want[i], "lt", want[i+1]).Run(); err != nil {
			t.Errorf("%s is not older than %s: %v", want[i], want[i+1], err)
		}
	}
}

// The order of the files and the padding are those that ar requires.
func TestWriteAr(t *testing.T) {
	var out bytes.Buffer
	err := writeAr(&out, []archiveFile{{name: "odd", mode: 0o100644, content: []byte("abc")},
		{name: "even", mode: 0o100644, content: []byte("abcd")}}, released)
	if err != nil {
		t.Fatal(err)
	}
	files, names := readAr(t, out.Bytes())
	if !slices.Equal(names, []string{"odd", "even"}) || string(files["odd"]) != "abc" ||
		string(files["even"]) != "abcd" {
		t.Errorf("the archive has %q: %q", names, files)
	}
}
