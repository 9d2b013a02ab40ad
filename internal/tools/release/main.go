// Release builds the files of a release: for each platform an archive with the program and a software bill of materials
// (SBOM), for Linux a Debian package, and the checksums of all of them. The same commit, built with the same version of
// Go, gives the same bytes.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// checksumsFile is the name of the file with the checksums, in the form that sha256sum -c reads.
const checksumsFile = "SHA256SUMS"

func main() {
	version := flag.String("version", "", "version of the release")
	epoch := flag.Int64("epoch", 0, "time of all files, in seconds since 1970: that of the commit")
	out := flag.String("out", "bin/release", "directory to write to; its former content is removed")
	platforms := flag.String("platforms", strings.Join(allPlatforms, ","),
		"systems and architectures, such as linux/amd64")
	onlyDebian := flag.Bool("only-deb", false, "build only the Debian packages")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := release{version: *version, time: time.Unix(*epoch, 0).UTC(), out: *out, onlyDebian: *onlyDebian}
	if err := r.make(ctx, strings.Split(*platforms, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one version of the program.
type release struct {
	version string
	// time is the time of all files in archives and SBOMs.
	time time.Time
	// out is the directory to which the files are written.
	out string
	// onlyDebian leaves out the archives and SBOMs.
	onlyDebian bool
}

// make builds the files of all platforms and their checksums.
func (r release) make(ctx context.Context, platforms []string) error {
	if r.version == "" || r.time.Unix() <= 0 {
		return errors.New("-version and -epoch are required")
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}

	fmt.Printf("vitrine %s of %s, with %s\n", r.version, r.time.Format(time.RFC3339), runtime.Version())
	var names []string
	for _, p := range platforms {
		written, err := r.makePlatform(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		fmt.Println(strings.Join(written, "\n"))
		names = append(names, written...)
	}

	if err := r.writeChecksums(names); err != nil {
		return err
	}

	return r.sign(ctx, os.Getenv(signerVariable))
}

// makePlatform builds the program for a platform and packs it. It returns the names of the files.
func (r release) makePlatform(ctx context.Context, platform string) (names []string, err error) {
	temporary, err := os.MkdirTemp("", "vitrine-release-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	program := filepath.Join(temporary, "vitrine")
	if err := build(ctx, platform, r.version, program, ""); err != nil {
		return nil, err
	}
	return r.pack(ctx, platform, program)
}

// pack writes the archive, the SBOM and the Debian package of a program that was built for a platform. It returns their
// names.
func (r release) pack(ctx context.Context, platform, program string) (names []string, err error) {
	parts, err := findComponents(ctx, program)
	if err != nil {
		return nil, err
	}
	bom, err := newBOM(r.version, r.time, program, parts)
	if err != nil {
		return nil, err
	}

	text, err := bom.encode()
	if err != nil {
		return nil, err
	}
	files, err := archiveFiles(platform, program, text, licenceTexts(parts))
	if err != nil {
		return nil, err
	}

	name := "vitrine-" + r.version + "-" + strings.ReplaceAll(platform, "/", "-")
	if !r.onlyDebian {
		names = append(names, name+".tar.gz", name+".cdx.json")
		if err := os.WriteFile(filepath.Join(r.out, name+".cdx.json"), text, 0o644); err != nil {
			return nil, err
		}
		err := r.create(name+".tar.gz", func(w io.Writer) error { return writeArchive(w, name, files, r.time) })
		if err != nil {
			return nil, err
		}
	}

	if isDebian(platform) {
		names = append(names, r.debianName(platform))
		err = r.create(r.debianName(platform), func(w io.Writer) error { return r.writeDebian(w, platform, files) })
	}

	return names, err
}

// create writes a file of the release.
func (r release) create(name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// archiveFiles returns what the archive of a platform contains.
func archiveFiles(platform, program string, bom []byte, licences string) ([]archiveFile, error) {
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, err
	}

	files := []archiveFile{
		{name: "vitrine", mode: 0o755, content: binary},
		{name: "LICENSE", mode: 0o644, content: licence},
		{name: "THIRD-PARTY-LICENSES.txt", mode: 0o644, content: []byte(licences)},
		{name: "vitrine.cdx.json", mode: 0o644, content: bom},
	}
	if strings.HasPrefix(platform, "linux/") {
		for _, path := range []string{
			"deploy/systemd/vitrine.service", "deploy/systemd/vitrine.sysusers", "deploy/systemd/vitrine.env",
			"deploy/prometheus/alerts.yml", "deploy/grafana/vitrine.json",
		} {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			files = append(files, archiveFile{name: path[len("deploy/"):], mode: 0o644, content: content})
		}
	}

	return files, nil
}

// writeChecksums writes a line for each of the files, as sha256sum does.
func (r release) writeChecksums(names []string) error {
	var text strings.Builder
	for _, name := range names {
		sum, err := fileSHA256(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, name)
	}
	return os.WriteFile(filepath.Join(r.out, checksumsFile), []byte(text.String()), 0o644)
}

// fileSHA256 returns the checksum of a file as hexadecimal digits.
func fileSHA256(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
