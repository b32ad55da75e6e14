package botauth

import (
	"crypto/ed25519"
	"fmt"
	"net/url"
	"strings"
	"time"

	"frontdesk/wire/sign"
)

// signerLabel is that of the signatures made here, and of their member of Signature-Agent.
const signerLabel = "bot"

// Own is how a signer says who it is: where its keys are published, and the one it signs with.
type Own struct {
	Directory string // an https address
	Key       ed25519.PrivateKey
}

// Sign adds the agent's signature to the header of a request (§5.2). It covers the method, the
// authority and the path, so that who overhears it can repeat no other request, for five minutes.
// The nonce is to be random. A request that has a signature of Web Bot Auth, or that is not made
// over https, stays as it is (§6.1).
func (o Own) Sign(r sign.Request, nonce string, now time.Time) error {
	if Signed(r.Header) || !strings.HasPrefix(strings.ToLower(r.Target), "https://") {
		return nil
	}
	r.Header[HeaderAgent] = append(r.Header[HeaderAgent], fmt.Sprintf("%s=%q", signerLabel, o.Directory))
	input, signature, err := sign.SignHTTP(r, sign.SigningParameters{
		Label: signerLabel, KeyID: Thumbprint(o.Key.Public().(ed25519.PublicKey)), Created: now, Tag: Tag, Nonce: nonce,
		Covered: []string{
			sign.ComponentMethod, sign.ComponentAuthority, "@path",
			fmt.Sprintf("%s;key=%q", componentAgent, signerLabel),
		},
	}, o.Key)
	if err != nil {
		return err
	}
	r.Header[sign.HeaderSignatureInput] = append(r.Header[sign.HeaderSignatureInput], input)
	r.Header[sign.HeaderSignatureOfHTTP] = append(r.Header[sign.HeaderSignatureOfHTTP], signature)
	return nil
}

// DirectoryAt is the address of the directory of an agent whose public address is given, which may
// have a path: empty where that is no https address, since no directory is read elsewhere.
func DirectoryAt(address string) string {
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(u.Scheme, "https") || u.Hostname() == "" || u.User != nil {
		return ""
	}
	u.RawQuery, u.Fragment = "", ""
	return u.JoinPath(DirectoryPath).String()
}
