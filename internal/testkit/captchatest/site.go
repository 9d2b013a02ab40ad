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
	// Host is where its tokens are made.
	Host string

	server *Server
}

// Site adds a customer, with keys of its own.
func (s *Server) Site(p captcha.Provider, host string) *Site {
	site := &Site{Provider: p, PublicKey: "public-" + rand.Text(), SecretKey: "secret-" + rand.Text(), Host: host, server: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sites[site.SecretKey] = site
	return site
}

// Token issues a token that a person got for an action.
func (s *Site) Token(action string) string { return s.Issue(s.Good(action)) }

// Issue issues a token of which a is said.
func (s *Site) Issue(a Answer) string { return s.Raw(s.renderAnswer(a)) }

// Raw issues a token of which a text is said, whatever it is.
func (s *Site) Raw(body string) string { return s.issueToken(respondJSON(body)) }

// OverQuota issues a token of which Google says what it says when nobody pays: success, whoever it is.
func (s *Site) OverQuota(action string) string {
	a := s.Good(action)
	a.Codes = []string{"Over free quota."}
	return s.Issue(a)
}

// Trouble issues a token whose verification goes wrong in some way.
func (s *Site) Trouble(t Failure) string {
	return s.issueToken(func(w http.ResponseWriter, r *http.Request) { t(s, w, r) })
}

func (s *Site) issueToken(handler http.HandlerFunc) string {
	// As long as real ones are, and with what a form must escape.
	text := "03A&+/=%" + strings.Repeat(rand.Text(), 20)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.tokens[text] = &token{site: s, handler: handler}
	return text
}

// tokenField is what the provider calls the token in its form.
func (s *Site) tokenField() string {
	if s.Provider == captcha.SmartCaptcha {
		return "token"
	}
	return "response"
}
