package notify

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/textproto"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"frontdesk/internal/infra/fail"
)

// MailServer is the owner's SMTP server.
type MailServer struct {
	// Server is host and port, such as `smtp.example.com:587`. Without it no mail is sent.
	Server string `yaml:"server"`
	// TLS is `starttls` (the default, usual on port 587), `implicit` (usual on port 465), or
	// `none`, which is allowed on this machine only.
	TLS string `yaml:"tls"`
	// User is the name to log in with; without it there is no login.
	User string `yaml:"user"`
	// PasswordEnv names the variable of the environment that holds the password.
	PasswordEnv string `yaml:"password_env"`
	// PasswordFile is a file that holds the password.
	PasswordFile string `yaml:"password_file" relative:"path"`
	// From is the sender's address, such as `desk@example.com`.
	From string `yaml:"from"`
}

// The ways to encrypt mail.
const (
	tlsStart    = "starttls"
	tlsImplicit = "implicit"
	tlsNone     = "none"
)

// Error is one thing that is wrong with what is configured.
type Error struct {
	Field  string // the key of MailServer
	Detail string // what is wrong and what would be right
}

func (e *Error) Error() string { return e.Field + ": " + e.Detail }

// Check says what is wrong with a server to send mail through: it joins one *Error for each thing.
// Whether there is a password is looked up; nobody is called.
func (m MailServer) Check() error {
	var wrong []error
	report := func(field, format string, args ...any) {
		wrong = append(wrong, &Error{field, fmt.Sprintf(format, args...)})
	}
	host, port, err := net.SplitHostPort(m.Server)
	if err != nil || host == "" || port == "" {
		report("server", "%q is no server; write host and port, like smtp.example.com:587", m.Server)
	}
	switch m.TLS {
	case "", tlsStart, tlsImplicit:
	case tlsNone:
		if !isHere(host) {
			report("tls",
				"mail to %s would go unencrypted, which is for this machine alone; write starttls or implicit", host)
		}
	default:
		report("tls", "%q is none of starttls, implicit and none", m.TLS)
	}
	if CheckAddress(m.From) != nil {
		report("from", "%q is no address; write it like desk@example.com", m.From)
	}
	password, err := ReadSecret(m.PasswordEnv, m.PasswordFile)
	field := "password_env"
	if m.PasswordFile != "" {
		field = "password_file"
	}
	switch {
	case err != nil:
		report(field, "%v", err)
	case m.User != "" && password == "":
		report(field,
			"there is a user and no password; name the variable of the environment, or the file, that holds it")
	case m.User == "" && password != "":
		report("user", "there is a password and no user; name the user to log in with")
	}
	return errors.Join(wrong...)
}

// isHere says whether a host is this machine.
func isHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// CheckAddress says what is wrong with an address that mail is to be sent to or from: it has no
// name before it and is ASCII, since not every server on its way takes more.
func CheckAddress(address string) error {
	parsed, err := netmail.ParseAddress(address)
	if err != nil || parsed.Address != address || len(address) > 254 ||
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%q is no address; write it like desk@example.com", address)
	}
	return nil
}

// Message is one to send.
type Message struct {
	ID      string // unique to the message and the same at each try; its Message-ID is made of it
	To      string // an address of the owner's
	Subject string // one line; what would end it is left out
	Text    string // plain
	Time    time.Time
}

// Mailer sends mail through a server. It may be used from many goroutines.
type Mailer struct {
	server         MailServer
	host, password string
	roots          *x509.CertPool
}

// NewMailer returns a mailer. roots are the authorities that the server's certificate is checked
// against, nil for the machine's. The error is that of Check.
func NewMailer(server MailServer, roots *x509.CertPool) (*Mailer, error) {
	if err := server.Check(); err != nil {
		return nil, err
	}
	password, err := ReadSecret(server.PasswordEnv, server.PasswordFile)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(server.Server)
	return &Mailer{server, host, password, roots}, err
}

// sendFor is how long sending may take.
const sendFor = 30 * time.Second

