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

// Open opens the store at cfg.URL. It creates a missing folder, and returns an error for a bucket that is missing or
// unreachable.
func Open(ctx context.Context, cfg Config) (Store, error) {
	scheme, rest, found := strings.Cut(cfg.URL, "://")
	switch {
	case !found:
		return openDisk(cfg.URL)
	case scheme == "file":
		if !filepath.IsAbs(rest) {
			return nil, errors.New("the path of a file:// URL must be absolute, such as file:///var/lib/vitrine/blobs")
		}
		folder, err := url.PathUnescape(rest)
		if err != nil {
			return nil, fmt.Errorf("parse the file:// URL: %w", err)
		}
		return openDisk(folder)
	case scheme == "s3":
		location, err := parseS3(cfg)
		if err != nil {
			return nil, err
		}
		return openS3(ctx, location)
	}
	// The message must not quote the whole URL, which may contain a password.
	return nil, fmt.Errorf("files can be stored at s3://bucket, file:///folder or a path, not at %s://", scheme)
}
