package transfer

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/crypto/argon2"

	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
)

// Secrets in an archive are encrypted: with the secret key of the installation, as in its database, or with a key that
// is derived from a passphrase.

// secretInfo says with which key the secrets of an archive are encrypted.
type secretInfo struct {
	// Check is the key check of the secret key of the installation.
	Check []byte `json:"check"`
	// Salt and PassphraseCheck are set if the secrets are encrypted with a passphrase.
	Salt            []byte `json:"salt,omitempty"`
	PassphraseCheck []byte `json:"passphrase_check,omitempty"`
}

// The cost of a passphrase: 64 MiB and some 200 ms.
const (
	passphraseTime    = 3
	passphraseMemory  = 64 << 10
	passphraseThreads = 4
	saltBytes         = 16
)

// minPassphrase is the minimum length of a passphrase in bytes. An attacker who has the archive can try passphrases
// offline.
const minPassphrase = 12

var (
	errPassphraseShort   = fmt.Errorf("the passphrase must have at least %d characters", minPassphrase)
	errPassphraseMissing = errors.New("the secrets in this archive are encrypted with a passphrase: name the file " +
		"that has it with --passphrase-file")
	errPassphraseWrong = errors.New("the passphrase is not that of the archive")
)

// passphraseVault returns the vault with the key of a passphrase.
func passphraseVault(passphrase string, salt []byte) (*vault.Vault, error) {
	if len(passphrase) < minPassphrase {
		return nil, errPassphraseShort
	}
	key := argon2.IDKey([]byte(passphrase), salt, passphraseTime, passphraseMemory, passphraseThreads, vault.KeySize)
	return vault.ParseKey(hex.EncodeToString(key))
}

// sealer encrypts secrets again: it opens them with one vault and seals them with another.
type sealer struct{ from, to *vault.Vault }

// newExportSealer returns the sealer of an export, and what the header says of it.
func newExportSealer(own *vault.Vault, passphrase string) (s sealer, info secretInfo, err error) {
	info.Check = own.KeyCheck()
	if passphrase == "" {
		return sealer{own, own}, info, nil
	}

	info.Salt = make([]byte, saltBytes)
	_, _ = rand.Read(info.Salt) // never returns an error: it ends the program instead
	s = sealer{from: own}
	if s.to, err = passphraseVault(passphrase, info.Salt); err != nil {
		return s, info, err
	}
	info.PassphraseCheck = s.to.KeyCheck()
	return s, info, nil
}

// newImportSealer returns the sealer of an import. Its from is nil if this installation cannot open the secrets.
func newImportSealer(own *vault.Vault, info secretInfo, passphrase string) (s sealer, err error) {
	s.to = own
	switch {
	case own.MatchesKeyCheck(info.Check) && len(info.Salt) == 0:
		s.from = own
	case len(info.Salt) == 0:
	case passphrase == "":
		return s, errPassphraseMissing
	default:
		if s.from, err = passphraseVault(passphrase, info.Salt); err != nil {
			return s, err
		}
		if !s.from.MatchesKeyCheck(info.PassphraseCheck) {
			return s, errPassphraseWrong
		}
	}

	return s, nil
}

// reseal returns a sealed value for the other vault.
func (s sealer) reseal(purpose string, value []byte) ([]byte, error) {
	if s.from == s.to {
		return value, nil
	}
	text, err := s.from.Open(purpose, value)
	if err != nil {
		return nil, fmt.Errorf("decrypt a %s: %w", purpose, err)
	}
	return s.to.Seal(purpose, text), nil
}

// resealRow encrypts the secrets of a row again.
func (s sealer) resealRow(list []column, row []any) (err error) {
	for i, c := range list {
		if value, ok := row[i].([]byte); ok && c.role == secret {
			if row[i], err = s.reseal(c.purpose, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropSecrets prepares a row whose secrets cannot be opened here. It returns false if the row makes no sense without
// them. It counts what is lost under the word that LostWords explains.
func (s sealer) dropSecrets(t *table, row []any, lost map[string]int64) (keep bool) {
	if len(t.secrets()) == 0 {
		return true
	}
	set := func(name string, value any) { row[t.index(name)] = value }
	setSecret := func(name, text string) {
		c := t.stored()[t.index(name)]
		set(name, s.to.Seal(c.purpose, []byte(text)))
	}
	had := func(name string) bool { return row[t.index(name)] != nil }

	switch t.name {
	case "receivers":
		lost["receivers"]++
		setSecret("secret", randomSecret())
		set("old_secret", nil)
		set("old_secret_until", nil)
		set("enabled", false)
		set("disabled_reason", nil)
	case "feeds":
		lost["feeds"]++
		token := access.NewToken(access.FeedKey)
		hash := access.HashToken(token)
		set("key_hash", hash[:])
		setSecret("key_sealed", string(token))
	case "captcha_settings":
		if had("secret") {
			lost["captcha"]++
			set("active", false)
			set("secret", nil)
		}
	case "accounts":
		if had("code_secret") {
			lost["codes"]++
			set("code_secret", nil)
		}
	case "mail_servers":
		lost["mail_server"]++
		return false
	case "mailbox":
		lost["mailbox"]++
		return false
	default:
		return false
	}
	return true
}

// randomSecret returns a secret of a receiver that nobody knows.
func randomSecret() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never returns an error: it ends the program instead
	return "whsec_" + base64.StdEncoding.EncodeToString(key[:])
}

// secrets returns the columns with secrets.
func (t *table) secrets() (list []column) {
	for _, c := range t.stored() {
		if c.role == secret {
			list = append(list, c)
		}
	}
	return list
}

// LostTexts says for each part of a store that depends on a secret what to do if its secrets could not be opened.
func LostTexts() map[string]string {
	return map[string]string{
		"receivers": "webhook receivers are disabled: make a new secret for each, give it to the receiver, and " +
			"enable it",
		"feeds":       "product feeds have new addresses: give them to the marketplaces",
		"captcha":     "the captcha is off: enter its secret again",
		"codes":       "operators sign in without a second step: let them set it up again",
		"mail_server": "the mail server of the store must be entered again",
		"mailbox":     "messages in the mailbox were left out",
		"messages":    "messages that waited to be sent were left out",
	}
}
