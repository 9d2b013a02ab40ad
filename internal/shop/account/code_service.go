package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
)

// The vault's purposes for the secret of the codes, for a login that waits for its code, and for codes that are being
// set up.
const (
	codeSecretPurpose   = "operator code secret"
	pendingLoginPurpose = "operator pending login"
	codeSetupPurpose    = "operator code setup"
)

const (
	// pendingLoginLifetime is how long a person has to type the code after the password.
	pendingLoginLifetime = 10 * time.Minute
	// codeSetupLifetime is how long a person has to set the app up.
	codeSetupLifetime = 30 * time.Minute
)

// pendingLogin is a login whose password was right and that still needs a code. The client has it, sealed, so that no
// row is needed.
type pendingLogin struct {
	Account access.AccountID `json:"account"`
	// Password identifies the hash of the password: after a change of the password the login is void.
	Password  []byte    `json:"password"`
	ExpiresAt time.Time `json:"expires_at"`
}

func passwordFingerprint(hash string) []byte {
	sum := sha256.Sum256([]byte(hash))
	return sum[:16]
}

func (s *Sessions) sealPendingLogin(a accountRow) string {
	return s.sealText(pendingLoginPurpose, pendingLogin{Account: a.ID, Password: passwordFingerprint(a.passwordHash),
		ExpiresAt: s.moment().Add(pendingLoginLifetime)})
}

// sealText seals a value as text for a form or a cookie.
func (s *core) sealText(purpose string, v any) string {
	plain, err := json.Marshal(v)
	if err != nil {
		panic("account: " + err.Error()) // only for types without a JSON form
	}
	return base64.RawURLEncoding.EncodeToString(s.Vault.Seal(purpose, plain))
}

// openText opens what sealText returned, and reports whether it could.
func (s *core) openText(purpose, text string, v any) bool {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	plain, err := s.Vault.Open(purpose, sealed)
	return err == nil && json.Unmarshal(plain, v) == nil
}

// CodeLogin is the second step of a login.
type CodeLogin struct {
	// Pending is the token that the first step returned.
	Pending string
	// Code is a code of the app or a recovery code.
	Code string
	// Login has the other members of the login; Email and Password are not used.
	Login
}

// String returns a text without the code and the tokens, so that messages do not contain them.
func (l CodeLogin) String() string { return l.Login.String() }

// LogValue returns the text of String, so that logs do not contain the code and the tokens.
func (l CodeLogin) LogValue() slog.Value { return slog.StringValue(l.String()) }

// SignInWithCode opens a session after SignIn has returned a Pending login. A wrong code gets the Unauthenticated fault
// invalid_code and locks the source out as a wrong password does, with the same TooMany fault; a right password does
// not reset these lockouts. Each code works once. A login that is too old, or whose password was changed meanwhile,
// gets the Unauthenticated fault sign_in_expired.
func (s *Sessions) SignInWithCode(ctx context.Context, l CodeLogin) (in SignedIn, err error) {
	defer fault.AddContext(&err, "sign in with a code")
	defer func() { s.countSignIn(err) }()

	var pending pendingLogin
	if !s.openText(pendingLoginPurpose, l.Pending, &pending) || !pending.ExpiresAt.After(s.Now()) {
		return SignedIn{}, errSignInExpired()
	}
	account, err := s.findPendingAccount(ctx, pending, l.Login)
	if err != nil {
		return SignedIn{}, err
	}
	defer fault.AddContext(&err, "operator %s", account.operator.ID)

	in, open, err := s.newSession(ctx, account, l.Login)
	if err != nil {
		return SignedIn{}, err
	}
	release, err := l.AdmitWrite.acquire(ctx)
	if err != nil {
		return SignedIn{}, err
	}
	defer release()

	refusal, err := database.Write(ctx, s.DB, func(q database.Querier) (refusal, err error) {
		now := s.moment()
		if refusal, err = s.decideCode(ctx, q, account, pending, l.Code, now); refusal != nil || err != nil {
			return refusal, err
		}
		return nil, open(q, now)
	})
	if err := cmp.Or(err, refusal); err != nil {
		return SignedIn{}, err
	}

	return in, nil
}

// findPendingAccount returns the account of a login and the source of the login, or the fault sign_in_expired.
func (s *Sessions) findPendingAccount(ctx context.Context, pending pendingLogin, l Login) (loginAccount, error) {
	account, err := database.ReadShort(ctx, s.DB, func(q database.Querier) (loginAccount, error) {
		row, err := selectAccountByID(ctx, q, pending.Account, "")
		if err != nil {
			return loginAccount{}, err
		}
		a, err := withOperator(ctx, q, row)
		if err != nil {
			return loginAccount{}, err
		}
		return a, a.identifySource(ctx, q, l, s.moment())
	})
	if errors.Is(err, database.ErrNoRows) || err == nil && !pending.matches(account) {
		return loginAccount{}, errSignInExpired()
	}
	return account, err
}

