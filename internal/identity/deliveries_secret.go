package identity

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/wire/sign"
)

// makeDelivery makes the secret part of a key.
func makeDelivery(form sign.URLForm) ([]byte, error) {
	if form == sign.URLCloudFront {
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		return x509.MarshalPKCS8PrivateKey(private)
	}
	secret := make([]byte, secretSize)
	rand.Read(secret)
	return secret, nil
}

// ParseDeliverySecret reads the secret part of a key that was made elsewhere: a private key in PEM
// for cloudfront (PKCS #8, PKCS #1 or SEC 1), and otherwise a secret, as text, in base64 or in hex;
// without an encoding as the form's users write it, which is base64 for fastly and hex for the
// others.
func ParseDeliverySecret(form sign.URLForm, text []byte, encoding string) (secret []byte, err error) {
	line := strings.TrimSpace(string(text))
	if form == sign.URLCloudFront {
		return parsePrivate([]byte(line))
	}
	if encoding == "" {
		encoding = "hex"
		if form == sign.URLFastly {
			encoding = "base64"
		}
	}
	switch encoding {
	case "text":
		secret = []byte(line)
	case "base64":
		secret, err = base64.StdEncoding.DecodeString(line)
	case "hex":
		secret, err = hex.DecodeString(line)
	default:
		return nil, fail.New(fail.Invalid, "%q is no encoding; there are text, base64 and hex", encoding)
	}
	if err != nil {
		return nil, fail.New(fail.Invalid, "the secret is no %s", encoding)
	}
	return secret, nil
}

// parsePrivate reads a private key in PEM, and gives it as PKCS #8.
func parsePrivate(text []byte) ([]byte, error) {
	none := fail.New(fail.Invalid, "this is no private key in PEM that is not encrypted; see `openssl pkey -in "+
		"FILE -text`")
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, none
	}
	var key any
	var err error
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	default:
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, none
	}
	return x509.MarshalPKCS8PrivateKey(key)
}

// opened is the key with its secret part.
func (k DeliveryKey) opened(secret []byte) (sign.URLKey, error) {
	key := sign.URLKey{Form: k.Form, ID: k.Name, Ends: k.Ends}
	if k.Form != sign.URLCloudFront {
		key.Secret = secret
		return key, nil
	}
	private, err := x509.ParsePKCS8PrivateKey(secret)
	if err != nil {
		return key, err
	}
	key.Signer, _ = private.(crypto.Signer)
	return key, nil
}

// shown is what the other side has to know of a key that was just made.
func (k DeliveryKey) shown(secret []byte, key sign.URLKey) (string, error) {
	switch {
	case k.Form == sign.URLCloudFront:
		public, err := x509.MarshalPKIXPublicKey(key.Signer.Public())
		return strings.TrimSpace(string(pem.EncodeToMemory(&pem.Block{Type: pemPublic, Bytes: public}))), err
	case k.Imported:
		return "", nil
	case k.Form == sign.URLFastly:
		return base64.StdEncoding.EncodeToString(secret), nil
	}
	return hex.EncodeToString(secret), nil
}
