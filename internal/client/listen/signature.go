package listen

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// timestampTolerance is how much the time of an event may differ from now, as in the Standard Webhooks libraries.
const timestampTolerance = 5 * time.Minute

// verify checks the signature and the timestamp of an event. The error says what is wrong.
func verify(key []byte, header http.Header, body []byte, now time.Time) error {
	id, timestamp, signatures := header.Get("webhook-id"), header.Get("webhook-timestamp"), header.Get(
		"webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return errors.New("it lacks webhook-id, webhook-timestamp or webhook-signature")
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return fmt.Errorf("its webhook-timestamp %q is not a number of seconds", timestamp)
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > timestampTolerance || age < -timestampTolerance {
		return fmt.Errorf("its timestamp %s is more than %s from now", time.Unix(seconds, 0).UTC().Format(time.RFC3339),
			timestampTolerance)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// While a secret is being rotated there are several signatures. One valid signature is enough.
	for signature := range strings.FieldsSeq(signatures) {
		if hmac.Equal([]byte(signature), want) {
			return nil
		}
	}
	return errors.New("its signature is invalid: it was signed with another secret, or changed in transit")
}