// Send sends a message. When it gives no error the server has taken it; when it gives one the
// server may have taken it all the same, and a second try has the same Message-ID. The error tells
// the step and the server's code, and no text of the server, which may repeat what it was sent.
func (m *Mailer) Send(ctx context.Context, message Message) error {
	letter, err := m.letter(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendFor)
	defer cancel()
	conn, err := m.dial(ctx)
	if err != nil {
		return fail.Caused(mailFails,
			errors.New("the mail server cannot be reached, or is not the one that its certificate names"))
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	client, err := smtp.NewClient(conn, m.host)
	if err != nil {
		return stepError("greets with no reply", err)
	}
	if err := m.open(client); err != nil {
		return err
	}
	if err := client.Mail("<" + m.server.From + ">"); err != nil {
		return stepError("does not take the sender", err)
	}
	if err := client.Rcpt("<" + message.To + ">"); err != nil {
		return stepError("does not take the recipient", err)
	}
	if err := hand(client, letter); err != nil {
		return err
	}
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	_ = client.Quit() // the message has been taken, whatever is said of that
	return nil
}

// mailFails is the cause of a mail that was not sent.
const mailFails = "mail"

func stepError(what string, err error) error {
	var reply *textproto.Error
	if errors.As(err, &reply) {
		return fail.Caused(mailFails, fmt.Errorf("the mail server %s (code %d)", what, reply.Code))
	}
	return fail.Caused(mailFails, fmt.Errorf("the mail server %s, or the connection broke", what))
}

func (m *Mailer) dial(ctx context.Context) (net.Conn, error) {
	if m.server.TLS == tlsImplicit {
		return (&tls.Dialer{Config: m.config()}).DialContext(ctx, "tcp", m.server.Server)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", m.server.Server)
}

func (m *Mailer) config() *tls.Config {
	return &tls.Config{ServerName: m.host, RootCAs: m.roots, MinVersion: tls.VersionTLS12}
}

// open greets, encrypts and logs in.
func (m *Mailer) open(client *smtp.Client) error {
	if err := client.Hello("localhost"); err != nil {
		return stepError("does not take a greeting", err)
	}
	if m.server.TLS == "" || m.server.TLS == tlsStart {
		if offered, _ := client.Extension("STARTTLS"); !offered {
			return fail.Caused(mailFails, errors.New("the mail server offers no encryption; write tls: implicit if "+
				"its port is for TLS from the start"))
		}
		if err := client.StartTLS(m.config()); err != nil {
			return stepError("does not encrypt, or is not the one that its certificate names", err)
		}
	}
	if m.server.User == "" {
		return nil
	}
	auth, err := m.auth(client)
	if err != nil {
		return err
	}
	if err := client.Auth(auth); err != nil {
		return stepError("does not take user and password", err)
	}
	return nil
}

// auth chooses how to log in. Without encryption, which is on this machine, the password goes as it
// is.
func (m *Mailer) auth(client *smtp.Client) (smtp.Auth, error) {
	_, offered := client.Extension("AUTH")
	ways, open := strings.Fields(strings.ToUpper(offered)), m.server.TLS == tlsNone
	switch {
	case slices.Contains(ways, "SCRAM-SHA-256"):
		return smtp.ScramSHA256Auth(m.server.User, m.password), nil
	case slices.Contains(ways, "PLAIN"):
		return smtp.PlainAuth("", m.server.User, m.password, m.host, open), nil
	case slices.Contains(ways, "LOGIN"):
		return smtp.LoginAuth(m.server.User, m.password, m.host, open), nil
	}
	return nil, errors.New("the mail server has no way to log in that is known here: SCRAM-SHA-256, PLAIN or LOGIN")
}

// hand hands a letter over.
func hand(client *smtp.Client, letter *mail.Msg) error {
	w, err := client.Data()
	if err != nil {
		return stepError("does not take a message", err)
	}
	_, err = letter.WriteTo(w)
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return stepError("did not take the message", err)
	}
	return nil
}

// maxSubject is the most characters of a subject.
const maxSubject = 200

// letter writes a message as plain text in UTF-8, quoted-printable.
func (m *Mailer) letter(message Message) (*mail.Msg, error) {
	if err := CheckAddress(message.To); err != nil {
		return nil, err
	}
	letter := mail.NewMsg(mail.WithEncoding(mail.EncodingQP), mail.WithNoDefaultUserAgent())
	if err := errors.Join(letter.From(m.server.From), letter.To(message.To)); err != nil {
		return nil, errors.New("the sender or the recipient is no address")
	}
	sum := sha256.Sum256([]byte(message.ID))
	_, domain, _ := strings.Cut(m.server.From, "@")
	letter.SetMessageIDWithValue(hex.EncodeToString(sum[:16]) + "@" + domain)
	letter.SetDateWithValue(message.Time)
	letter.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834, so that nobody's absence answers
	letter.Subject(oneLine(message.Subject, maxSubject))
	letter.SetBodyString(mail.TypeTextPlain, message.Text)
	return letter, nil
}

// oneLine is a text in one line of so many characters at most, without what is no letter.
func oneLine(text string, most int) string {
	line := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))), " ")
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}
