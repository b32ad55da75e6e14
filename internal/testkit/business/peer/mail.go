package main

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"strings"
)

// mail is how mail is taken.
type mail struct {
	// Mode is what it does at a Stage: "stall" says nothing more, "cut" closes the connection,
	// "flood" never ends its reply, "refuse" replies with Code. The stages are greeting, ehlo,
	// starttls, auth, mail, rcpt, data, body and quit.
	Mode  string `json:"mode"`
	Stage string `json:"stage"`
	Code  int    `json:"code"`
	// NoStartTLS does not offer encryption.
	NoStartTLS bool `json:"no_starttls"`
	// User and Password are whom it lets in; without them it asks nobody.
	User     string `json:"user"`
	Password string `json:"password"`
	// Times is how many connections it behaves so; 0 is all.
	Times int `json:"times"`
}

type letter struct {
	From string   `json:"from"`
	To   []string `json:"to"`
	Text string   `json:"text"`
	TLS  bool     `json:"tls"`
	User string   `json:"user"`
}

func (p *peer) takeMail(l net.Listener, secure bool) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			if secure {
				conn = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{p.certificate}})
			}
			p.mu.Lock()
			how := p.Mail
			if how.Times > 0 {
				if p.Mail.Times--; p.Mail.Times == 0 {
					p.Mail = mail{}
				}
			}
			p.mu.Unlock()
			t := &talk{peer: p, how: how, conn: conn, in: bufio.NewReader(conn)}
			t.TLS = secure
			t.run()
		}()
	}
}

// talk is one connection.
type talk struct {
	letter
	peer *peer
	how  mail
	conn net.Conn
	in   *bufio.Reader
}

// at replies at a stage, and says whether to go on.
func (t *talk) at(stage, reply string) bool {
	if t.how.Stage != stage {
		_, err := fmt.Fprint(t.conn, reply)
		return err == nil
	}
	switch t.how.Mode {
	case "stall":
		t.in.ReadByte() // until the other side goes
		for {
			if _, err := t.in.ReadByte(); err != nil {
				return false
			}
		}
	case "cut":
		return false
	case "flood":
		for {
			if _, err := fmt.Fprint(t.conn, "250-and so on\r\n"); err != nil {
				return false
			}
		}
	case "refuse":
		_, err := fmt.Fprintf(t.conn, "%d told to refuse\r\n", t.how.Code)
		return err == nil && stage != "greeting"
	}
	_, err := fmt.Fprint(t.conn, reply)
	return err == nil
}

func (t *talk) refuses(stage string) bool { return t.how.Stage == stage && t.how.Mode == "refuse" }

func (t *talk) run() {
	if !t.at("greeting", "220 business.example ESMTP\r\n") {
		return
	}
	for {
		line, err := t.in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		verb, rest, _ := strings.Cut(line, " ")
		if !t.command(strings.ToUpper(verb), rest) {
			return
		}
	}
}

func (t *talk) command(verb, rest string) bool {
	switch verb {
	case "EHLO", "HELO":
		return t.at("ehlo", t.extensions())
	case "STARTTLS":
		if !t.at("starttls", "220 go on\r\n") || t.refuses("starttls") {
			return t.refuses("starttls")
		}
		t.conn = tls.Server(t.conn, &tls.Config{Certificates: []tls.Certificate{t.peer.certificate}})
		t.in, t.TLS = bufio.NewReader(t.conn), true
		return true
	case "AUTH":
		return t.login(rest)
	case "MAIL":
		t.From = rest
		return t.at("mail", "250 ok\r\n")
	case "RCPT":
		t.To = append(t.To, rest)
		return t.at("rcpt", "250 ok\r\n")
	case "DATA":
		if t.refuses("data") {
			return t.at("data", "")
		}
		return t.at("data", "354 go on\r\n") && t.body()
	case "QUIT":
		t.at("quit", "221 bye\r\n")
		return false
	}
	return t.at("other", "250 ok\r\n")
}

func (t *talk) extensions() string {
	lines := []string{"business.example", "8BITMIME"}
	if !t.TLS && !t.how.NoStartTLS {
		lines = append(lines, "STARTTLS")
	}
	if t.how.User != "" {
		lines = append(lines, "AUTH PLAIN LOGIN")
	}
	var b strings.Builder
	for i, line := range lines {
		sign := "-"
		if i == len(lines)-1 {
			sign = " "
		}
		b.WriteString("250" + sign + line + "\r\n")
	}
	return b.String()
}

// login takes PLAIN with the credentials at once.
func (t *talk) login(rest string) bool {
	_, encoded, _ := strings.Cut(rest, " ")
	text, _ := base64.StdEncoding.DecodeString(encoded)
	if string(text) != "\x00"+t.how.User+"\x00"+t.how.Password {
		_, err := fmt.Fprint(t.conn, "535 wrong "+string(text)+"\r\n") // some servers repeat what they were sent
		return err == nil
	}
	t.User = t.how.User
	return t.at("auth", "235 ok\r\n")
}

// body takes a letter.
func (t *talk) body() bool {
	var b strings.Builder
	for {
		line, err := t.in.ReadString('\n')
		if err != nil {
			return false
		}
		if strings.TrimRight(line, "\r\n") == "." {
			break
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
	if !t.refuses("body") {
		t.Text = b.String()
		t.peer.mu.Lock()
		t.peer.Letters = append(t.peer.Letters, t.letter)
		t.peer.mu.Unlock()
	}
	return t.at("body", "250 taken\r\n")
}
