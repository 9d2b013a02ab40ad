package mail

import (
	"strings"
	"testing"
)

func TestNewSMTP_parsesTheServerURL(t *testing.T) {
	for address, want := range map[string]serverAddress{
		"smtp://mail.example?from=Shop@Example.com": {"mail.example", "587", tlsOpportunistic, "",
			"", "Shop@example.com"},
		"smtp://mail.example:25/?from=shop@example.com": {"mail.example", "25", tlsOpportunistic, "",
			"", "shop@example.com"},
		"smtp://[::1]:2525?from=shop@example.com&tls=none": {"::1", "2525", tlsNone, "", "",
			"shop@example.com"},
		"smtp://u:p@mail.example?from=shop@example.com": {"mail.example", "587", tlsRequired, "u",
			"p", "shop@example.com"},
		"smtp://u:p@mail.example?tls=opportunistic&from=shop@example.com": {"mail.example", "587", tlsOpportunistic,
			"u", "p", "shop@example.com"},
		"smtp://u:p@mail.example?tls=required&from=shop@example.com": {"mail.example", "587", tlsRequired, "u", "p",
			"shop@example.com"},
		"smtp://a%40b.example:p%3A%2F%25@mail.example?from=a@b.example": {"mail.example", "587", tlsRequired,
			"a@b.example", "p:/%", "a@b.example"},
		"smtps://u:p@mail.example?from=shop@example.com": {"mail.example", "465", tlsImplicit, "u", "p",
			"shop@example.com"},
		"smtps://mail.example:8465?from=shop%40example.com&tls=required": {"mail.example", "8465", tlsImplicit, "", "",
			"shop@example.com"},
	} {
		s, err := NewSMTP(address, SMTPConfig{})

		if err != nil || s.serverAddress != want || s.From() != want.from {
			t.Errorf("%s: %+v, %v", address, s, err)
		}
	}
}

func TestNewSMTP_explainsAnInvalidURLWithoutThePassword(t *testing.T) {
	const from = "?from=shop@example.com"

	for address, hint := range map[string]string{
		"":                                                    "smtp://user:password@host",
		"mail.example:25":                                     "smtp://user:password@host",
		"smtp://" + from:                                      "smtp://user:password@host",
		"smtp://u:hunter2@" + from:                            "smtp://user:password@host",
		"smtp:u:hunter2@mail.example":                         "smtp://user:password@host",
		"smtp://u:hunter2#@mail.example":                      "percent-encoded",
		"smtp://u:hunter2%@mail.example":                      "percent-encoded",
		"smtp://u:hunter2/@mail.example":                      "percent-encoded",
		"smtp://u:p@mail.example/hunter2":                     "percent-encoded",
		"smtp://u:p@m.example?%zz=hunter2":                    "percent-encoded",
		"smtp://u:p@m.example" + from + "#x":                  "percent-encoded",
		"http://u:hunter2@m.example" + from:                   "begins with smtp://",
		"SMTPX://u:hunter2@m.example" + from:                  "begins with smtp://",
		"smtp://u@m.example" + from:                           "user with a password",
		"smtp://u:@m.example" + from:                          "user with a password",
		"smtp://:hunter2@m.example" + from:                    "user with a password",
		"smtp://u:hunter2%00@m.example":                       "control characters",
		"smtp://u:hunter2@m.example:0" + from:                 "1 to 65535",
		"smtp://u:hunter2@m.example:70000" + from:             "1 to 65535",
		"smtp://u:hunter2@m.example":                          "from=",
		"smtp://u:hunter2@m.example?from=shop":                "from=",
		"smtp://u:hunter2@m.example?from=":                    "from=",
		"smtp://u:hunter2@m.example" + from + "&tls=yes":      "opportunistic, required or none",
		"smtps://u:hunter2@m.example" + from + "&tls=none":    "leave out tls=",
		"smtp://u:p@m.example" + from + "&password=hunter2":   "from and tls",
		"smtp://u:p@m.example" + from + "&from=b@example.com": "each once",
	} {
		s, err := NewSMTP(address, SMTPConfig{})
		if err == nil || s != nil || !strings.Contains(err.Error(), hint) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, %v; want %q", address, s, err, hint)
		}
	}
}
