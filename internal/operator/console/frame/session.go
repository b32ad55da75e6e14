package frame

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
)

// The cookies: of who is logged in, and of who has the form for it before them. Each holds random
// bits that stand for themselves; what is known of a session is in the database.
const (
	sessionCookie = "frontdesk_console"
	formCookie    = "frontdesk_console_form"
	// askCookie goes along with questions, so that those of who is logged in are known as the
	// owner's.
	askCookie = "frontdesk_console_ask"
)

// Visit is a request of somebody who is logged in.
type Visit struct {
	In     identity.Login
	secret string // of the session
	speech speech

	called func(party string) string
	names  map[string]string // what called said
}

// May says whether the visitor has a right.
func (v *Visit) May(right identity.Right) bool { return identity.May(v.In.Role, right) }

// Actor names the visitor in the ledger.
func (v *Visit) Actor() string { return "key:" + v.In.Key }

// Say is a text in the visitor's language, by its key in the words of pages.
func (v *Visit) Say(key string, args ...any) string { return must(v.speech.say(key, args...)) }

// Called is what whoever did something is called, by the party that stands for them: a person or
// program that has a key by its name.
func (v *Visit) Called(party string) string {
	if v.called == nil {
		return party
	}
	if _, known := v.names[party]; !known {
		v.names[party] = v.called(party)
	}
	return v.names[party]
}

// Language is the visitor's.
func (v *Visit) Language() string { return v.speech.Language() }

// Term is a word of a protocol, in the visitor's language: the text of a key that ends with it.
func (v *Visit) Term(key string, word any) string { return must(v.speech.term(key, word)) }

// Told is a text of a group, which a program stored in English, in the visitor's language.
func (v *Visit) Told(group, text string) string {
	says, _ := v.speech.told(group, text)
	return says
}

// Why is what an error says to the visitor.
func (v *Visit) Why(err error) template.HTML { return v.speech.why(err) }

// Cause says what something comes of, by a word of [fail.Cause], with what a program said of it.
func (v *Visit) Cause(cause, detail string) template.HTML { return v.speech.because(cause, detail) }

// Count is a text that counts something, in the visitor's language.
func (v *Visit) Count(key string, n int, args ...any) string {
	return must(v.speech.count(key, n, args...))
}

// Day writes a date in the visitor's language: "9 March 2026".
func (v *Visit) Day(t time.Time) string { return v.speech.Day(t) }

// Moment writes a date and a time, by UTC.
func (v *Visit) Moment(t time.Time) string { return t.UTC().Format(v.Say("frame.time_layout")) }

// csrf is the token that the forms of a session carry. It tells nothing of the secret that it is
// made of.
func (v *Visit) csrf() string { return formToken(v.secret) }

func formToken(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("form of the console"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Sheet is a page for the visitor.
func (v *Visit) Sheet(title, page string, body any) Sheet {
	return Sheet{Title: title, Page: page, In: &v.In, CSRF: v.csrf(), Body: body}
}

// inside lets a request through to a page if its sender is logged in and has the right, and posts
// only from our own forms.
func (f *Frame) inside(page Page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := f.visitor(r)
		switch {
		case err != nil:
			f.refuse(w, r, nil, err)
			return
		case v == nil:
			f.To(w, r, "login")
			return
		}
		httpx.EventFrom(r.Context()).Set("party", v.Actor())
		if r.Method == http.MethodPost {
			err = f.ours(r, v.secret)
		}
		if err == nil && !v.May(page.Right) {
			err = Fail(fail.Forbidden, "fault.right_"+string(page.Right))
		}
		if err == nil {
			err = page.Serve(w, r, v)
		}
		var other Elsewhere
		switch {
		case errors.As(err, &other):
			f.To(w, r, string(other))
		case err != nil:
			f.refuse(w, r, v, Unread(err))
		}
	}
}

// visitor is who sends a request; nil for who is not logged in.
func (f *Frame) visitor(r *http.Request) (*Visit, error) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return nil, nil
	}
	in, ok, err := f.Logins.Find(r.Context(), cookie.Value)
	if err != nil {
		unavailable := Fail(fail.Unavailable, "fault.logins")
		return nil, unavailable.Wrap(err)
	}
	if !ok {
		return nil, nil
	}
	return f.visit(r, in, cookie.Value), nil
}

// visit is a request of somebody who has a session.
func (f *Frame) visit(r *http.Request, in identity.Login, secret string) *Visit {
	called := func(party string) string { return f.Logins.Called(r.Context(), party) }
	return &Visit{In: in, secret: secret, speech: f.speech(r), called: called, names: map[string]string{}}
}

// Asks says whether a question comes from somebody who is logged in.
func (f *Frame) Asks(r *http.Request) bool {
	cookie, err := r.Cookie(askCookie)
	if err != nil {
		return false
	}
	_, ok, err := f.Logins.Find(r.Context(), cookie.Value)
	return ok && err == nil
}

