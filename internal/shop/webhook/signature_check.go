package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"encoding/base64"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// signatureTolerance is how old a request may be by Standard Webhooks when its receiver checks it.
const signatureTolerance = 5 * time.Minute

// Finding says what CheckSignature found.
type Finding string

// The findings. Only SignatureValid and SignatureOld say that the signature is right.
const (
	SignatureValid     Finding = "valid"
	SignatureOld       Finding = "old"       // right, but so long ago that a receiver should refuse it
	HeaderMissing      Finding = "header"    // a header is missing: Header says which
	TimestampMalformed Finding = "timestamp" // not a number of seconds
	SignatureMalformed Finding = "malformed" // no signature of the form v1,BASE64
	SecretMalformed    Finding = "secret"    // the given secret is no secret
	WrongReceiver      Finding = "receiver"  // signed for another receiver: Receiver says which
	BodyChanged        Finding = "body"      // right if white space around the body or its line ends are changed
	SignatureMismatch  Finding = "mismatch"  // nothing fits: another secret, or another id, time or body
)

// The headers of Standard Webhooks.
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp"
	HeaderSignature = "webhook-signature"
)

// SignatureCheck is the result of CheckSignature.
type SignatureCheck struct {
	Finding Finding
	Header  string    // for HeaderMissing
	Other   *Receiver // for WrongReceiver
	// PreviousSecret says that the signature was made with the secret that was replaced by a rotation.
	PreviousSecret bool
	// Age is how long ago the request was signed; negative if it is in the future.
	Age time.Duration
}

// OK reports whether the signature is right.
func (c SignatureCheck) OK() bool { return c.Finding == SignatureValid || c.Finding == SignatureOld }

// SignedRequest is a request as a receiver got it.
type SignedRequest struct {
	// Headers are lines such as "webhook-id: …". Headers that are not part of the signature are ignored.
	Headers string
	Body    string
}

// CheckSignature says whether the signature of a request was made with the secret of a receiver of the store, and why
// not if it was not. It uses the secrets of the receiver or, if secret is not empty, that one. It returns
// fault.NotFound.
func (s *Service) CheckSignature(
	ctx context.Context, tx store.Tx, receiverID ReceiverID, secret string, request SignedRequest,
) (check SignatureCheck, err error) {
	defer fault.AddContext(&err, "check the signature of a request to receiver %s", receiverID)

	receiver, err := selectReceiver(ctx, tx, receiverID, "")
	if err != nil {
		return check, err
	}
	keys, err := s.checkedKeys(&receiver, secret)
	if err != nil || keys == nil {
		return SignatureCheck{Finding: SecretMalformed}, err
	}

	signed, check := parseSignedRequest(request, s.Now())
	if check.Finding != "" {
		return check, nil
	}

	for i, key := range keys {
		if signed.matches(key, signed.body) {
			check.PreviousSecret = i > 0
			check.Finding = SignatureValid
			if check.Age > signatureTolerance || check.Age < -signatureTolerance {
				check.Finding = SignatureOld
			}
			return check, nil
		}
	}

	for _, key := range keys {
		for _, body := range similarBodies(signed.body) {
			if signed.matches(key, body) {
				check.Finding = BodyChanged
				return check, nil
			}
		}
	}

	check.Finding = SignatureMismatch
	if secret != "" {
		return check, nil
	}

	check.Other, err = s.otherSigner(ctx, tx, receiverID, signed)
	if check.Other != nil {
		check.Finding = WrongReceiver
	}

	return check, err
}

// checkedKeys returns the keys of the given secret. If it is empty, it returns the keys of the receiver, with the key
// of the previous secret even if that does not sign any more. It returns nil if the given secret is malformed.
func (s *Service) checkedKeys(receiver *Receiver, secret string) ([][]byte, error) {
	if secret = strings.TrimSpace(secret); secret != "" {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil || len(key) == 0 {
			return nil, nil //nolint:nilnil,nilerr // the caller tells it apart
		}
		return [][]byte{key}, nil
	}
	at := s.Now()
	if receiver.oldUntil != nil && !at.Before(*receiver.oldUntil) {
		at = receiver.oldUntil.Add(-time.Second)
	}
	return receiver.signingKeys(s.Vault, at)
}

// otherSigner returns the other receiver of the store that the request was signed for, or nil.
func (s *Service) otherSigner(
	ctx context.Context, tx store.Tx, receiverID ReceiverID, signed signedRequest,
) (*Receiver, error) {
	receivers, _, err := selectReceiverPage(ctx, tx, MaxReceivers, 0)
	if err != nil {
		return nil, err
	}

	for i := range receivers {
		r := &receivers[i]
		if r.ID == receiverID {
			continue
		}
		keys, err := s.checkedKeys(r, "")
		if err != nil {
			return nil, err
		}

		for _, key := range keys {
			for _, body := range append(similarBodies(signed.body), signed.body) {
				if signed.matches(key, body) {
					return r, nil
				}
			}
		}
	}

	return nil, nil //nolint:nilnil // there need not be one
}

// signedRequest has what a signature covers.
type signedRequest struct {
	id         string
	timestamp  int64
	body       []byte
	signatures []string // each as v1,BASE64
}

// parseSignedRequest reads the headers of a signature. The check has a Finding if they are incomplete, and the Age.
func parseSignedRequest(request SignedRequest, now time.Time) (signed signedRequest, check SignatureCheck) {
	headers := map[string]string{}
	for line := range strings.Lines(request.Headers) {
		name, value, found := strings.Cut(strings.TrimLeft(line, "> "), ":")
		if found {
			headers[textproto.TrimString(strings.ToLower(name))] = strings.Trim(strings.TrimSpace(value), `"',`)
		}
	}

	for _, name := range []string{HeaderID, HeaderTimestamp, HeaderSignature} {
		if headers[name] == "" {
			return signed, SignatureCheck{Finding: HeaderMissing, Header: name}
		}
	}

	seconds, err := strconv.ParseInt(headers[HeaderTimestamp], 10, 64)
	if err != nil || seconds < 0 || seconds > 1<<40 {
		return signed, SignatureCheck{Finding: TimestampMalformed}
	}

	for text := range strings.FieldsSeq(headers[HeaderSignature]) {
		if strings.HasPrefix(text, "v1,") {
			signed.signatures = append(signed.signatures, text)
		}
	}

	if signed.signatures == nil {
		return signed, SignatureCheck{Finding: SignatureMalformed}
	}

	signed.id, signed.timestamp, signed.body = headers[HeaderID], seconds, []byte(request.Body)
	return signed, SignatureCheck{Age: now.Sub(time.Unix(seconds, 0))}
}

// matches reports whether one of the signatures is the signature of the body with the key.
func (r signedRequest) matches(key, body []byte) bool {
	want := signDelivery(key, r.id, r.timestamp, body)
	for _, given := range r.signatures {
		if hmac.Equal([]byte(given), []byte(want)) {
			return true
		}
	}
	return false
}

// similarBodies returns the bodies that often become the given one on their way through programs and forms.
func similarBodies(body []byte) [][]byte {
	lines := bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	return [][]byte{lines, bytes.TrimSpace(body), bytes.TrimSpace(lines), append(bytes.TrimSpace(lines), '\n')}
}
