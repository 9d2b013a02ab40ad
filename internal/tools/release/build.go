package main

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// allPlatforms are those that a release has. The tests run on Linux.
var allPlatforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "freebsd/amd64"}

// build compiles the program for a platform. What could differ between two machines is set here: the settings of Go,
// paths, and the id of the build. The flags are those of the variable GOFLAGS; a release has none.
func build(ctx context.Context, platform, version, path, flags string) error {
	system, architecture, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("%q is not a platform such as linux/amd64", platform)
	}

	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly",
		"-ldflags", "-s -w -buildid= -X main.version="+version, "-o", path, "vitrine/cmd/vitrine")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0", "GOAMD64=v1",
		"GOARM64=v8.0",
		"GOFLAGS="+flags, "GOEXPERIMENT=", "GOWORK=off", "GOTOOLCHAIN=local", "GOFIPS140=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	if system == "darwin" {
		return nil // programs for macOS call the system through its library
	}

	return checkStatic(path)
}

// checkStatic returns an error if a program needs a loader or libraries.
func checkStatic(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("%s is not static: it has a segment %s", path, p.Type)
		}
	}
	return nil
}
