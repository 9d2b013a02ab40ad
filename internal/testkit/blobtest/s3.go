// Package blobtest provides an S3-compatible server on loopback, for tests only. It implements the part of the protocol
// that package blob needs, as strictly as real servers: signatures (version 4), checksums, path-style bucket
// addressing, range requests, paged listing and XML errors.
package blobtest

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The only bucket, region and credentials that the server accepts.
const (
	Bucket    = "shop-files"
	Region    = "eu-test-1"
	AccessKey = "AKIATEST"
	SecretKey = "a/secret+key"
)

// S3 is an S3-compatible server. It is safe for concurrent use.
type S3 struct {
	server *httptest.Server

	mu      sync.Mutex
	objects map[string][]byte
	parts   map[string][]byte // of uploads in parts, by upload id and number
	refuse  func(r *http.Request) bool
}

// NewS3 starts a server with one empty bucket. It is closed at the end of the test.
func NewS3(tb testing.TB) *S3 {
	s := &S3{objects: map[string][]byte{}, parts: map[string][]byte{}}
	s.server = httptest.NewServer(s)
	tb.Cleanup(s.server.Close)
	return s
}

// URL returns the s3:// URL of a prefix in the bucket, with credentials.
func (s *S3) URL(prefix string) string {
	return (&url.URL{
		Scheme: "s3", User: url.UserPassword(AccessKey, SecretKey), Host: Bucket, Path: "/" + prefix,
		RawQuery: url.Values{"endpoint": {s.server.URL}, "region": {Region}}.Encode(),
	}).String()
}

// Endpoint returns the http:// URL of the server.
func (s *S3) Endpoint() string { return s.server.URL }

// Keys returns the keys of all objects, sorted.
func (s *S3) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Refuse makes the server respond 503 to requests for which fn returns true. A nil fn ends this.
func (s *S3) Refuse(fn func(r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = fn
}

func (s *S3) isRefused(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuse != nil && s.refuse(r)
}

// ServeHTTP implements http.Handler.
func (s *S3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client disconnected
	}

	w.Header().Set("Server", "blobtest")

	if s.isRefused(r) {
		writeS3Error(w, r, http.StatusServiceUnavailable, "SlowDown")
		return
	}

	if code := verifySignature(r, body, time.Now()); code == wrongRegion {
		writeS3Error(w, r, http.StatusBadRequest, code)
		return
	} else if code != "" {
		writeS3Error(w, r, http.StatusForbidden, code)
		return
	}

	bucket, key, inside := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case bucket != Bucket:
		writeS3Error(w, r, http.StatusNotFound, "NoSuchBucket")
	case !inside || key == "":
		s.serveBucket(w, r)
	default:
		s.serveObject(w, r, key, body)
	}
}

func (s *S3) serveBucket(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch {
	case r.Method == http.MethodHead:
		w.Header().Set("X-Amz-Bucket-Region", Region)
	case r.Method == http.MethodGet && q.Has("location"):
		writeXML(w, http.StatusOK, struct {
			XMLName xml.Name `xml:"LocationConstraint"`
			Region  string   `xml:",chardata"`
		}{Region: Region})
	case r.Method == http.MethodGet && q.Get("list-type") == "2":
		s.listObjects(w, r, q)
	default:
		writeS3Error(w, r, http.StatusNotImplemented, "NotImplemented")
	}
}

type listedObject struct {
	Key          string
	Size         int
	ETag         string
	LastModified string
	StorageClass string
}

type listBucketResult struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	Name                  string
	Prefix                string
	KeyCount              int
	MaxKeys               int
	IsTruncated           bool
	NextContinuationToken string `xml:",omitempty"`
	EncodingType          string `xml:",omitempty"`
	Contents              []listedObject
}

