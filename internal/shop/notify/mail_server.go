package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/contact"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/mail"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// Encryption says when a connection to a mail server uses TLS.
type Encryption string

// The kinds of encryption. With TLS the certificate must always be valid.
const (
	ImplicitTLS Encryption = "tls"      // from the first byte
	StartTLS    Encryption = "starttls" // from the command STARTTLS on, which the server must offer
	NoTLS       Encryption = "none"     // only for servers without a password
)

const (
	// serverPurpose is the vault's purpose for the settings of mail servers, which have passwords.
	serverPurpose = "mail server"
	// The maximum lengths of the settings, in bytes.
	maxHost       = 253
	maxCredential = 512
)

// MailServer is the mail server that an owner has set for a store. The zero value is none.
type MailServer struct {
	Host       string     `json:"host"`
	Port       int        `json:"port"`
	Encryption Encryption `json:"encryption"`
	// User is the name by which the store signs in at the server; "" if it does not.
	User string `json:"user,omitempty"`
	// From is the address of the sender.
	From string `json:"from"`
	// Password is set in an edit only; "" keeps the present one. What is read never has it.
	Password string `json:"-"`
	// Version grows by one with every change; 0 if the store has no server.
	Version int64 `json:"-"`

	password string
}

// sealedServer is the stored form of a server.
type sealedServer struct {
	MailServer
	Secret string `json:"password,omitempty"`
}

// IsSet reports whether the store has a server.
func (m MailServer) IsSet() bool { return m.Version > 0 }

// PasswordSet reports whether a password is stored.
func (m MailServer) PasswordSet() bool { return m.password != "" }

// Address returns host:port, or "" if there is no server.
func (m MailServer) Address() string {
	if m.Host == "" {
		return ""
	}
	return net.JoinHostPort(m.Host, strconv.Itoa(m.Port))
}

// String returns host:port, so that messages have no password.
func (m MailServer) String() string { return m.Address() }

// MailServer returns the store's own server, or one that IsSet says is none.
func (s *Service) MailServer(ctx context.Context, tx store.Tx) (m MailServer, err error) {
	defer fault.AddContext(&err, "read the mail server of store %s", tx.StoreID())

	sealed, version, err := selectMailServer(ctx, tx, "")
	if errors.Is(err, database.ErrNoRows) {
		return MailServer{}, nil
	}
	if err != nil {
		return m, err
	}
	return s.openServer(sealed, version)
}

func (s *Service) openServer(sealed []byte, version int64) (m MailServer, err error) {
	text, err := s.Vault.Open(serverPurpose, sealed)
	if err != nil {
		return m, fmt.Errorf("decrypt the mail server: %w", err)
	}
	var stored sealedServer
	if err := json.Unmarshal(text, &stored); err != nil {
		return m, fmt.Errorf("decode the mail server: %w", err)
	}

	m = stored.MailServer
	m.password = stored.Secret
	m.Version = version
	return m, nil
}

// CheckMailServer returns the server that an edit makes of the present one, once a message has gone through it. It
// stores nothing, and must not be called inside a transaction. It returns fault.Invalid for the fields host, port,
// encryption, user, mail_password and from, or fault.Unavailable if the message could not be sent.
func (s *Service) CheckMailServer(
	ctx context.Context, storeID store.ID, edit MailServer, test Message,
) (m MailServer, err error) {
	defer fault.AddContext(&err, "check a mail server of store %s", storeID)
	if s.ServerSendsMail() {
		return m, fault.New(fault.Conflict, "mail_server_fixed", "The person who runs the server has set up the mail "+
			"of all shops, so a shop has no mail server of its own.")
	}

	present, err := database.Read(ctx, s.DB, func(q database.Querier) (MailServer, error) {
		return s.MailServer(ctx, store.In(q, storeID))
	})
	if err != nil {
		return m, err
	}
	if m, err = s.checkServer(edit, present); err != nil {
		return m, err
	}

	sender, err := s.smtp(m)
	if err != nil {
		return m, err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	return m, notSent(sender.Send(ctx, test.mail(id.New[Message]())))
}

// checkServer normalizes an edit. The password of the present server is kept only for the same server and user: a new
// one must not learn it.
func (s *Service) checkServer(m, present MailServer) (MailServer, error) {
	var problems []fault.Field
	m.Host = strings.TrimSuffix(strings.TrimSpace(m.Host), ".")
	m.User = strings.TrimSpace(m.User)
	host, broken := s.checkServerAddress(m.Host, m.Port)
	m.Host = host
	problems = append(problems, broken...)

	if m.Encryption != ImplicitTLS && m.Encryption != StartTLS && m.Encryption != NoTLS {
		problems = append(problems, fault.NewField("encryption", "unknown_value", "Choose one of the list."))
	}

	same := present.Host == m.Host && present.Port == m.Port && present.User == m.User &&
		present.Encryption == m.Encryption
	switch m.password = m.Password; {
	case m.User == "":
		m.password = ""
	case m.Encryption == NoTLS:
		problems = append(problems, fault.NewField("encryption", "password_without_tls",
			"A password is sent over TLS only: choose another encryption, or leave the user empty."))
	case m.Password == "" && same:
		m.password = present.password
	case m.Password == "":
		problems = append(problems, fault.NewField("mail_password", "required",
			"Type the password of the mail server. The stored one is kept only for the same server and user."))
	}
	problems = append(problems, checkCredential("user", m.User)...)
	problems = append(problems, checkCredential("mail_password", m.Password)...)

	from, err := contact.CheckEmail(m.From)
	if err != nil {
		problems = append(problems, fault.NewField("from", "invalid_email",
			"This is no e-mail address; write one such as shop@shop.example."))
	} else {
		m.From = from
	}

	m.Password = ""
	return m, fault.Fields(problems)
}

func checkCredential(field, text string) []fault.Field {
	if len(text) <= maxCredential && !strings.ContainsFunc(text, unicode.IsControl) {
		return nil
	}
	return []fault.Field{fault.NewField(field, "invalid_characters",
		"This is too long or holds control characters; copy it once more.")}
}

// checkServerAddress returns the host as it is looked up. The dialer checks the addresses that it leads to.
func (s *Service) checkServerAddress(host string, port int) (string, []fault.Field) {
	var problems []fault.Field
	if port < 1 || port > 65535 {
		problems = append(problems, fault.NewField("port", "out_of_range",
			"The port must be a number from 1 to 65535."))
	}

	if host == "" || len(host) > maxHost || strings.ContainsAny(host, "/@?#%[] ") {
		return host, append(problems, fault.NewField("host", "invalid_host",
			"Write the name of the mail server without a scheme or a path, such as smtp.shop.example."))
	}
	u, err := s.Outbound.CheckURL("https://" + net.JoinHostPort(host, "1") + "/")
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return host, append(problems, fault.Field{Field: "host", Code: refused.Code, Message: refused.Message})
	}
	if err != nil {
		return host, append(problems, fault.NewField("host", "invalid_host",
			"Write the name of the mail server without a scheme or a path, such as smtp.shop.example."))
	}
	return u.Hostname(), problems
}