// matches reports whether the account is as it was when the password was checked.
func (l pendingLogin) matches(a loginAccount) bool {
	return a.maySignIn() && a.CodesEnabled && string(l.Password) == string(passwordFingerprint(a.passwordHash))
}

// decideCode checks a code under the lock of the account. It records a failure or uses the code up. A refusal is not
// returned as err, so that the transaction commits the failure.
func (s *Sessions) decideCode(
	ctx context.Context, q database.Querier, checked loginAccount, pending pendingLogin, code string, now time.Time,
) (refusal, err error) {
	row, err := selectAccountByID(ctx, q, checked.ID, q.Dialect().ForUpdate)
	if err != nil {
		return nil, err
	}
	current, err := withOperator(ctx, q, row)
	if err != nil {
		return nil, err
	}
	if !pending.matches(current) || current.operator.ID != checked.operator.ID {
		return errSignInExpired(), nil
	}

	lockouts := loginLockouts{known: checked.lockouts.known}
	if lockouts.source, err = selectLockout(ctx, q, current.ID, codeSource(checked.source), now); err != nil {
		return nil, err
	}
	if lockouts.account, err = selectLockout(ctx, q, current.ID, allCodeSources, now); err != nil {
		return nil, err
	}
	if refusal := lockouts.check(now); refusal != nil {
		return refusal, nil
	}

	right, err := s.useCode(ctx, q, current.accountRow, code, now)
	if err != nil {
		return nil, err
	}

	if right {
		if err := deleteLockout(ctx, q, current.ID, codeSource(checked.source)); err != nil {
			return nil, err
		}
		return nil, deleteLockout(ctx, q, current.ID, allCodeSources)
	}

	if err := s.logFailure(ctx, q, current, checked.source, now); err != nil {
		return nil, err
	}

	next := lockouts.afterFailure(now)
	if err := upsertLockout(ctx, q, current.ID, codeSource(checked.source), next.source, now); err != nil {
		return nil, err
	}

	if !lockouts.known {
		err = upsertLockout(ctx, q, current.ID, allCodeSources, next.account, now)
	}

	return fault.New(fault.Unauthenticated, "invalid_code", "The code is wrong or was used already."), err
}

// useCode reports whether a code of the app or a recovery code is right, and uses it up.
func (s *Sessions) useCode(
	ctx context.Context, q database.Querier, a accountRow, code string, now time.Time,
) (bool, error) {
	code = normalizeCode(code)
	if len(code) == recoveryCodeLen {
		return useRecoveryCode(ctx, q, a.ID, hashRecoveryCode(code))
	}
	secret, err := s.Vault.Open(codeSecretPurpose, a.codeSecret)
	if err != nil {
		return false, fmt.Errorf("decrypt the secret of the codes: %w", err)
	}
	step, right := codeStep(string(secret), code, now, a.codeStep)
	if !right {
		return false, nil
	}
	return true, updateCodeStep(ctx, q, a.ID, step)
}

func errSignInExpired() error {
	return fault.New(fault.Unauthenticated, "sign_in_expired", "The sign-in took too long; type your password again.")
}

// CodeSetup is what a person needs to set an authenticator app up.
type CodeSetup struct {
	// Sealed is the setup for EnableCodes. It does not reveal the secret.
	Sealed string
	// Secret is the secret in base 32, to type in, and URI the same for a QR code.
	Secret, URI string
}

// String returns a text without the secret, so that messages do not contain it.
func (c CodeSetup) String() string { return "code setup" }

// LogValue returns the text of String, so that logs do not contain the secret.
func (c CodeSetup) LogValue() slog.Value { return slog.StringValue(c.String()) }

// sealedCodeSetup is what CodeSetup.Sealed contains.
type sealedCodeSetup struct {
	Account   access.AccountID `json:"account"`
	Secret    string           `json:"secret"`
	URI       string           `json:"uri"`
	ExpiresAt time.Time        `json:"expires_at"`
}

// SetUpCodes returns a new secret for an authenticator app. Nothing changes until EnableCodes gets the first code. The
// caller has called ConfirmPassword.
func (s *Profiles) SetUpCodes(p access.Principal) (_ CodeSetup, err error) {
	if p.Kind != access.OperatorSession {
		return CodeSetup{}, SessionRequired()
	}
	defer fault.AddContext(&err, "set up codes of operator %s", p.Operator.ID)
	key, err := newCodeKey("Vitrine", p.Operator.Email)
	if err != nil {
		return CodeSetup{}, err
	}
	sealed := s.sealText(codeSetupPurpose, sealedCodeSetup{Account: p.Operator.AccountID, Secret: key.Secret(),
		URI: key.URL(), ExpiresAt: s.moment().Add(codeSetupLifetime)})
	return CodeSetup{Sealed: sealed, Secret: key.Secret(), URI: key.URL()}, nil
}

