// Package vault encrypts what the database must not show in the clear, with a key that is not in the database.
// It owns the key's file and the sealed form. It knows nothing of what is sealed, and stores nothing.
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

// sealedV1 is the first byte of a sealed text: AES-256-GCM with a random nonce, which follows.
const sealedV1 = 1

// ErrOpen is returned for all that cannot be opened: another key, another purpose, or changed bytes. They cannot be told apart.
var ErrOpen = errors.New("the sealed text cannot be opened: it was changed, or sealed with another key or for another purpose")

// ErrKeyText is returned for text that is not a key. It does not repeat the text.
var ErrKeyText = errors.New("the secret key must be 32 bytes, written as 64 hexadecimal digits or in base64; `openssl rand -hex 32` makes one")

// Vault seals and opens with one secret key. It is safe for concurrent use.
type Vault struct{ secret [KeySize]byte }

// FromText reads a key of 32 bytes written in hexadecimal or base64 (either alphabet, with or without padding), or returns ErrKeyText.
func FromText(text string) (*Vault, error) {
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
		return nil, ErrKeyText
	}
	return &Vault{secret: [KeySize]byte(key)}, nil
}

// String keeps the key out of logs and messages.
func (v *Vault) String() string { return "vault" }

// GoString is String for %#v.
func (v *Vault) GoString() string { return v.String() }

// Seal encrypts plaintext so that only Open with the same key and purpose gives it back. A purpose is a constant that names
// what is sealed, such as "webhook secret". Nonces are random: up to some 2³² seals for one purpose are safe.
func (v *Vault) Seal(purpose string, plaintext []byte) []byte {
	return v.newAEAD(purpose).Seal([]byte{sealedV1}, nil, plaintext, additionalData(purpose))
}

// Open returns what Seal was given, or ErrOpen.
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

// Check returns a value that tells keys apart and says nothing about the key. It is kept beside the data, for Matches.
func (v *Vault) Check() []byte {
	mac := hmac.New(sha256.New, v.deriveKey("check"))
	mac.Write([]byte("vitrine secret key check, version 1"))
	return mac.Sum(nil)
}

// Matches reports whether check came from a vault with the same key.
func (v *Vault) Matches(check []byte) bool { return hmac.Equal(v.Check(), check) }

// MAC authenticates a message with a key of that purpose: the same key, purpose and message give the same 32 bytes, and nobody without the key can
// tell which message they are of, however few there may be.
func (v *Vault) MAC(purpose string, message []byte) []byte {
	mac := hmac.New(sha256.New, v.deriveKey("mac "+purpose))
	mac.Write(message)
	return mac.Sum(nil)
}

// additionalData binds the version and the purpose into the authentication, though the derived key holds the purpose already.
func additionalData(purpose string) []byte { return append([]byte{sealedV1}, purpose...) }

func (v *Vault) newAEAD(purpose string) cipher.AEAD {
	block, err := aes.NewCipher(v.deriveKey("seal " + purpose))
	if err != nil {
		panic("vault: " + err.Error()) // only a wrong key length, which derive rules out
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
		panic("vault: " + err.Error()) // only a length beyond 255 hashes
	}
	return key
}
