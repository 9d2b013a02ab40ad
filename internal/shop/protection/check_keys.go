package protection

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// CheckKeys asks the provider whether it knows the secret key that the settings would have after an edit. It must not
// be called inside a transaction: the provider may take 3 s. It returns fault.Invalid for the field
// recaptcha.secret_key if the provider refuses the key, and fault.Unavailable with the code captcha_unavailable if it
// gives no answer. It does nothing if there is no secret key, or if neither the provider nor a key changes.
func (s *Service) CheckKeys(ctx context.Context, shop store.Store, e Edit) (err error) {
	defer fault.AddContext(&err, "check the captcha keys of store %s", shop.ID)

	settings, err := database.Read(ctx, s.DB, func(q database.Querier) (Settings, error) {
		return selectCaptchaSettings(ctx, store.In(q, shop.ID))
	})
	if err != nil {
		return err
	}

	provider, publicKey := settings.Provider, settings.PublicKey
	var secret string
	if e.Provider != nil {
		provider = captcha.Provider(strings.TrimSpace(*e.Provider))
	}

	if e.PublicKey != nil {
		publicKey = strings.TrimSpace(*e.PublicKey)
	}

	switch {
	case e.SecretKey != nil:
		secret = strings.TrimSpace(*e.SecretKey)
	case !settings.SecretKeySet() || provider == settings.Provider && publicKey == settings.PublicKey:
		return nil
	default:
		opened, err := s.Vault.Open(secretPurpose, settings.secret)
		if err != nil {
			return fmt.Errorf("decrypt the captcha secret: %w", err)
		}
		secret = string(opened)
	}

	if secret == "" || checkProvider(string(provider)) != nil || checkCaptchaKey(secret) != nil {
		return nil // there is nothing to check, or the edit is refused anyway
	}

	return s.checkSecret(ctx, provider, secret, publicKey)
}

func (s *Service) checkSecret(ctx context.Context, provider captcha.Provider, secret, publicKey string) error {
	verifier, err := s.Client.Verifier(provider)
	if err != nil {
		return err
	}
	err = verifier.CheckSecret(ctx, secret, publicKey)
	if refused, ok := errors.AsType[*captcha.SecretError](err); ok {
		return fault.OneField("recaptcha.secret_key", "refused",
			"The provider refuses this secret key (%s); copy both keys from its page once more.", refused.Code)
	}
	if unavailable, ok := errors.AsType[*captcha.Unavailable](err); ok {
		return fault.New(fault.Unavailable, "captcha_unavailable",
			"The provider did not answer, so the keys could not be checked.").Because(unavailable)
	}
	return err
}
