// Package vault encrypts secrets before they are stored in the database, with a key that is not in the database. It
// owns the key file and the format of sealed data. It does not store or interpret the data.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

// KeySize is the length of the secret key in bytes.
const KeySize = 32

// sealedV1 is the first byte of sealed data in format 1: a random nonce and AES-256-GCM ciphertext follow.
const sealedV1 = 1

// ErrOpen is returned for sealed data that cannot be decrypted: the key or the purpose differs, or bytes were changed.
// The cases cannot be distinguished.
var ErrOpen = errors.New("the sealed text cannot be opened: it was changed, or sealed with another key or for " +
	"another purpose")

// ErrInvalidKey is returned for text that is not a valid key. It does not contain the text.
var ErrInvalidKey = errors.New("the secret key must be 32 bytes, written as 64 hexadecimal digits or in base64; " +
	"`openssl rand -hex 32` makes one")

// Vault encrypts and decrypts with one secret key. It is safe for concurrent use.
type Vault struct{ secret [KeySize]byte }

// ParseKey parses a key of 32 bytes in hexadecimal or base64 (either alphabet, with or without padding). For other text
// it returns an error that does not contain the text.
func ParseKey(text string) (*Vault, error) {
	text = strings.TrimSpace(text)
	var key []byte
	var err error
	if len(text) == hex.EncodedLen(KeySize) {
		key, err = hex.DecodeString(text)
	} else {
		text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
		key, err = base64.RawStdEncoding.Strict().DecodeString(text)
	}
	if err != nil || len(key) != KeySize {
		return nil, ErrInvalidKey
	}
	return &Vault{secret: [KeySize]byte(key)}, nil
}

// String returns a constant, so that the key is never printed.
func (v *Vault) String() string { return "vault" }

// GoString returns the same constant as String, for %#v.
func (v *Vault) GoString() string { return v.String() }

// Seal encrypts plaintext. Only Open with the same key and purpose decrypts the result. A purpose is a constant that
// names the kind of data, such as "webhook secret". Nonces are random: about 2³² calls per purpose are safe.
func (v *Vault) Seal(purpose string, plaintext []byte) []byte {
	return v.newAEAD(purpose).Seal([]byte{sealedV1}, nil, plaintext, additionalData(purpose))
}

// Open decrypts data that Seal returned for the same purpose, or returns ErrOpen.
func (v *Vault) Open(purpose string, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 || sealed[0] != sealedV1 {
		return nil, ErrOpen
	}
	plaintext, err := v.newAEAD(purpose).Open(nil, nil, sealed[1:], additionalData(purpose))
	if err != nil {
		return nil, ErrOpen
	}
	return plaintext, nil
}

// KeyCheck returns a key check value, which identifies the key and reveals nothing about it. It is stored in the
// database, so that a wrong key is detected at start.
func (v *Vault) KeyCheck() []byte {
	mac := hmac.New(sha256.New, v.deriveKey("check"))
	mac.Write([]byte("vitrine secret key check, version 1"))
	return mac.Sum(nil)
}

// MatchesKeyCheck reports whether a key check value was made with the same key.
func (v *Vault) MatchesKeyCheck(check []byte) bool { return hmac.Equal(v.KeyCheck(), check) }

// MAC returns the HMAC-SHA-256 of a message with a key derived for the purpose. The same key, purpose and message give
// the same 32 bytes. An attacker without the key cannot find the message by trying candidates, even if there are few.
func (v *Vault) MAC(purpose string, message []byte) []byte {
	mac := hmac.New(sha256.New, v.deriveKey("mac "+purpose))
	mac.Write(message)
	return mac.Sum(nil)
}

// additionalData returns the data that is authenticated with the ciphertext: the version and the purpose.
func additionalData(purpose string) []byte { return append([]byte{sealedV1}, purpose...) }

func (v *Vault) newAEAD(purpose string) cipher.AEAD {
	block, err := aes.NewCipher(v.deriveKey("seal " + purpose))
	if err != nil {
		panic("vault: " + err.Error()) // fails only for a wrong key length, which deriveKey rules out
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("vault: " + err.Error())
	}
	return aead
}

func (v *Vault) deriveKey(use string) []byte {
	key, err := hkdf.Key(sha256.New, v.secret[:], nil, "vitrine vault v1 "+use, KeySize)
	if err != nil {
		panic("vault: " + err.Error()) // fails only for keys longer than 255 hashes, which are 8160 bytes
	}
	return key
}
