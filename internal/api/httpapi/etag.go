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

// tagBody gives the response to a read with dates=iso an entity tag: a digest of its body and, for a single resource,
// its version.
// If the client has that body already, the response becomes a 304 without one. Other responses say how long ago their
// dates are, so they age although nothing changes.
func (a *Response) tagBody() error {
	reads := a.request.Method == http.MethodGet || a.request.Method == http.MethodHead
	if !a.request.Query.isoDates || !reads || a.tagged || a.Status != http.StatusOK {
		return nil
	}
	if a.digest == "" {
		var err error
		if a.digest, err = bodyDigest(a); err != nil {
			return err
		}
	}
	if a.NotModified(a.digest) {
		return a.Reset()
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
func (a *Response) SetDigest() string {
	if a.request.Query.isoDates {
		a.digest, _ = bodyDigest(a) // memory can be read
	}
	return a.digest
}

// NotModified sets the entity tag of a response whose body has this digest. If the client has that body already, the
// response becomes a 304, and NotModified returns true.
func (a *Response) NotModified(digest string) bool {
	a.tagged = true
	if a.ETag == "" {
		// The tag is weak, since the compressed and the plain form share it.
		a.ETag = `W/"` + digest + `"`
	} else {
		a.ETag = strings.TrimSuffix(a.ETag, `"`) + "-" + digest + `"` // strong, because If-Match takes no weak tags
	}
	strong := strings.TrimPrefix(a.ETag, "W/")
	if !slices.ContainsFunc(headerTags(a.request.Header, "If-None-Match"), func(given string) bool {
		return given == "*" || strings.TrimPrefix(given, "W/") == strong
	}) {
		return false
	}
	a.Status = http.StatusNotModified
	return true
}

// cacheControl returns the Cache-Control of a successful response. Shared caches may store what a publishable key reads
// of the catalogue and the store, and must ask each time whether it has changed.
func (a *Response) cacheControl() string {
	public := a.request.Principal.Kind == access.PublishableKey && (a.request.needs == access.CatalogRead ||
		a.request.needs == access.StoreRead)
	if a.request.Query.isoDates && public {
		return "public, max-age=0, must-revalidate"
	}
	return "private, no-cache"
}
