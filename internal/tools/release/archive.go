package main

import (
	"archive/tar"
	"errors"
	"io"
	"time"

	"github.com/klauspost/compress/gzip"
)

// archiveFile is a file of an archive.
type archiveFile struct {
	name    string
	mode    int64
	content []byte
}

// writeArchive writes a tar.gz with the files below a directory. The archive depends only on its arguments: all files
// belong to root and have the given time.
func writeArchive(w io.Writer, directory string, files []archiveFile, modified time.Time) error {
	compressed := gzip.NewWriter(w)
	compressed.ModTime = modified
	archive := tar.NewWriter(compressed)

	add := func(h tar.Header, content []byte) error {
		h.Format = tar.FormatUSTAR
		h.ModTime = modified
		h.Uname = "root"
		h.Gname = "root"

		if err := archive.WriteHeader(&h); err != nil {
			return err
		}

		_, err := archive.Write(content)
		return err
	}

	made := map[string]bool{}
	for _, f := range files {
		for i, c := range directory + "/" + f.name {
			if parent := (directory + "/" + f.name)[:i+1]; c == '/' && !made[parent] {
				made[parent] = true
				if err := add(tar.Header{Typeflag: tar.TypeDir, Name: parent, Mode: 0o755}, nil); err != nil {
					return err
				}
			}
		}

		h := tar.Header{Typeflag: tar.TypeReg, Name: directory + "/" + f.name, Mode: f.mode,
			Size: int64(len(f.content))}
		if err := add(h, f.content); err != nil {
			return err
		}
	}

	return errors.Join(archive.Close(), compressed.Close())
}
