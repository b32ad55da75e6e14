package rampapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/ramp"
	"frontdesk/wire/strictjson"
)

// RegisterPath is where requesters sign up by themselves (RAMP v1, self sign-up).
const RegisterPath = "/exchange/v1/requesters/register"

// maxRegistration is how many bytes a sign-up may have.
const maxRegistration = 4 << 10

// registered is the answer to a sign-up.
type registered struct {
	RequesterID string `json:"requester_id"`
	Domain      string `json:"domain"`
	Account     string `json:"account"`
	SignUp      string `json:"sign_up"`
	State       string `json:"state"`
}

// SignUp signs a requester up, and says whether the registration was made now.
type SignUp func(ctx context.Context, domain, id string) (made requesters.Registration, fresh bool, err error)

// Register answers sign-ups by sign. Members that are not known are passed over.
func Register(sign SignUp) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			RequesterID string                      `json:"requester_id"`
			Domain      string                      `json:"domain"`
			Others      map[string]strictjson.Value `json:",embed"`
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRegistration))
		if err != nil {
			WriteError(w, r, unread(r, err))
			return
		}
		if err := strictjson.DecodeTolerant(body, &asked); err != nil {
			var wrong *strictjson.Error
			if errors.As(err, &wrong) {
				err = fail.New(fail.Malformed, "%v; send {\"requester_id\": \"...\", \"domain\": \"...\"}", wrong)
			}
			WriteError(w, r, err)
			return
		}
		text, fresh, err := sign.told(r.Context(), asked.Domain, asked.RequesterID)
		if err != nil {
			WriteError(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if fresh {
			w.WriteHeader(http.StatusCreated)
		}
		w.Write(append(text, '\n'))
	})
}

// told signs a requester up and tells of it.
func (sign SignUp) told(ctx context.Context, domain, id string) (text []byte, fresh bool, err error) {
	made, fresh, err := sign(ctx, domain, id)
	if err != nil {
		return nil, false, err
	}
	httpx.EventFrom(ctx).Set("party", "requester:"+made.Domain)
	text, err = json.Marshal(registered{made.ID, made.Domain, made.Account(), made.SignUp, made.Status})
	return text, fresh, err
}

// DeclareVerifier makes ramp-verifier.json of a host (RAMP v1).
func DeclareVerifier(host, name string, claims map[string]wire.Claim, keys []wire.Key) (*httpx.Document, error) {
	return ready(wire.WriteVerifierKeys(host, name, claims, keys))
}

// DeclareAgent makes ramp-agent.json out of its text.
func DeclareAgent(text []byte) (*httpx.Document, error) { return ready(text, nil) }
