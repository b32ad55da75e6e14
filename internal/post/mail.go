package post

import "time"

// MailServer is the owner's SMTP server.
type MailServer struct {
	// Server is host and port, such as `smtp.example.com:587`. Without it no mail is sent.
	Server string `yaml:"server"`
	// TLS is `starttls` (usual on port 587), `implicit` (usual on port 465), or `none`, which is allowed on this machine
	// alone.
	TLS string `yaml:"tls"`
	// User is the name to log in with; without it nobody logs in.
	User string `yaml:"user"`
	// PasswordEnv names the variable of the environment that holds the password.
	PasswordEnv string `yaml:"password_env"`
	// PasswordFile is a file that holds the password.
	PasswordFile string `yaml:"password_file"`
	// From is the sender's address, such as `desk@example.com`.
	From string `yaml:"from"`
}

// Message is one to send.
type Message struct {
	ID      string // unique to the message and the same at each try; its Message-ID is made of it
	To      string // an address of the owner's
	Subject string
	Text    string // plain
	Time    time.Time
}
