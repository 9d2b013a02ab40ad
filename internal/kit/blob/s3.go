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
)

const (
	// s3Time is how long one operation may take, its repetitions included: somebody waits for it.
	s3Time = time.Minute
	// s3Tries is how often a request is sent before it is given up.
	s3Tries = 3
	// defaultEndpoint is where buckets are that say nothing else.
	defaultEndpoint = "https://s3.amazonaws.com"
)

// s3Place is what the address of a bucket says.
type s3Place struct {
	bucket, prefix, region string
	endpoint               *url.URL
	accessKey, secretKey   string
}

// parseS3 reads s3://bucket/prefix?endpoint=…&region=…. What it says of a wrong one shows nothing of it: it may hold a password.
func parseS3(cfg Config) (s3Place, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" {
		return s3Place{}, errors.New("the address of a bucket is s3://bucket/prefix?endpoint=https://host:port&region=…, with its special characters percent-encoded")
	}
	p := s3Place{bucket: u.Host, prefix: strings.Trim(u.Path, "/"), accessKey: cfg.AccessKey, secretKey: cfg.SecretKey}
	if u.User != nil {
		p.accessKey = u.User.Username()
		p.secretKey, _ = u.User.Password()
	}
	if p.accessKey == "" || p.secretKey == "" {
		return s3Place{}, errors.New("a bucket needs an access key and a secret key, in its address or as VITRINE_BLOB_ACCESS_KEY and VITRINE_BLOB_SECRET_KEY")
	}
	if p.prefix != "" && checkName(p.prefix) != nil {
		return s3Place{}, errors.New("the prefix in a bucket is a plain path, such as shops/images")
	}
	endpoint := defaultEndpoint
	for name, values := range u.Query() {
		switch name {
		case "endpoint":
			endpoint = values[0]
		case "region":
			p.region = values[0]
		default:
			return s3Place{}, fmt.Errorf("the address of a bucket may name endpoint and region, not %s", name)
		}
	}
	p.endpoint, err = url.Parse(endpoint)
	if err != nil || p.endpoint.Host == "" || p.endpoint.Scheme != "https" && p.endpoint.Scheme != "http" || strings.Trim(p.endpoint.Path, "/") != "" {
		return s3Place{}, errors.New("the endpoint of a bucket is https://host:port or http://host:port")
	}
	return p, nil
}

// s3 keeps files as the objects of a bucket.
type s3 struct {
	s3Place
	core      minio.Core
	transport *http.Transport
}

func openS3(ctx context.Context, place s3Place) (Store, error) {
	secure := place.endpoint.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	transport.DialContext = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	transport.ResponseHeaderTimeout = 20 * time.Second
	client, err := minio.New(place.endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(place.accessKey, place.secretKey, ""), Secure: secure, Region: place.region,
		BucketLookup: minio.BucketLookupPath, Transport: transport, MaxRetries: s3Tries,
	})
	if err != nil {
		return nil, fmt.Errorf("the bucket %s at %s: %w", place.bucket, place.endpoint.Host, err)
	}
	ctx, cancel := context.WithTimeout(ctx, s3Time)
	defer cancel()
	found, err := client.BucketExists(ctx, place.bucket)
	if err != nil {
		return nil, fmt.Errorf("the bucket %s at %s cannot be reached: %w", place.bucket, place.endpoint.Host, err)
	}
	if !found {
		return nil, fmt.Errorf("there is no bucket %s at %s; make it first", place.bucket, place.endpoint.Host)
	}
	return &s3{place, minio.Core{Client: client}, transport}, nil
}

func (s *s3) key(name string) string { return path.Join(s.prefix, name) }

func (s *s3) Put(ctx context.Context, name string, content []byte) error {
	if err := fileName(name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s3Time)
	defer cancel()
	// The checksum is what a bucket of any make holds the bytes against.
	_, err := s.core.Client.PutObject(ctx, s.bucket, s.key(name), bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{
		ContentType: "application/octet-stream", SendContentMd5: true, DisableContentSha256: true, DisableMultipart: true,
	})
	if err != nil {
		return unavailable(ctx, err)
	}
	return nil
}

func (s *s3) Open(ctx context.Context, name string) (File, error) {
	if err := fileName(name); err != nil {
		return nil, err
	}
	f := &s3File{ctx: ctx, s: s, key: s.key(name)}
	if err := f.get(0); err != nil {
		return nil, err
	}
	return f, nil
}

func (s *s3) Remove(ctx context.Context, folder string) error {
	if err := checkName(folder); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s3Time)
	defer cancel()
	// The second look finds what was put before the first one was through.
	for range 2 {
		for object := range s.core.Client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.key(folder) + "/", Recursive: true}) {
			if object.Err != nil {
				return unavailable(ctx, object.Err)
			}
			err := s.core.Client.RemoveObject(ctx, s.bucket, object.Key, minio.RemoveObjectOptions{})
			if err != nil && !isMissing(err) { // some say so if another one was quicker
				return unavailable(ctx, err)
			}
		}
		if err := ctx.Err(); err != nil { // of which the list says nothing
			return unavailable(ctx, err)
		}
	}
	return nil
}

func isMissing(err error) bool { return minio.ToErrorResponse(err).Code == minio.NoSuchKey }

func (s *s3) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// s3File reads an object. A request is sent for the beginning at once, and another one only if something is read elsewhere.
type s3File struct {
	ctx    context.Context // a reader has no other way to end its requests
	s      *s3
	key    string
	body   io.ReadCloser
	size   int64
	at     int64 // where the body is
	wanted int64 // where the next byte is read
}

// get asks for the object from a place on.
func (f *s3File) get(from int64) error {
	var options minio.GetObjectOptions
	if from > 0 {
		if err := options.SetRange(from, 0); err != nil {
			return err
		}
	}
	body, info, _, err := f.s.core.GetObject(f.ctx, f.s.bucket, f.key, options)
	if err != nil {
		if isMissing(err) {
			return ErrNotFound
		}
		return unavailable(f.ctx, err)
	}
	if from == 0 {
		f.size = info.Size
	}
	f.body, f.at = body, from
	return nil
}

func (f *s3File) Size() int64 { return f.size }

func (f *s3File) Read(b []byte) (int, error) {
	if f.wanted >= f.size {
		return 0, io.EOF
	}
	if f.wanted != f.at {
		_ = f.body.Close()
		if err := f.get(f.wanted); err != nil {
			return 0, err
		}
	}
	n, err := f.body.Read(b)
	f.at += int64(n)
	f.wanted = f.at
	if errors.Is(err, io.EOF) && f.at < f.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (f *s3File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.wanted
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a blob")
	}
	f.wanted = offset
	return offset, nil
}

func (f *s3File) Close() error { return f.body.Close() }
