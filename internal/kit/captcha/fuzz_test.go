package captcha

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"testing"
)

// FuzzParseResponse checks properties of any body: nothing panics; an error is not transient; and if the verdict is
// accepted, another JSON parser also finds success, no error codes, and the required score in the body.
func FuzzParseResponse(f *testing.F) {
	for _, body := range []string{
		`{"success": true, "score": 0.9, "action": "a", "hostname": "shop.example", ` +
			`"challenge_ts": "2026-11-14T12:00:05Z", "error-codes": []}`,
		`{"success": true, "score": 1e999, "error-codes": ["Over free quota."]}`,
		`{"success": true, "score": -0, "action": "", "hostname": "not-provided"}`,
		`{"status": "ok", "message": "", "host": "Shop.example.:8080"}`,
		`{"status": "failed", "message": "Invalid or expired Token."}`,
		`{"success": true, "Success": false}`, `{"success": true} `, `null`, `<html>`,
		`{"success": true, "error-codes": {"a": [1, null]}, "score": null}`,
	} {
		f.Add([]byte(body))
	}

	readers := map[Provider]func([]byte) (Verdict, error){
		RecaptchaV3: parseSiteverify, Turnstile: parseTurnstile, HCaptcha: parseHCaptcha,
		SmartCaptcha: parseSmartCaptcha,
	}

	f.Fuzz(func(t *testing.T, body []byte) {
		for p, read := range readers {
			v, err := read(body)
			if err != nil {
				var none *Unavailable
				if !errors.As(err, &none) || none.Transient || none.Unwrap() != nil {
					t.Fatalf("%s: %v", p, err)
				}
				continue
			}

			if len(v.Codes) > maxCodes {
				t.Fatalf("%s: %d codes", p, len(v.Codes))
			}

			for _, code := range v.Codes {
				if len(code) > maxCode || code != sanitizeErrorCode(code) {
					t.Fatalf("%s: the code %q", p, code)
				}
			}

			if Judge(v, Policy{Provider: p, Action: "a", Threshold: 0.5, Hosts: []string{"shop.example"}}).Accepted {
				wantSuccessByOtherParser(t, p, body)
			}
		}
	})
}

func wantSuccessByOtherParser(t *testing.T, p Provider, body []byte) {
	t.Helper()
	var members map[string]any
	other := json.NewDecoder(bytes.NewReader(body))
	other.UseNumber()
	if err := other.Decode(&members); err != nil {
		t.Fatalf("%s accepts %q: %v", p, body, err)
	}

	if p == SmartCaptcha {
		message, _ := members["message"].(string)
		if members["status"] != "ok" || message != "" || members["host"] == "" {
			t.Fatalf("%s accepts %q", p, body)
		}
		return
	}

	codes, ok := members["error-codes"].([]any)
	if members["success"] != true || len(codes) > 0 || !ok && members["error-codes"] != nil {
		t.Fatalf("%s accepts %q", p, body)
	}

	number, scored := members["score"].(json.Number)
	score, _ := number.Float64()
	switch {
	case p == RecaptchaV3 && (!scored || score < 0.5 || score > 1),
		p == HCaptcha && scored && (score > math.Nextafter(0.5, 1)+1e-9 || score < -1e-9):
		t.Fatalf("%s accepts %q", p, body)
	}
}

func FuzzNormalizeHost(f *testing.F) {
	for _, text := range []string{
		"Shop.example.:8080", "магазин.рф", "[::1]:80", "::1", "1.2.3.4:5", "a。b", "xn--80aairftm", "a..b",
		"\xff", "fe80::1%eth0",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		host, ok := NormalizeHost(text)
		if !ok {
			return
		}
		if again, ok := NormalizeHost(host); !ok || again != host || host == "" {
			t.Fatalf("%q becomes %q, which becomes %q, %v", text, host, again, ok)
		}
	})
}
