package blobtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// wrongRegion is the S3 error code for a signature that is valid in another region.
const wrongRegion = "AuthorizationHeaderMalformed"

// verifySignature checks the signature of a request (version 4, in the Authorization header) and the hash of its body.
// It returns an S3 error code, or "" if both are valid.
func verifySignature(r *http.Request, body []byte, now time.Time) string {
	fields, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	if !ok {
		return "AccessDenied"
	}

	parts := map[string]string{}
	for field := range strings.SplitSeq(fields, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		parts[name] = value
	}

	signedAt, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || now.Sub(signedAt).Abs() > 15*time.Minute {
		return "RequestTimeTooSkewed"
	}

	accessKey, scope, _ := strings.Cut(parts["Credential"], "/")
	scopeParts := strings.Split(scope, "/")
	if accessKey != AccessKey || len(scopeParts) != 4 || scopeParts[0] != signedAt.Format("20060102") ||
		scopeParts[2] != "s3" || scopeParts[3] != "aws4_request" {
		return "InvalidAccessKeyId"
	}

	// A client that requests the region does not know it yet.
	if scopeParts[1] != Region && !r.URL.Query().Has("location") {
		return wrongRegion
	}

	payload := r.Header.Get("X-Amz-Content-Sha256")
	if payload != "UNSIGNED-PAYLOAD" && payload != sha256Hex(body) {
		return "XAmzContentSHA256Mismatch"
	}

	signed := strings.Split(parts["SignedHeaders"], ";")
	if !slices.Contains(signed, "host") || !slices.Contains(signed, "x-amz-content-sha256") ||
		!slices.Contains(signed, "x-amz-date") {
		return "AccessDenied"
	}

	canonical := strings.Join([]string{
		r.Method, strings.ReplaceAll(percentEncode(url.QueryEscape(r.URL.Path)), "%2F", "/"),
		percentEncode(r.URL.Query().Encode()), canonicalHeaders(r, signed),
		parts["SignedHeaders"], payload,
	}, "\n")
	text := strings.Join([]string{"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), scope, sha256Hex([]byte(canonical))},
		"\n")
	key := []byte("AWS4" + SecretKey)
	for _, part := range scopeParts {
		key = hmacSHA256(key, part)
	}

	if hex.EncodeToString(hmacSHA256(key, text)) != parts["Signature"] {
		return "SignatureDoesNotMatch"
	}

	return ""
}

func hmacSHA256(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func sha256Hex(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

func canonicalHeaders(r *http.Request, signed []string) string {
	var b strings.Builder
	for _, name := range signed {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = strconv.FormatInt(r.ContentLength, 10)
		}
		b.WriteString(name + ":" + strings.TrimSpace(value) + "\n")
	}
	return b.String()
}

// percentEncode converts text that is escaped for a form, where a plus is a space, to the form that signatures require.
func percentEncode(escaped string) string { return strings.ReplaceAll(escaped, "+", "%20") }
