package notify

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/testkit/business"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

func TestMain(m *testing.M) { business.Main(m) }

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

const (
	password = "p4ssword of the mail server"
	personal = "mark-7f3a@person.example"
)

func mailer(t *testing.T, b *business.Business, how string) *Mailer {
	t.Helper()
	t.Setenv("POST_PASSWORD", password)
	server := MailServer{Server: b.SMTP, TLS: how, User: "desk", PasswordEnv: "POST_PASSWORD",
		From: "desk@shop.example"}
	if how == tlsImplicit {
		server.Server = b.TLS
	}
	m, err := NewMailer(server, b.CA)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func letter() Message {
	return Message{ID: "bind/1", To: "owner@shop.example", Subject: "Accepted: Ölwechsel",
		Text: "email: " + personal + "\n.\n.leading dot\nÄ = 3\n", Time: noon}
}

// read takes a mail apart.
func read(t *testing.T, l business.Letter) (header mail.Header, text string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(l.Text))
	if err != nil {
		t.Fatalf("no mail: %v\n%s", err, l.Text)
	}
	body := m.Body
	if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	read, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return m.Header, strings.ReplaceAll(string(read), "\r\n", "\n")
}

func TestMailIsSentEncryptedAsWritten(t *testing.T) {
	b := business.Start(t)
	for _, how := range []string{"", tlsStart, tlsImplicit, tlsNone} {
		t.Run("tls "+how, func(t *testing.T) {
			b.Set(business.Behaviour{Mail: business.Mail{User: "desk", Password: password}})
			m := mailer(t, b, how)
			for range 2 { // a second try looks the same
				if err := m.Send(t.Context(), letter()); err != nil {
					t.Fatal(err)
				}
			}
			taken := b.Letters()
			if len(taken) != 2 || taken[0].Text != taken[1].Text {
				t.Fatalf("%+v", taken)
			}
			l := taken[0]
			if l.TLS != (how != tlsNone) || l.User != "desk" ||
				!strings.HasPrefix(l.From, "FROM:<desk@shop.example>") || len(l.To) != 1 ||
				l.To[0] != "TO:<owner@shop.example>" {
				t.Errorf("%+v", l)
			}
			header, text := read(t, l)
			if text != letter().Text {
				t.Errorf("the text is %q", text)
			}
			subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
			if err != nil || subject != letter().Subject || header.Get("Auto-Submitted") != "auto-generated" ||
				!strings.HasSuffix(header.Get("Message-Id"), "@shop.example>") ||
				!strings.HasPrefix(header.Get("Content-Type"), "text/plain") || header.Get("Date") == "" {
				t.Errorf("%q, %v: %v", subject, err, header)
			}
		})
	}
}

func TestNobodyWritesHeadersIntoAMail(t *testing.T) {
	b := business.Start(t)
	m := mailer(t, b, tlsStart)
	m.server.User = ""
	for _, evil := range []string{"Hi\r\nBcc: all@person.example", "Hi\nBcc: all@person.example\n\nbody", "Hi\rBcc: x",
		"Hi\x00", "Hi\u2028Bcc: x", strings.Repeat("long ", 500), "=?utf-8?q?=0D=0ABcc:_x?="} {
		b.Set(business.Behaviour{})
		message := letter()
		message.Subject, message.ID = evil, evil
		if err := m.Send(t.Context(), message); err != nil {
			t.Fatal(err)
		}
		header, text := read(t, b.Letters()[0])
		if len(header) != 9 || header.Get("Bcc") != "" || text != letter().Text {
			t.Errorf("%q gives %v", evil, header)
		}
	}
	for _, to := range []string{"a@b.example\r\nRCPT TO:<c@d.example>", "a@b.example, c@d.example",
		"Anna <a@b.example>", "", "a", "a b@c.example", "ä@b.example"} {
		b.Set(business.Behaviour{})
		message := letter()
		message.To = to
		if err := m.Send(t.Context(), message); err == nil || len(b.Letters()) > 0 {
			t.Errorf("%q was sent to: %v", to, err)
		}
	}
}

// TestAMailServerThatMisbehavesIsAnError has it stall, cut, flood, refuse and lie at each step.
// What is said of it holds neither the password nor what was to be sent.
func TestAMailServerThatMisbehavesIsAnError(t *testing.T) {
	b := business.Start(t)
	m := mailer(t, b, tlsStart)
	check := func(t *testing.T, err error, taken bool) {
		t.Helper()
		if (err == nil) != taken || len(b.Letters()) > 1 {
			t.Errorf("%v", err)
		}
		if err != nil &&
			(strings.Contains(err.Error(), personal) || strings.Contains(err.Error(), password) ||
				strings.Contains(err.Error(), "told to")) {
			t.Errorf("the error repeats what was sent: %v", err)
		}
	}
	for _, stage := range []string{"greeting", "ehlo", "starttls", "auth", "mail", "rcpt", "data", "body", "quit"} {
		for _, mode := range []string{"cut", "refuse", "stall", "flood"} {
			t.Run(mode+" at "+stage, func(t *testing.T) {
				b.Set(business.Behaviour{Mail: business.Mail{Mode: mode, Stage: stage, Code: 550, User: "desk",
					Password: password}})
				if mode == "cut" || mode == "refuse" {
					check(t, m.Send(t.Context(), letter()), stage == "quit")
					return
				}
				ctx, cancel := contextOf(t)
				defer cancel()
				check(t, m.Send(ctx, letter()), stage == "quit")
			})
		}
	}
	t.Run("no encryption offered", func(t *testing.T) {
		b.Set(business.Behaviour{Mail: business.Mail{NoStartTLS: true, User: "desk", Password: password}})
		check(t, m.Send(t.Context(), letter()), false)
	})
	t.Run("a wrong password, which it repeats", func(t *testing.T) {
		b.Set(business.Behaviour{Mail: business.Mail{User: "desk", Password: "another"}})
		check(t, m.Send(t.Context(), letter()), false)
	})
	t.Run("a certificate that nobody vouches for", func(t *testing.T) {
		b.Set(business.Behaviour{})
		stranger := *m
		stranger.roots = nil
		check(t, stranger.Send(t.Context(), letter()), false)
	})
	t.Run("nobody there", func(t *testing.T) {
		b.Kill()
		if err := m.Send(t.Context(), letter()); err == nil {
			t.Error("it was sent")
		}
	})
}

