package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop/access"
)

// ETag returns the entity tag of a version of a resource. All representations of the version have the same tag.
func ETag(version int64) string { return `"v` + strconv.FormatInt(version, 10) + `"` }

// IfMatch returns a function that reports whether the header If-Match allows a change of the given version. It returns
// nil without the header. The tag of a response with dates=iso stands for the version that it begins with.
func (r *Request) IfMatch() func(version int64) bool {
	tags := headerTags(r.Header, "If-Match")
	if len(tags) == 0 {
		return nil
	}
	return func(version int64) bool {
		tag := ETag(version)
		prefix := strings.TrimSuffix(tag, `"`) + "-"
		return slices.ContainsFunc(tags, func(given string) bool {
			return given == "*" || given == tag || strings.HasPrefix(given, prefix)
		})
	}
}

// headerTags returns the entity tags in the lines of a header.
func headerTags(h http.Header, name string) (tags []string) {
	for _, line := range h.Values(name) {
		for tag := range strings.SplitSeq(line, ",") {
			tags = append(tags, strings.TrimSpace(tag))
		}
	}
	return tags
}

// tagBody gives a response with dates=iso an entity tag: a digest of its body and, for a single resource, its version.
// If the client has that body already, the response becomes a 304 without one. Other responses say how long ago their
// dates are, so they age although nothing changes.
func (r *Request) tagBody(out *Response) error {
	if !r.isoDates || out.tagged || out.Status != http.StatusOK {
		return nil
	}
	if out.digest == "" {
		var err error
		if out.digest, err = bodyDigest(out); err != nil {
			return err
		}
	}
	if r.NotModified(out, out.digest) {
		return out.Reset()
	}
	return nil
}

// bodyDigest returns the digest of a body for its entity tag.
func bodyDigest(out *Response) (string, error) {
	digest := sha256.New()
	if out.file == nil {
		digest.Write(out.B)
	} else if _, err := io.Copy(digest, out.Reader()); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(digest.Sum(nil)[:16]), nil
}

// SetDigest computes the digest of a complete response with dates=iso, which is in memory, and returns it. A later
// request that would get the same response can call NotModified with it. It returns "" for other responses.
func (r *Request) SetDigest(out *Response) string {
	if r.isoDates {
		out.digest, _ = bodyDigest(out) // memory can be read
	}
	return out.digest
}

// NotModified sets the entity tag of a response whose body has this digest. If the client has that body already, the
// response becomes a 304, and NotModified returns true.
func (r *Request) NotModified(out *Response, digest string) bool {
	out.tagged = true
	if out.ETag == "" {
		// The tag is weak, since the compressed and the plain form share it.
		out.ETag = `W/"` + digest + `"`
	} else {
		out.ETag = strings.TrimSuffix(out.ETag, `"`) + "-" + digest + `"` // strong, because If-Match takes no weak tags
	}
	strong := strings.TrimPrefix(out.ETag, "W/")
	if !slices.ContainsFunc(headerTags(r.Header, "If-None-Match"), func(given string) bool {
		return given == "*" || strings.TrimPrefix(given, "W/") == strong
	}) {
		return false
	}
	out.Status = http.StatusNotModified
	return true
}

// cacheControl returns the Cache-Control of a successful response. Shared caches may store what a publishable key reads
// of the catalogue and the store, and must ask each time whether it has changed.
func (r *Request) cacheControl() string {
	public := r.Principal.Kind == access.PublishableKey && (r.needs == access.CatalogRead ||
		r.needs == access.StoreRead)
	if r.isoDates && public {
		return "public, max-age=0, must-revalidate"
	}
	return "private, no-cache"
}
