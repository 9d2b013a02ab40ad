package account

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
)

// cheapCost is a fast cost for tests in which the cost does not matter.
func cheapCost() hashCost { return hashCost{memory: 8, time: 1, threads: 1} }

func TestHashPassword_returnsVerifiablePHCString(t *testing.T) {
	hash := hashPassword("correct horse", currentCost(), [saltSize]byte{1})
	if !regexp.MustCompile(
		`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`).MatchString(hash) {
		t.Errorf("hash %q", hash)
	}
	for password, want := range map[string]bool{"correct horse": true, "correct horsf": false, "": false} {
		if right, c, err := verifyPassword(password, hash); right != want || c != currentCost() || err != nil {
			t.Errorf("%q: %v, %v, %v", password, right, c, err)
		}
	}
	if hash == hashPassword("correct horse", currentCost(), [saltSize]byte{2}) {
		t.Error("different salts give the same hash")
	}
}

// The hash is from the test suite of the reference implementation: `echo -n password | argon2 somesalt -id -t 2 -m 16
// -p 1`.
func TestVerifyPassword_acceptsReferenceImplementationHash(t *testing.T) {
	right, _, err := verifyPassword("password",
		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	if !right || err != nil {
		t.Errorf("%v, %v", right, err)
	}
}

func TestVerifyPassword_refusesDamagedHashes(t *testing.T) {
	good := hashPassword("p", cheapCost(), [saltSize]byte{})
	for _, hash := range []string{
		"", "p", "$argon2i" + good[9:], strings.Replace(good, "v=19", "v=16", 1),
		strings.Replace(good, "t=1", "t=0", 1),
		strings.Replace(good, "p=1", "p=0", 1), strings.Replace(good, "p=1", "p=300", 1),
		strings.Replace(good, "m=8", "m=4294967295", 1),
		strings.Replace(good, "p=1", "p=1x", 1), strings.Replace(good, "m=8", "m=08", 1), good + "$",
		good[:len(good)-40], good + "!",
	} {
		if right, _, err := verifyPassword("p", hash); right || !errors.Is(err, errDamagedHash) {
			t.Errorf("%q: %v, %v", hash, right, err)
		}
	}
}

func TestCheckPassword_countsCharacters(t *testing.T) {
	for password, want := range map[string]string{
		"пароль12": "", strings.Repeat("я", 128): "", "no rules about digits": "",
		"пароль1": "too_short", "": "too_short", strings.Repeat("я", 129): "too_long",
		"\xff\xff\xff\xff\xff\xff\xff\xff": "invalid_characters",
	} {
		got := ""
		if problem := checkPassword(password); problem != nil {
			got = problem.Code
		}
		if got != want {
			t.Errorf("%q: %q, want %q", password, got, want)
		}
	}
}

func TestGeneratePassword_isReadableAndRandom(t *testing.T) {
	one, other := GeneratePassword(), GeneratePassword()
	if !regexp.MustCompile(`^[a-km-np-z2-9]{20}$`).MatchString(one) || one == other {
		t.Errorf("%q and %q", one, other)
	}
	if problem := checkPassword(one); problem != nil {
		t.Error(problem)
	}
	var all [32]byte
	for i := range all {
		all[i] = byte(i + 32)
	}
	if got := readableText(all, 32); got != readableAlphabet {
		t.Errorf("32 bytes give %q", got)
	}
}

func TestHash_waitsForSlotUntilContextEnds(t *testing.T) {
	s := New(Deps{Now: time.Now})
	for range maxConcurrentHashes {
		s.hashSlots <- struct{}{}
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()

	if _, err := s.hash(ctx, "password"); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("all slots taken: %v, want Unavailable", err)
	}

	canceled, cancelNow := context.WithCancel(t.Context())
	cancelNow()
	if _, _, err := s.verify(canceled, "password", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled context: %v, want context.Canceled", err)
	}

	s.releaseHashSlot()
	if _, err := s.hash(t.Context(), "password"); err != nil || len(s.hashSlots) != maxConcurrentHashes-1 {
		t.Errorf("free slot: %v, %d slots taken", err, len(s.hashSlots))
	}
}

// Tests of other packages use WeakHashes; nothing else does.
func TestHash_hasTheRecommendedCostUnlessWeak(t *testing.T) {
	for weak, want := range map[bool]string{false: "$m=19456,t=2,p=1$", true: "$m=64,t=1,p=1$"} {
		s := New(Deps{WeakHashes: weak})
		hash, err := s.hash(t.Context(), "correct horse")
		if err != nil || !strings.Contains(hash, want) {
			t.Errorf("WeakHashes %v: the hash is %s, %v; want %s", weak, hash, err, want)
		}
		right, outdated, err := s.verify(t.Context(), "correct horse", hash)
		if !right || outdated || err != nil {
			t.Errorf("WeakHashes %v: verify returns %v, %v, %v", weak, right, outdated, err)
		}
		other := New(Deps{WeakHashes: !weak})
		if right, outdated, err := other.verify(t.Context(), "correct horse", hash); !right || !outdated || err != nil {
			t.Errorf("WeakHashes %v: verify of a hash of another cost returns %v, %v, %v", !weak, right, outdated, err)
		}
	}
}
