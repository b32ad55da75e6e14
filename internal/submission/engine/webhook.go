package engine

import "time"

// Webhook asks a server of the owner's what to offer. docs/offers.md says what is sent and what is to be answered.
type Webhook struct {
	// URL is where submissions are posted to.
	URL string `yaml:"url"`
	// SecretEnv names the variable of the environment that holds the secret with which requests are signed, in the form
	// of Standard Webhooks: `whsec_` and 24 to 64 bytes in Base64.
	SecretEnv string `yaml:"secret_env"`
	// SecretFile is a file that holds the secret.
	SecretFile string `yaml:"secret_file"`
	// Timeout is how long an answer may take, from `100ms` to `9s`; without it, 8 seconds. Agents are promised an answer
	// within ten.
	Timeout time.Duration `yaml:"timeout"`
}
