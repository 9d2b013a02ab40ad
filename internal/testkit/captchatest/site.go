package captchatest

import (
	"crypto/rand"
	"net/http"
	"strings"

	"vitrine/internal/kit/captcha"
)

// Site is a customer of a provider.
type Site struct {
	Provider             captcha.Provider
	PublicKey, SecretKey string
	// Host is the host in the verdicts of its tokens.
	Host string

	server *Server
}

// Site adds a customer with new keys.
func (s *Server) Site(p captcha.Provider, host string) *Site {
	site := &Site{Provider: p, PublicKey: "public-" + rand.Text(), SecretKey: "secret-" + rand.Text(),
		Host: host, server: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sites[site.SecretKey] = site
	return site
}

// Token issues a token whose verdict is that for a human.
func (s *Site) Token(action string) string { return s.TokenFor(s.GoodAnswer(action)) }

// TokenFor issues a token that gets the given answer as its verdict.
func (s *Site) TokenFor(a Answer) string { return s.RawToken(s.renderAnswer(a)) }

// RawToken issues a token to which the server responds with body, valid or not.
func (s *Site) RawToken(body string) string { return s.issueToken(respondJSON(body)) }

// OverQuotaToken issues a token that gets Google's response for an account over its quota, which is always a success.
func (s *Site) OverQuotaToken(action string) string {
	a := s.GoodAnswer(action)
	a.Codes = []string{"Over free quota."}
	return s.TokenFor(a)
}

// FailingToken issues a token whose verification fails in the given way.
func (s *Site) FailingToken(t Failure) string {
	return s.issueToken(func(w http.ResponseWriter, r *http.Request) { t(s, w, r) })
}

func (s *Site) issueToken(handler http.HandlerFunc) string {
	// The token is as long as real ones and has characters that a form must escape.
	text := "03A&+/=%" + strings.Repeat(rand.Text(), 20)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.tokens[text] = &token{site: s, handler: handler}
	return text
}

// tokenField returns the name of the form field that holds the token.
func (s *Site) tokenField() string {
	if s.Provider == captcha.SmartCaptcha {
		return "token"
	}
	return "response"
}
