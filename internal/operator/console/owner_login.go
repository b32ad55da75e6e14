package console

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
)

// The cookies: of who is logged in, and of who has the form for it before them. Each holds random bits that stand for
// themselves; what is known of a session is in the database.
const (
	sessionCookie = "frontdesk_console"
	formCookie    = "frontdesk_console_form"
)

// visit is a request of somebody who is logged in.
type visit struct {
	in     identity.Login
	secret string // of the session
}

// csrf is the token that the forms of a session carry. It tells nothing of the secret that it is made of.
func (v *visit) csrf() string { return formToken(v.secret) }

func formToken(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("form of the console"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// elsewhere is the address of another page, below OwnerPath, in place of the one that was asked for.
type elsewhere string

func (elsewhere) Error() string { return "the page is elsewhere" }

// page serves what a function reads, drawn with the template of a name. The function gives a title and
// the body of the template.
func (o *owner) page(
	name string, read func(context.Context, *http.Request, *visit) (title string, body any, err error),
) http.HandlerFunc {
	return o.inside(func(w http.ResponseWriter, r *http.Request, v *visit) error {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		title, body, err := read(ctx, r, v)
		if err != nil {
			return err
		}
		o.show(w, r, http.StatusOK, v.sheet(title, name, body))
		return nil
	})
}

// action serves a form of an operator's. What is done says what it did, which is noted, and to which
// page the browser goes then.
func (o *owner) action(do func(*http.Request, *visit) (did, to string, err error)) http.HandlerFunc {
	return o.inside(o.operator(func(w http.ResponseWriter, r *http.Request, v *visit) error {
		did, to, err := do(r, v)
		if err != nil {
			return err
		}
		if did != "" {
			o.config.Note(r, v.in, did)
		}
		return elsewhere(to)
	}))
}

// sheet is a page for who is logged in.
func (v *visit) sheet(title, page string, body any) sheet {
	return sheet{Title: title, Page: page, In: &v.in, CSRF: v.csrf(), Body: body}
}

// inside lets a request through to a handler if its sender is logged in, and posts only from our own forms.
func (o *owner) inside(handler func(http.ResponseWriter, *http.Request, *visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := o.visitor(r)
		switch {
		case err != nil:
			o.refuse(w, r, nil, err)
			return
		case v == nil:
			o.to(w, r, "login")
			return
		}
		if r.Method == http.MethodPost {
			err = o.ours(r, v.secret)
		}
		if err == nil {
			err = handler(w, r, v)
		}
		var other elsewhere
		switch {
		case errors.As(err, &other):
			o.to(w, r, string(other))
		case err != nil:
			o.refuse(w, r, v, unread(err))
		}
	}
}

// visitor is who sends a request; nil for who is not logged in.
func (o *owner) visitor(r *http.Request) (*visit, error) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return nil, nil
	}
	in, ok, err := o.config.Logins.Find(r.Context(), cookie.Value)
	if err != nil {
		unavailable := fail.New(fail.Unavailable, "Logins cannot be looked up at the moment; try again.")
		return nil, unavailable.Wrap(err)
	}
	if !ok {
		return nil, nil
	}
	return &visit{in, cookie.Value}, nil
}

// ours says whether a form was sent from a page of ours, which the secret of a cookie belongs to.
func (o *owner) ours(r *http.Request, secret string) error {
	foreign := fail.New(fail.Forbidden, "This form was not sent from the console's own page, or is older than your login. Go back, load the page again, and send it once more.")
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		if site != "same-origin" {
			return foreign
		}
	} else if origin := r.Header.Get("Origin"); origin != "" && origin != originOf(o.config.PublicURL(r)) {
		return foreign
	}
	if err := r.ParseForm(); err != nil {
		return fail.New(fail.Invalid, "The form cannot be read; it may be too long.").Wrap(err)
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

// setCookie sets one of our cookies, for our pages alone and until the browser ends or for a number of seconds. A
// negative number removes it.
func (o *owner) setCookie(w http.ResponseWriter, r *http.Request, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: o.base(r), MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: strings.HasPrefix(o.config.PublicURL(r), "https:"),
	})
}

// showLogin draws the form, with a token of its own for every browser.
func (o *owner) showLogin(w http.ResponseWriter, r *http.Request) {
	if v, err := o.visitor(r); err == nil && v != nil {
		o.to(w, r, "")
		return
	}
	o.loginForm(w, r, http.StatusOK, "")
}

func (o *owner) loginForm(w http.ResponseWriter, r *http.Request, status int, problem string) {
	secret := rand.Text()
	if known, err := r.Cookie(formCookie); err == nil && len(known.Value) == len(secret) {
		secret = known.Value // another tab may have the form, too
	}
	o.setCookie(w, r, formCookie, secret, 0)
	o.show(w, r, status, sheet{Title: "Log in", Page: "login", CSRF: formToken(secret), Problem: problem})
}

// login begins a session for who has a token.
func (o *owner) login(w http.ResponseWriter, r *http.Request) {
	form, err := r.Cookie(formCookie)
	if err != nil || o.ours(r, form.Value) != nil {
		o.loginForm(w, r, http.StatusForbidden, "This form was not sent from this page, or your browser keeps no cookies. Try once more.")
		return
	}
	// The right token is let in also where many wrong ones come from its address: nobody guesses 130 random bits, and else
	// whoever shares an address with the owner could lock the owner out.
	secret, in, err := o.config.Logins.Begin(r.Context(), r.PostForm.Get("token"), o.config.Session)
	switch {
	case err != nil && fail.From(err).Code == fail.Unauthorized && o.config.Suspect(r) != nil:
		o.loginForm(w, r, http.StatusTooManyRequests, "This token does not open the console, and too many wrong ones came from your address; come back later.")
		return
	case err != nil && fail.From(err).Code == fail.Unauthorized:
		o.config.Failed(r)
		o.loginForm(w, r, http.StatusUnauthorized, "This token does not open the console. Look for a slip in it, or make another with the command below.")
		return
	case err != nil:
		comeBack(w, err)
		o.loginForm(w, r, http.StatusServiceUnavailable, "Tokens cannot be looked up at the moment; try again.")
		return
	}
	o.config.Note(r, in, "logged in")
	o.setCookie(w, r, formCookie, "", -1)
	o.setCookie(w, r, sessionCookie, secret, int(o.config.Session.Seconds()))
	o.to(w, r, "")
}

// logout ends the session, wherever its cookie was copied to.
func (o *owner) logout(w http.ResponseWriter, r *http.Request, v *visit) error {
	if err := o.config.Logins.End(r.Context(), v.secret); err != nil {
		return fail.New(fail.Unavailable, "You could not be logged out; try again.").Wrap(err)
	}
	o.config.Note(r, v.in, "logged out")
	o.setCookie(w, r, sessionCookie, "", -1)
	o.to(w, r, "login")
	return nil
}