func TestAMailServerIsCheckedBeforeItIsUsed(t *testing.T) {
	t.Setenv("POST_PASSWORD", password)
	good := MailServer{Server: "smtp.example.com:587", User: "desk", PasswordEnv: "POST_PASSWORD",
		From: "desk@example.com"}
	for _, c := range []struct {
		field  string
		change func(*MailServer)
	}{
		{"", func(*MailServer) {}},
		{"", func(m *MailServer) { m.User, m.PasswordEnv = "", "" }},
		{"", func(m *MailServer) { m.Server, m.TLS = "localhost:25", "none" }},
		{"server", func(m *MailServer) { m.Server = "smtp.example.com" }},
		{"tls", func(m *MailServer) { m.TLS = "none" }},
		{"tls", func(m *MailServer) { m.TLS = "ssl" }},
		{"from", func(m *MailServer) { m.From = "Desk <desk@example.com>" }},
		{"password_env", func(m *MailServer) { m.PasswordEnv = "" }},
		{"password_env", func(m *MailServer) { m.PasswordEnv = "POST_NOT_THERE" }},
		{"password_file", func(m *MailServer) { m.PasswordFile = "x" }},
		{"user", func(m *MailServer) { m.User = "" }},
	} {
		m := good
		c.change(&m)
		err := m.Check()
		if (err == nil) != (c.field == "") || err != nil && !strings.HasPrefix(err.Error(), c.field+": ") {
			t.Errorf("%+v: %v", m, err)
		}
		if _, made := NewMailer(m, nil); (made == nil) != (err == nil) {
			t.Errorf("%+v: checked %v, made %v", m, err, made)
		}
	}
}

func acceptance() Acceptance {
	return Acceptance{
		Intake: "trial", OfferID: "offer-1", SessionID: "4b1e", AgentID: "agent-1\nOffer:     another",
		Platform: "anthropic", BoundAt: noon.Add(time.Millisecond), Summary: "Two jars.\n\nReceipt:   forged",
		Details: strictjson.Value(`{"jars":2}`), BindData: strictjson.Value(`{"email":"` + personal + `","full_name":"Anna\r\nReceipt:   forged\u001b[2J","address":{"city":"Tidewater"}}`), Receipt: "r-1",
	}
}

func TestAnAcceptanceIsToldWhole(t *testing.T) {
	t.Parallel()
	event, err := acceptance().Event()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"intake.bound","timestamp":"2027-05-04T12:00:00Z","data":{"intake":"trial","offer_id":"offer-1","session_id":"4b1e","agent_id":"agent-1\nOffer:     another",` +
		`"platform":"anthropic","bound_at":"2027-05-04T12:00:00Z","summary":"Two jars.\n\nReceipt:   forged","details":{"jars":2},"bind_data":{"email":"` + personal +
		`","full_name":"Anna\r\nReceipt:   forged\u001b[2J","address":{"city":"Tidewater"}},"receipt":"r-1"}}`
	if string(event) != want {
		t.Errorf("got  %s\nwant %s", event, want)
	}
	if !json.Valid(event) {
		t.Error("no JSON")
	}
}

func TestWhatOthersWroteLooksLikeNothingOfOurs(t *testing.T) {
	t.Parallel()
	text := acceptance().Text()
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "forged") && !strings.HasPrefix(line, "    ") ||
			strings.HasPrefix(line, "Offer:") && !strings.Contains(line, "offer-1") ||
			strings.ContainsRune(line, '\u001b') {
			t.Errorf("%q", line)
		}
	}
	for _, part := range []string{"\nReceipt:   r-1\n", "    email: " + personal, `    address: {"city":"Tidewater"}`,
		"    jars: 2", "Agent:     agent-1 Offer: another", "Accepted:  2027-05-04 12:00 UTC"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

func TestAHookIsSignedAndFollowsNobody(t *testing.T) {
	t.Parallel()
	b := business.Start(t)
	secret, err := sign.ParseWebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	hook := &Webhook{URL: b.URL, Secret: secret, Fetcher: fetch.New(fetch.Options{}), Now: func() time.Time {
		return noon
	}}
	event, _ := acceptance().Event()
	response, err := hook.Post(t.Context(), "bind/offer-1", event)
	if err != nil || response.Status != 200 {
		t.Fatal(response, err)
	}
	got := b.Requests()[0]
	if got.Header.Get("webhook-id") != "bind/offer-1" || got.Header.Get("webhook-timestamp") != "1809432000" ||
		got.Header.Get("Content-Type") != "application/json" ||
		got.Header.Get("webhook-signature") != secret.Sign("bind/offer-1", noon, []byte(got.Body)) ||
		got.Body != string(event) {
		t.Errorf("%+v", got)
	}
	b.Set(business.Behaviour{Hook: business.Hook{Mode: "redirect", Location: b.URL}})
	if _, err := hook.Post(t.Context(), "bind/offer-1", event); err == nil || len(b.Requests()) != 1 {
		t.Errorf("a redirect was followed, with what is personal: %v", err)
	}
}

// contextOf gives a sender so little time that a server which does nothing is noticed.
func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 200*time.Millisecond)
}
