// Receiver receives a store's webhooks using only the standard library. Copy verify into your program.
//
//	WEBHOOK_SECRET=whsec_… PORT=9000 go run ./examples/receiver/go
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// verify reports whether body has a valid signature with the receiver's secret and a current timestamp. body must be
// the unchanged bytes of the request.
func verify(key []byte, header http.Header, body []byte, now time.Time) bool {
	id := header.Get("webhook-id")
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false // it may be a replay of an old request
	}

	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))

	// While a secret is being rotated there are several signatures. One valid signature is enough.
	for signature := range strings.FieldsSeq(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), []byte(want)) { // in constant time
			return id != ""
		}
	}

	return false
}

type receiver struct {
	key []byte
	mu  sync.Mutex
	// handled has the ids of handled events. A real program keeps them in its database and writes them in the same
	// transaction as the changes of the event.
	handled map[string]bool
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, 1<<20))
	var event struct {
		ID, Type string
		Sequence int64
		Payload  json.RawMessage
	}
	switch {
	case req.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case err != nil:
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	case !verify(r.key, req.Header, body, time.Now()):
		w.WriteHeader(http.StatusUnauthorized)
	case json.Unmarshal(body, &event) != nil:
		w.WriteHeader(http.StatusBadRequest)

	default:
		r.mu.Lock()
		defer r.mu.Unlock()

		if r.handled[event.ID] {
			fmt.Println(event.ID, "again") // the response was lost, so the event was sent again
		} else {
			// Your work goes here. If it takes long, only store the event.
			fmt.Printf("%s #%d %s\n", event.Type, event.Sequence, event.ID)
			r.handled[event.ID] = true
		}

		w.WriteHeader(http.StatusNoContent) // after the work, and within 15 s
	}
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("WEBHOOK_SECRET must be the receiver's secret, whsec_…")
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "9000"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening at http://%s/\n", l.Addr())
	server := &http.Server{Handler: &receiver{key: key, handled: map[string]bool{}}, ReadTimeout: 15 * time.Second}
	log.Fatal(server.Serve(l))
}
