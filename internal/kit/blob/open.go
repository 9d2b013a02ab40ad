package blob

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Config says where files are stored.
type Config struct {
	// URL is s3://bucket/prefix?endpoint=https://host:port&region=…, file:///folder, or a path.
	URL string
	// AccessKey and SecretKey are the S3 credentials, used if the URL has none.
	AccessKey, SecretKey string
}

// Folder returns the folder on disk in which files are stored. ok is false if they are stored elsewhere.
func (c Config) Folder() (folder string, ok bool, err error) {
	scheme, rest, found := strings.Cut(c.URL, "://")
	if !found {
		return c.URL, true, nil
	}
	if scheme != "file" {
		return "", false, nil
	}
	if !filepath.IsAbs(rest) {
		return "", false, errors.New(
			"the path of a file:// URL must be absolute, such as file:///var/lib/vitrine/blobs")
	}
	if folder, err = url.PathUnescape(rest); err != nil {
		return "", false, fmt.Errorf("parse the file:// URL: %w", err)
	}
	return folder, true, nil
}

// Open opens the store at cfg.URL. It creates a missing folder, and returns an error for a bucket that is missing or
// unreachable.
func Open(ctx context.Context, cfg Config) (Store, error) {
	folder, onDisk, err := cfg.Folder()
	if err != nil {
		return nil, err
	}
	if onDisk {
		return openDisk(folder)
	}

	scheme, _, _ := strings.Cut(cfg.URL, "://")
	if scheme == "s3" {
		location, err := parseS3(cfg)
		if err != nil {
			return nil, err
		}
		return openS3(ctx, location)
	}

	// The message must not quote the whole URL, which may contain a password.
	return nil, fmt.Errorf("files can be stored at s3://bucket, file:///folder or a path, not at %s://", scheme)
}