// smtp returns the sender of a server. It reaches only addresses that webhooks may reach.
func (s *Service) smtp(m MailServer) (*mail.SMTP, error) {
	query := url.Values{"from": {m.From}}
	u := url.URL{Scheme: "smtp", Host: m.Address()}
	switch m.Encryption {
	case ImplicitTLS:
		u.Scheme = "smtps"
	case StartTLS:
		query.Set("tls", "required")
	case NoTLS:
		query.Set("tls", "none")
	}

	if m.User != "" {
		u.User = url.UserPassword(m.User, m.password)
	}
	u.RawQuery = query.Encode()

	return mail.NewSMTP(u.String(), mail.SMTPConfig{Now: s.Now, Dial: s.Outbound.Dial,
		RootCAs: s.Outbound.RootCAs()})
}

// SetMailServer stores a server that CheckMailServer has returned. It returns fault.Stale if pre does not accept the
// version of the present one.
func (s *Service) SetMailServer(
	ctx context.Context, tx store.Tx, m MailServer, pre fault.Precondition,
) (_ MailServer, err error) {
	defer fault.AddContext(&err, "set the mail server of store %s", tx.StoreID())

	present, err := s.lockMailServer(ctx, tx, pre)
	if err != nil {
		return m, err
	}

	text, err := json.Marshal(sealedServer{MailServer: m, Secret: m.password})
	if err != nil {
		return m, fmt.Errorf("encode the mail server: %w", err)
	}
	m.Version = present.Version + 1
	err = upsertMailServer(ctx, tx, s.Vault.Seal(serverPurpose, text), m.Version, s.Now())
	if err != nil {
		return m, err
	}
	return m, recordServer(ctx, tx, present, m)
}

// RemoveMailServer removes the server of the store. What is queued goes to the mailbox then.
func (s *Service) RemoveMailServer(ctx context.Context, tx store.Tx, pre fault.Precondition) (err error) {
	defer fault.AddContext(&err, "remove the mail server of store %s", tx.StoreID())

	present, err := s.lockMailServer(ctx, tx, pre)
	if err != nil {
		return err
	}
	if !present.IsSet() {
		return fault.Missing("mail server")
	}
	if err := deleteMailServer(ctx, tx); err != nil {
		return err
	}
	return recordServer(ctx, tx, present, MailServer{})
}

// lockMailServer returns the present server, which no other transaction changes meanwhile.
func (s *Service) lockMailServer(ctx context.Context, tx store.Tx, pre fault.Precondition) (m MailServer, err error) {
	if err := lockStore(ctx, tx); err != nil {
		return m, err
	}
	sealed, version, err := selectMailServer(ctx, tx, tx.Dialect().ForUpdate)
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return m, err
	}
	if err == nil {
		if m, err = s.openServer(sealed, version); err != nil {
			return m, err
		}
	}
	return m, pre.Check(m.Version)
}

// recordServer writes a change of the server to the log, without the password.
func recordServer(ctx context.Context, tx store.Tx, before, after MailServer) error {
	changes := audit.AppendChange(nil, "mail_server.address", before.Address(), after.Address())
	changes = audit.AppendChange(changes, "mail_server.encryption", string(before.Encryption),
		string(after.Encryption))
	changes = audit.AppendChange(changes, "mail_server.user", before.User, after.User)
	changes = audit.AppendChange(changes, "mail_server.from", before.From, after.From)
	if before.password != after.password {
		changes = append(changes, audit.Change{Field: "mail_server.password"})
	}

	if changes == nil {
		return nil
	}
	return audit.Record(ctx, tx, audit.Entry{Action: audit.SettingsChanged, Object: audit.Object{Kind: "settings"},
		Changes: changes})
}
