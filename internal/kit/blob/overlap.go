package blob

import (
	"path/filepath"
	"strings"
)

// Overlap reports whether two stores have files in common: they are the same folder or prefix of a bucket, or one is
// inside the other. It reaches no network. Two names of the same server are different servers to it.
func Overlap(a, b Config) (bool, error) {
	first, firstOnDisk, err := a.Folder()
	if err != nil {
		return false, err
	}
	second, secondOnDisk, err := b.Folder()
	if err != nil || firstOnDisk != secondOnDisk {
		return false, err
	}
	if firstOnDisk {
		return foldersOverlap(first, second)
	}
	return bucketsOverlap(a, b)
}

func foldersOverlap(a, b string) (bool, error) {
	first, err := realPath(a)
	if err != nil {
		return false, err
	}
	second, err := realPath(b)
	if err != nil {
		return false, err
	}
	separator := string(filepath.Separator)
	return contains(first, second, separator) || contains(second, first, separator), nil
}

// realPath returns the absolute path of a folder without symbolic links. The folder, and some of its parents, need not
// exist.
func realPath(folder string) (string, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	missing := ""
	for existing := absolute; ; existing = filepath.Dir(existing) {
		if resolved, err := filepath.EvalSymlinks(existing); err == nil {
			return filepath.Join(resolved, missing), nil
		}
		if existing == filepath.Dir(existing) {
			return absolute, nil
		}
		missing = filepath.Join(filepath.Base(existing), missing)
	}
}

func bucketsOverlap(a, b Config) (bool, error) {
	// The credentials do not matter here, and may be missing.
	a.AccessKey = "-"
	a.SecretKey = "-"
	b.AccessKey = "-"
	b.SecretKey = "-"

	first, err := parseS3(a)
	if err != nil {
		return false, err
	}
	second, err := parseS3(b)
	if err != nil {
		return false, err
	}
	if first.bucket != second.bucket || !strings.EqualFold(first.endpoint.Host, second.endpoint.Host) {
		return false, nil
	}

	return contains(first.prefix, second.prefix, "/") || contains(second.prefix, first.prefix, "/"), nil
}

// contains reports whether inner is outer or inside of it. An outer of "" contains everything.
func contains(outer, inner, separator string) bool {
	outer = strings.TrimSuffix(outer, separator)
	return outer == inner || outer == "" || strings.HasPrefix(inner, outer+separator)
}
