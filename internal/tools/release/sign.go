package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// signerVariable names the command that signs SHA256SUMS, such as minisign -S -s FILE -m. The name of the file is added
// to it. The command runs in the directory of the release, and writes the signature beside the file. The key is its
// business: the program that builds the release never sees it.
const signerVariable = "RELEASE_SIGNER"

// sign calls the command of the environment, if there is one. A command that fails, or that leaves no new file, is an
// error: nobody should take the release for a signed one.
func (r release) sign(ctx context.Context, command string) error {
	words := strings.Fields(command)
	if len(words) == 0 {
		fmt.Printf("%s is not signed: %s is not set\n", checksumsFile, signerVariable)
		return nil
	}

	before, err := filepath.Glob(filepath.Join(r.out, checksumsFile+"*"))
	if err != nil {
		return err
	}

	cmd := exec.CommandContext(ctx, words[0], append(words[1:], checksumsFile)...)
	cmd.Dir = r.out
	cmd.Stdin = os.Stdin
	cmd.Stdout = os.Stdout
	cmd.Stderr = os.Stderr

	if err := cmd.Run(); err != nil {
		return fmt.Errorf("sign %s: %w", checksumsFile, err)
	}

	after, err := filepath.Glob(filepath.Join(r.out, checksumsFile+"*"))
	if err == nil && len(after) <= len(before) {
		err = errors.New(signerVariable + " has written no file " + checksumsFile + ".*")
	}

	return err
}
