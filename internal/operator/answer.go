package operator

import (
	"context"
	"time"

	"frontdesk/internal/identity"
)

// Answers are tokens with which challenges of this front desk's own domains are answered (RAMP v1,
// domain verification).
const answersPath = "/admin/answers"

var answerOperations = []Operation{
	Define[ListAnswers]("answers", "GET", answersPath,
		"List with which tokens challenges of this front desk's own domains are answered now"),
	Define[PutAnswer]("putAnswer", "POST", answersPath,
		"Have a challenge of one of this front desk's own domains be answered with a token (RAMP v1, domain "+
			"verification)"),
	Define[RemoveAnswer]("removeAnswer", "DELETE", answersPath+"/{domain}/{token}",
		"Have a challenge not be answered any more"),
}

// Answers are the tokens.
type Answers struct {
	*identity.ChallengeResponses
	// Own gives a domain of this front desk's own as its requests name it; ok is false for others.
	Own func(domain string) (host string, ok bool)
}

// own is a domain of this front desk's own.
func (a Answers) own(domain string) (string, error) {
	host, ok := a.Own(domain)
	if !ok {
		return "", invalid("%.100q is no domain at which this front desk answers; "+
			"give the token to whoever serves it", domain)
	}
	return host, nil
}

// Answer is a token with which challenges are answered.
type Answer struct {
	Domain  string `json:"domain" required:""`     // one of this front desk's own
	Token   string `json:"token" required:""`      // as an Exchange gave it: 8 to 256 letters, digits, and -_.~=+
	Expires string `json:"expires_at" required:""` // until when it is answered, an hour from now at the most
}

func showAnswer(r identity.ChallengeResponse) Answer {
	return Answer{r.Domain, r.Token, r.Ends.UTC().Format(time.RFC3339)}
}

// ListAnswers lists the tokens.
type ListAnswers struct{}

// AnswerList is all tokens.
type AnswerList struct {
	Answers []Answer `json:"answers"`
}

func (ListAnswers) Do(ctx context.Context, o *Operator) (AnswerList, error) {
	all, err := o.Answers.List(ctx)
	return AnswerList{each(all, showAnswer)}, err
}

// PutAnswer has a challenge be answered.
type PutAnswer struct{ Answer }

// PutInAnswer is a token that was put in.
type PutInAnswer struct{ Answer }

// Fresh says that it was put in.
func (PutInAnswer) Fresh() bool { return true }

func (in PutAnswer) Do(ctx context.Context, o *Operator) (out PutInAnswer, err error) {
	host, err := o.Answers.own(in.Domain)
	if err != nil {
		return out, err
	}
	ends, err := time.Parse(time.RFC3339, in.Expires)
	if err != nil {
		return out, invalid("expires_at: %.40q is no time; write it as the Exchange did, like 2026-12-01T12:00:00Z",
			in.Expires)
	}
	one := identity.ChallengeResponse{Domain: host, Token: in.Token, Ends: ends}
	return PutInAnswer{showAnswer(one)}, o.Answers.Put(ctx, one)
}

// RemoveAnswer has a challenge not be answered any more.
type RemoveAnswer struct {
	Domain string `json:"-" path:"domain" arg:"" help:"A domain of this front desk's own."`
	Token  string `json:"-" path:"token" arg:"" help:"The token."`
}

func (in RemoveAnswer) Do(ctx context.Context, o *Operator) (Removed, error) {
	host, err := o.Answers.own(in.Domain)
	if err != nil {
		return Removed{}, err
	}
	return Removed{host}, o.Answers.Remove(ctx, host, in.Token)
}