// listObjects implements ListObjectsV2.
func (s *S3) listObjects(w http.ResponseWriter, r *http.Request, q url.Values) {
	if q.Get("delimiter") != "" {
		writeS3Error(w, r, http.StatusNotImplemented, "NotImplemented")
		return
	}

	maxKeys := 1000
	if n, err := strconv.Atoi(q.Get("max-keys")); err == nil {
		maxKeys = min(maxKeys, n)
	}

	from := max(q.Get("start-after"), q.Get("continuation-token"))
	l := listBucketResult{Name: Bucket, Prefix: q.Get("prefix"), MaxKeys: maxKeys}
	for _, key := range s.Keys() {
		if !strings.HasPrefix(key, l.Prefix) || key <= from {
			continue
		}

		if len(l.Contents) == maxKeys {
			l.IsTruncated = true
			l.NextContinuationToken = l.Contents[maxKeys-1].Key
			break
		}

		content, _ := s.content(key)
		l.Contents = append(l.Contents, listedObject{key, len(content), etag(content), "2026-11-14T12:00:05.000Z",
			"STANDARD"})
	}

	l.KeyCount = len(l.Contents)

	if q.Get("encoding-type") == "url" {
		l.EncodingType = "url"
		for i := range l.Contents {
			l.Contents[i].Key = url.QueryEscape(l.Contents[i].Key)
		}
	}

	writeXML(w, http.StatusOK, l)
}

func (s *S3) content(key string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.objects[key]
	return b, ok
}

// serveUpload implements uploads in parts. The id of an upload is its key.
func (s *S3) serveUpload(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	q := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()

	part := func(number int) string { return fmt.Sprintf("%s#%06d", key, number) }
	switch {
	case r.Method == http.MethodPost && q.Has("uploads"):
		writeXML(w, http.StatusOK, struct {
			XMLName               xml.Name `xml:"InitiateMultipartUploadResult"`
			Bucket, Key, UploadId string
		}{Bucket: Bucket, Key: key, UploadId: key})
	case r.Method == http.MethodPut:
		number, _ := strconv.Atoi(q.Get("partNumber"))
		s.parts[part(number)] = body
		w.Header().Set("ETag", etag(body))

	case r.Method == http.MethodPost:
		var list struct {
			Part []struct {
				PartNumber int
				ETag       string
			}
		}
		if err := xml.Unmarshal(body, &list); err != nil {
			writeS3Error(w, r, http.StatusBadRequest, "MalformedXML")
			return
		}

		var whole []byte
		for _, p := range list.Part {
			content, ok := s.parts[part(p.PartNumber)]
			if !ok || strings.Trim(p.ETag, `"`) != strings.Trim(etag(content), `"`) {
				writeS3Error(w, r, http.StatusBadRequest, "InvalidPart")
				return
			}
			whole = append(whole, content...)
			delete(s.parts, part(p.PartNumber))
		}

		s.objects[key] = whole
		writeXML(w, http.StatusOK, struct {
			XMLName           xml.Name `xml:"CompleteMultipartUploadResult"`
			Bucket, Key, ETag string
		}{Bucket: Bucket, Key: key, ETag: etag(whole)})

	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *S3) serveObject(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	if q := r.URL.Query(); q.Has("uploads") || q.Has("uploadId") {
		s.serveUpload(w, r, key, body)
		return
	}

	switch r.Method {
	case http.MethodPut:
		sum := md5.Sum(body)
		if given := r.Header.Get("Content-Md5"); given != "" && given != base64.StdEncoding.EncodeToString(sum[:]) {
			writeS3Error(w, r, http.StatusBadRequest, "BadDigest")
			return
		}

		s.mu.Lock()
		s.objects[key] = body
		s.mu.Unlock()
		w.Header().Set("ETag", etag(body))

	case http.MethodDelete:
		s.mu.Lock()
		delete(s.objects, key)
		s.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)

	case http.MethodGet, http.MethodHead:
		content, ok := s.content(key)
		if !ok {
			writeS3Error(w, r, http.StatusNotFound, "NoSuchKey")
			return
		}
		w.Header().Set("ETag", etag(content))
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC), strings.NewReader(string(content)))

	default:
		writeS3Error(w, r, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
}

func etag(content []byte) string { return fmt.Sprintf(`"%x"`, md5.Sum(content)) }

func writeXML(w http.ResponseWriter, status int, v any) {
	b, err := xml.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprint(w, xml.Header, string(b)) // net/http drops the body in the response to HEAD
}

func writeS3Error(w http.ResponseWriter, r *http.Request, status int, code string) {
	writeXML(w, status, struct {
		XMLName                                    xml.Name `xml:"Error"`
		Code, Message, Resource, RequestId, Region string
	}{Code: code, Message: "refused: " + code, Resource: r.URL.Path, RequestId: "1", Region: Region})
}
