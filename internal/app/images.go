package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/imagefile"
)

// OpenImages opens the blob store and the image files on it. The caller closes the blob store. It returns an error with
// advice if this is not the image storage of the database. budget limits the memory of decoded images; it may be nil.
func (c *Core) OpenImages(
	ctx context.Context, storage config.Storage, files config.Files, budget *memory.Budget, log *slog.Logger,
) (*imagefile.Files, blob.Store, error) {
	opened, err := OpenBlobs(ctx, storage, files)
	if err != nil {
		return nil, nil, err
	}
	blobs, err := claimImageStorage(ctx, c.DB, opened, log, WithoutCredentials(files.BlobURL(storage)))
	if err != nil {
		return nil, nil, errors.Join(err, opened.Close())
	}

	deps := imagefile.Deps{DB: c.DB, Blobs: blobs, Now: c.Now, Log: log}
	if budget == nil {
		return imagefile.New(deps), blobs, nil
	}

	deps.Memory = budget.Images.Limit()
	images := imagefile.New(deps)
	budget.Images.Measure(images.MemoryUsed)

	return images, blobs, nil
}

// OpenBlobs opens the image storage of --blob.
func OpenBlobs(ctx context.Context, cfg config.Storage, files config.Files) (blob.Store, error) {
	blobs, err := blob.Open(ctx, blob.Config{URL: files.BlobURL(cfg), AccessKey: files.BlobAccessKey,
		SecretKey: files.BlobSecretKey})
	if err != nil {
		return nil, fmt.Errorf("--blob: %w", err)
	}
	return blobs, nil
}

// WithoutCredentials returns the part of a blob URL that may be shown.
func WithoutCredentials(url string) string {
	url, _, _ = strings.Cut(url, "?")
	if scheme, rest, found := strings.Cut(url, "://"); found {
		return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
	}
	return url
}

// publicURL validates the URL at which clients reach the API and removes the trailing slash.
func publicURL(given string) (string, error) { return configuredURL("--public-url", given) }

// configuredURL validates the URL that a flag names and removes the trailing slash.
func configuredURL(flag, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	u, err := url.Parse(given)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return "", fmt.Errorf("%s must be an address such as https://api.shop.example", flag)
	}
	return strings.TrimRight(u.String(), "/"), nil
}
