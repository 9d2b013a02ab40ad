package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"vitrine/internal/kit/trace"
)

const (
	// s3Timeout limits one operation, including retries.
	s3Timeout = time.Minute
	// s3Attempts is the maximum number of times that a request is sent.
	s3Attempts = 3
	// defaultEndpoint is used if the URL names no endpoint.
	defaultEndpoint = "https://s3.amazonaws.com"
)

// s3Location is a parsed s3:// URL with its credentials.
type s3Location struct {
	bucket, prefix, region string
	endpoint               *url.URL
	accessKey, secretKey   string
}

// parseS3 parses s3://bucket/prefix?endpoint=…&region=…. Its errors never quote the URL, which may contain a
// password.
func parseS3(cfg Config) (s3Location, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" {
		return s3Location{}, errors.New("the URL of a bucket is s3://bucket/prefix?endpoint=https://host:port&" +
			"region=…, with its special characters percent-encoded")
	}

	p := s3Location{bucket: u.Host, prefix: strings.Trim(u.Path, "/"), accessKey: cfg.AccessKey,
		secretKey: cfg.SecretKey}
	if u.User != nil {
		p.accessKey = u.User.Username()
		p.secretKey, _ = u.User.Password()
	}

	if p.accessKey == "" || p.secretKey == "" {
		return s3Location{}, errors.New("a bucket needs an access key and a secret key, in its URL or as " +
			"VITRINE_BLOB_ACCESS_KEY and VITRINE_BLOB_SECRET_KEY")
	}

	if p.prefix != "" && checkBlobName(p.prefix) != nil {
		return s3Location{}, errors.New("the prefix in a bucket must be a plain path, such as shops/images")
	}

	endpoint := defaultEndpoint
	for name, values := range u.Query() {
		switch name {
		case "endpoint":
			endpoint = values[0]
		case "region":
			p.region = values[0]
		default:
			return s3Location{}, fmt.Errorf("the URL of a bucket may set endpoint and region, not %s", name)
		}
	}

	p.endpoint, err = url.Parse(endpoint)
	if err != nil || p.endpoint.Host == "" || p.endpoint.Scheme != "https" && p.endpoint.Scheme != "http" ||
		strings.Trim(p.endpoint.Path, "/") != "" {
		return s3Location{}, errors.New("the endpoint of a bucket must be https://host:port or http://host:port")
	}

	return p, nil
}

// s3Store stores files as objects of a bucket.
type s3Store struct {
	s3Location
	core      minio.Core
	transport *http.Transport
}

func openS3(ctx context.Context, location s3Location) (Store, error) {
	secure := location.endpoint.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}

	transport.DialContext = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	transport.ResponseHeaderTimeout = 20 * time.Second
	client, err := minio.New(location.endpoint.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(location.accessKey, location.secretKey, ""),
		Secure: secure, Region: location.region,
		BucketLookup: minio.BucketLookupPath, Transport: trace.Transport{Base: transport}, MaxRetries: s3Attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("the bucket %s at %s: %w", location.bucket, location.endpoint.Host, err)
	}

	ctx, cancel := context.WithTimeout(ctx, s3Timeout)
	defer cancel()

	found, err := client.BucketExists(ctx, location.bucket)
	if err != nil {
		return nil, fmt.Errorf("the bucket %s at %s cannot be reached: %w",
			location.bucket, location.endpoint.Host, err)
	}

	if !found {
		return nil, fmt.Errorf("there is no bucket %s at %s; create it first", location.bucket, location.endpoint.Host)
	}

	return &s3Store{location, minio.Core{Client: client}, transport}, nil
}

func (s *s3Store) key(name string) string { return path.Join(s.prefix, name) }

func (s *s3Store) Put(ctx context.Context, name string, content []byte) error {
	if err := checkNameWithFolder(name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s3Timeout)
	defer cancel()
	// Content-MD5 is the checksum that every S3 implementation verifies.
	_, err := s.core.Client.PutObject(ctx, s.bucket, s.key(name), bytes.NewReader(content), int64(len(content)),
		minio.PutObjectOptions{
			ContentType: "application/octet-stream", SendContentMd5: true, DisableContentSha256: true,
			DisableMultipart: true,
		})
	return storageUnavailable(ctx, err)
}

// PutFrom sends a long content in parts. Only ctx limits its time.
func (s *s3Store) PutFrom(ctx context.Context, name string, content io.Reader, size int64) error {
	if err := checkNameWithFolder(name); err != nil {
		return err
	}
	_, err := s.core.Client.PutObject(ctx, s.bucket, s.key(name), content, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", SendContentMd5: true, DisableContentSha256: true,
	})
	return storageUnavailable(ctx, err)
}

