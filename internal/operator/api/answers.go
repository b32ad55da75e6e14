package api

import (
	"net/http"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
)

// Where the operator's programs say with which tokens challenges of this front desk's own domains are answered (RAMP v1, domain verification).
const (
	AnswerList = "/admin/answers"
	AnswerOne  = AnswerList + "/{domain}/{token}"
)

// Answers is what the door needs to know of them.
type Answers struct {
	Answers *identity.ChallengeResponses
	// Own gives a domain of this front desk's own as its requests name it; ok is false for others.
	Own func(domain string) (host string, ok bool)
}

// answerForm is a token as a request has it, and as it is told.
type answerForm struct {
	Domain  string `json:"domain"`
	Token   string `json:"token"`
	Expires string `json:"expires_at"`
}

// AnswersHandler answers at AnswerList and AnswerOne: GET lists the tokens, POST puts one in, and DELETE takes one out.
func AnswersHandler(c Answers) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		if r.Pattern == AnswerOne {
			return byMethod(w, r, methods{http.MethodDelete: func(_ http.ResponseWriter, r *http.Request) (int, any, error) {
				host, ok := c.Own(r.PathValue("domain"))
				if !ok {
					return 0, nil, errNotOwn(r.PathValue("domain"))
				}
				return http.StatusOK, map[string]string{"removed": host}, c.Answers.Remove(r.Context(), host, r.PathValue("token"))
			}})
		}
		return byMethod(w, r, methods{http.MethodGet: c.list, http.MethodPost: c.put})
	})
}

func errNotOwn(domain string) error {
	return fail.New(fail.Invalid, "%.100q is no domain at which this front desk answers; give the token to whoever serves it", domain)
}

func (c Answers) list(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	all, err := c.Answers.List(r.Context())
	list := struct {
		Answers []answerForm `json:"answers"`
	}{[]answerForm{}}
	for _, one := range all {
		list.Answers = append(list.Answers, answerForm{one.Domain, one.Token, one.Ends.Format(time.RFC3339)})
	}
	return http.StatusOK, list, err
}

func (c Answers) put(w http.ResponseWriter, r *http.Request) (int, any, error) {
	var asked answerForm
	if err := read(w, r, &asked); err != nil {
		return 0, nil, err
	}
	host, ok := c.Own(asked.Domain)
	if !ok {
		return 0, nil, errNotOwn(asked.Domain)
	}
	ends, err := time.Parse(time.RFC3339, asked.Expires)
	if err != nil {
		return 0, nil, fail.New(fail.Invalid, "expires_at: %.40q is no time; write it as the Exchange did, like 2026-12-01T12:00:00Z", asked.Expires)
	}
	if err := c.Answers.Put(r.Context(), identity.ChallengeResponse{Domain: host, Token: asked.Token, Ends: ends}); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, answerForm{host, asked.Token, ends.UTC().Format(time.RFC3339)}, nil
}