// ContinueCodes returns a setup that SetUpCodes made for the same person, so that it can be shown again. It returns the
// Conflict fault setup_expired for one that is older than half an hour or not valid.
func (s *Profiles) ContinueCodes(p access.Principal, sealed string) (CodeSetup, error) {
	if p.Kind != access.OperatorSession {
		return CodeSetup{}, SessionRequired()
	}
	var setup sealedCodeSetup
	if !s.openText(codeSetupPurpose, sealed, &setup) || setup.Account != p.Operator.AccountID ||
		!setup.ExpiresAt.After(s.Now()) {
		return CodeSetup{}, fault.New(fault.Conflict, "setup_expired",
			"Setting the codes up took too long; start again.")
	}
	return CodeSetup{Sealed: sealed, Secret: setup.Secret, URI: setup.URI}, nil
}

// EnableCodes makes codes necessary for the sign-ins of the person, in the caller's transaction, if code is a code of
// the app that was set up. It returns the recovery codes, which are not stored and cannot be shown again. A wrong code
// gets fault.Invalid for the field code.
func (s *Profiles) EnableCodes(
	ctx context.Context, q database.Querier, p access.Principal, sealed, code string,
) (recovery []string, err error) {
	setup, err := s.ContinueCodes(p, sealed)
	if err != nil {
		return nil, err
	}
	defer fault.AddContext(&err, "enable codes of operator %s", p.Operator.ID)

	now := s.moment()
	step, right := codeStep(setup.Secret, normalizeCode(code), now, 0)
	if !right {
		return nil, errWrongCode()
	}
	if _, err := selectAccountByID(ctx, q, p.Operator.AccountID, q.Dialect().ForUpdate); err != nil {
		return nil, err
	}

	err = updateCodes(ctx, q, p.Operator.AccountID, s.Vault.Seal(codeSecretPurpose, []byte(setup.Secret)), step, now)
	if err != nil {
		return nil, err
	}

	return s.newRecoveryCodes(ctx, q, p.Operator.AccountID)
}

// DisableCodes turns the second step of the sign-in off, in the caller's transaction. The caller has called
// ConfirmPassword.
func (s *Profiles) DisableCodes(ctx context.Context, q database.Querier, p access.Principal) (err error) {
	if p.Kind != access.OperatorSession {
		return SessionRequired()
	}
	defer fault.AddContext(&err, "disable codes of operator %s", p.Operator.ID)
	return deleteCodes(ctx, q, p.Operator.AccountID, s.moment())
}

// RenewRecoveryCodes replaces the recovery codes of the person, in the caller's transaction. The caller has called
// ConfirmPassword. It returns fault.Conflict if the person needs no codes.
func (s *Profiles) RenewRecoveryCodes(
	ctx context.Context, q database.Querier, p access.Principal,
) (recovery []string, err error) {
	if p.Kind != access.OperatorSession {
		return nil, SessionRequired()
	}
	defer fault.AddContext(&err, "renew the recovery codes of operator %s", p.Operator.ID)
	account, err := selectAccountByID(ctx, q, p.Operator.AccountID, q.Dialect().ForUpdate)
	if err != nil {
		return nil, err
	}
	if !account.CodesEnabled {
		return nil, fault.New(fault.Conflict, "codes_disabled",
			"Your sign-in needs no codes, so there is nothing to recover.")
	}
	return s.newRecoveryCodes(ctx, q, account.ID)
}

func (s *Profiles) newRecoveryCodes(
	ctx context.Context, q database.Querier, accountID access.AccountID,
) (recovery []string, err error) {
	var hashes [][sha256.Size]byte
	for range recoveryCodeCount {
		code := newRecoveryCode()
		recovery = append(recovery, code)
		hashes = append(hashes, hashRecoveryCode(normalizeCode(code)))
	}
	return recovery, replaceRecoveryCodes(ctx, q, accountID, hashes)
}

// RecoveryCodesLeft returns how many recovery codes the person has not used yet.
func (s *Profiles) RecoveryCodesLeft(ctx context.Context, q database.Querier, p access.Principal) (_ int64, err error) {
	if p.Kind != access.OperatorSession {
		return 0, SessionRequired()
	}
	defer fault.AddContext(&err, "count the recovery codes of operator %s", p.Operator.ID)
	return countRecoveryCodes(ctx, q, p.Operator.AccountID)
}