// Each lists the objects in pages of 1,000.
func (s *s3Store) Each(ctx context.Context, fn func(name string, size int64) error) error {
	prefix := ""
	if s.prefix != "" {
		prefix = s.prefix + "/"
	}

	ctx, stop := context.WithCancel(ctx) // ends the listing if fn fails
	defer stop()

	for object := range s.core.Client.ListObjectsIter(ctx, s.bucket,
		minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if object.Err != nil {
			return storageUnavailable(ctx, object.Err)
		}

		name := strings.TrimPrefix(object.Key, prefix)
		if checkNameWithFolder(name) != nil {
			continue // not a file of this store
		}
		if err := fn(name, object.Size); err != nil {
			return err
		}
	}

	return storageUnavailable(ctx, ctx.Err()) // the iterator ends without an error when ctx is cancelled
}

func (s *s3Store) Open(ctx context.Context, name string) (File, error) {
	if err := checkNameWithFolder(name); err != nil {
		return nil, err
	}
	f := &s3File{ctx: ctx, s: s, key: s.key(name)}
	if err := f.openAt(0); err != nil {
		return nil, err
	}
	return f, nil
}

func (s *s3Store) Remove(ctx context.Context, folder string) error {
	if err := checkBlobName(folder); err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, s3Timeout)
	defer cancel()

	// The second pass deletes objects that were put while the first pass was listing.
	for range 2 {
		for object := range s.core.Client.ListObjectsIter(ctx, s.bucket,
			minio.ListObjectsOptions{Prefix: s.key(folder) + "/", Recursive: true}) {
			if object.Err != nil {
				return storageUnavailable(ctx, object.Err)
			}
			err := s.core.Client.RemoveObject(ctx, s.bucket, object.Key, minio.RemoveObjectOptions{})
			if err != nil && !isNoSuchKey(err) { // another client may have deleted it first
				return storageUnavailable(ctx, err)
			}
		}

		if err := ctx.Err(); err != nil { // the iterator ends without an error when ctx is cancelled
			return storageUnavailable(ctx, err)
		}
	}

	return nil
}

// Check asks for the bucket.
func (s *s3Store) Check(ctx context.Context) error {
	found, err := s.core.Client.BucketExists(ctx, s.bucket)
	if err == nil && !found {
		err = fmt.Errorf("there is no bucket %s", s.bucket)
	}
	return storageUnavailable(ctx, err)
}

func isNoSuchKey(err error) bool { return minio.ToErrorResponse(err).Code == minio.NoSuchKey }

func (s *s3Store) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// s3File reads an object. Opening it requests the object from its start. A read after a seek to another offset sends a
// range request.
type s3File struct {
	ctx        context.Context // Read has no context parameter, so the file keeps the context of Open
	s          *s3Store
	key        string
	body       io.ReadCloser
	size       int64
	bodyOffset int64 // offset of the next byte of body
	offset     int64 // offset of the next Read
}

// openAt requests the object from an offset to its end.
func (f *s3File) openAt(from int64) error {
	var options minio.GetObjectOptions
	if from > 0 {
		if err := options.SetRange(from, 0); err != nil {
			return err
		}
	}

	body, info, _, err := f.s.core.GetObject(f.ctx, f.s.bucket, f.key, options)
	if isNoSuchKey(err) {
		return ErrNotFound
	}
	if err != nil {
		return storageUnavailable(f.ctx, err)
	}

	if from == 0 {
		f.size = info.Size
	}

	f.body, f.bodyOffset = body, from
	return nil
}

func (f *s3File) Size() int64 { return f.size }

func (f *s3File) Read(b []byte) (int, error) {
	if f.offset >= f.size {
		return 0, io.EOF
	}

	if f.offset != f.bodyOffset {
		_ = f.body.Close()
		if err := f.openAt(f.offset); err != nil {
			return 0, err
		}
	}

	n, err := f.body.Read(b)
	f.bodyOffset += int64(n)
	f.offset = f.bodyOffset
	if errors.Is(err, io.EOF) && f.bodyOffset < f.size {
		err = io.ErrUnexpectedEOF
	}

	return n, err
}

func (f *s3File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a blob")
	}
	f.offset = offset
	return offset, nil
}

func (f *s3File) Close() error { return f.body.Close() }