// ours says whether a form was sent from a page of ours, which the secret of a cookie belongs to.
func (f *Frame) ours(r *http.Request, secret string) error {
	foreign := Fail(fail.Forbidden, "fault.foreign")
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		if site != "same-origin" {
			return foreign
		}
	} else if origin := r.Header.Get("Origin"); origin != "" && origin != originOf(f.PublicURL(r)) {
		return foreign
	}
	if err := r.ParseForm(); err != nil {
		return Fail(fail.Invalid, "fault.unreadable").Wrap(err)
	}
	if !hmac.Equal([]byte(r.PostForm.Get("form")), []byte(formToken(secret))) {
		return foreign
	}
	return nil
}

// originOf is the origin of an address, as browsers write it.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// setCookie sets one of our cookies, for our pages alone and until the browser ends or for a number
// of seconds. A negative number removes it.
func (f *Frame) setCookie(w http.ResponseWriter, r *http.Request, name, value string, seconds int) {
	path := f.Base(r)
	if name == askCookie {
		path = strings.TrimSuffix(path, Path) + "/ask"
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: path, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: strings.HasPrefix(f.PublicURL(r), "https:"),
	})
}

// setSession sets the cookies of a session, for a number of seconds, or removes them.
func (f *Frame) setSession(w http.ResponseWriter, r *http.Request, secret string, seconds int) {
	for _, name := range []string{sessionCookie, askCookie} {
		f.setCookie(w, r, name, secret, seconds)
	}
}

// showLogin draws the form, with a token of its own for every browser.
func (f *Frame) showLogin(w http.ResponseWriter, r *http.Request) {
	if v, err := f.visitor(r); err == nil && v != nil {
		f.To(w, r, "")
		return
	}
	f.loginForm(w, r, http.StatusOK, "")
}

// formSecret is what stands for a browser before anybody is logged in.
func (f *Frame) formSecret(w http.ResponseWriter, r *http.Request) string {
	secret := rand.Text()
	if known, err := r.Cookie(formCookie); err == nil && len(known.Value) == len(secret) {
		secret = known.Value // another tab may have the form, too
	}
	f.setCookie(w, r, formCookie, secret, 0)
	return secret
}

func (f *Frame) loginForm(w http.ResponseWriter, r *http.Request, status int, problem string) {
	secret := f.formSecret(w, r)
	f.Show(w, r, status, Sheet{
		Title: f.say(r, "frame.log_in"), Page: "login", CSRF: formToken(secret), Problem: Text(problem),
	})
}

// login begins a session for who has a token.
func (f *Frame) login(w http.ResponseWriter, r *http.Request) {
	form, err := r.Cookie(formCookie)
	if err != nil || f.ours(r, form.Value) != nil {
		f.loginForm(w, r, http.StatusForbidden, f.say(r, "frame.form_foreign"))
		return
	}
	// The right token is let in also where many wrong ones come from its address: nobody guesses
	// 130 random bits, and else whoever shares an address with the owner could lock the owner out.
	secret, in, err := f.Logins.Begin(r.Context(), r.PostForm.Get("token"), f.Session)
	switch {
	case err != nil && fail.From(err).Code == fail.Unauthorized && f.suspect(r):
		f.loginForm(w, r, http.StatusTooManyRequests, f.say(r, "frame.token_often"))
		return
	case err != nil && fail.From(err).Code == fail.Unauthorized:
		f.failed(r)
		f.loginForm(w, r, http.StatusUnauthorized, f.say(r, "frame.token_wrong"))
		return
	case err != nil:
		comeBack(w, err)
		f.loginForm(w, r, http.StatusServiceUnavailable, f.say(r, "frame.token_unknown"))
		return
	}
	f.Note(r, in, "logged in")
	f.setCookie(w, r, formCookie, "", -1)
	f.setSession(w, r, secret, int(f.Session.Seconds()))
	f.To(w, r, "")
}

// logout ends the session, wherever its cookie was copied to.
func (f *Frame) logout(w http.ResponseWriter, r *http.Request, v *Visit) error {
	if err := f.Logins.End(r.Context(), v.secret); err != nil {
		return Fail(fail.Unavailable, "fault.logout").Wrap(err)
	}
	f.Note(r, v.In, "logged out")
	f.setSession(w, r, "", -1)
	f.To(w, r, "login")
	return nil
}

// Unread is the error of what could not be read, as people are told of it.
func Unread(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Fail(fail.Timeout, "fault.patience")
	case fail.From(err).Code != fail.Internal:
		return err
	}
	var known *fail.Error
	if errors.As(err, &known) {
		return err // it was made for people
	}
	return Fail(fail.Unavailable, "fault.database").Wrap(err)
}

// suspect says whether too many wrong tokens came from a request's address.
func (f *Frame) suspect(r *http.Request) bool {
	return f.wrong.Allow(r.Context(), ratelimit.Network(f.Client(r)), 0).Remaining < 1
}

// failed counts a wrong token.
func (f *Frame) failed(r *http.Request) {
	f.wrong.Allow(r.Context(), ratelimit.Network(f.Client(r)), 1)
	httpx.EventFrom(r.Context()).Set("console", "wrong token")
}
