// Package licence reads and writes what sites state about the use of their addresses: RSL 1.0
// documents (Really Simple Licensing), and the RAMP extension of sitemaps (RAMP v1, Ingestion).
// Both are read into one vocabulary, that of the owner's terms, and written from it.
//
// It has no I/O and decides nothing: the caller knows whose statement a document is, and policy
// decides what follows from it.
package licence

import (
	"slices"
	"strings"
)

// models are the models of prices by the payments of RSL (RAMP v1, Ingestion). What is for one use
// or inference is for one token.
var models = map[string]string{
	"crawl": "per_fetch", "purchase": "per_access", "subscription": "subscription", "free": "free",
	"attribution":  "attribution",
	"contribution": "contribution", "training": "training", "use": "per_token", "inference": "per_token",
}

// payments are the payments of RSL by the models of prices. What a model takes that RSL has no word
// for cannot be said: the models for pages, minutes, records and shares have none.
var payments = map[string]string{
	"per_access": "purchase", "flat": "purchase", "per_fetch": "crawl", "per_token": "use",
	"subscription": "subscription", "training": "training",
	"free": "free", "attribution": "attribution", "contribution": "contribution",
}

// sitemapModels are the models of prices by those that RAMP sitemaps name (RAMP v1, Ingestion).
var sitemapModels = map[string]string{
	"per_article": "per_access", "per_token": "per_token", "per_crawl": "per_fetch", "subscription": "subscription",
	"free":        "free",
	"attribution": "attribution", "contribution": "contribution", "training": "training",
}

// functions are the uses that RSL and RAMP sitemaps name; early documents of RSL turn some around.
var functions = map[string]string{
	"all": "all", "ai-all": "ai-all", "ai-train": "ai-train", "ai-input": "ai-input", "ai-index": "ai-index",
	"search":   "search",
	"train-ai": "ai-train",
}

// ModelOf is the model of prices, as the owner's terms name it, of a payment of RSL. It is not
// known for "none" and for what RSL does not name: those have to be asked for.
func ModelOf(payment string) (model string, known bool) {
	model, known = models[strings.ToLower(payment)]
	return model, known
}

// PaymentOf is the payment by which RSL says a model of prices.
func PaymentOf(model string) (payment string, known bool) {
	payment, known = payments[model]
	return payment, known
}

// SitemapModel is the model of prices that a RAMP sitemap names, in either spelling of its words:
// with dashes or underscores.
func SitemapModel(name string) (model string, known bool) {
	model, known = sitemapModels[strings.ReplaceAll(strings.ToLower(name), "-", "_")]
	return model, known
}

// SitemapName is how a RAMP sitemap names a model of prices.
func SitemapName(model string) (name string, known bool) {
	if model == "flat" {
		model = "per_access"
	}
	for name, of := range sitemapModels {
		if of == model {
			return name, true
		}
	}
	return "", false
}

// Function is a use as the owner's terms name it. One that is not known stays as it is, in small
// letters: what permits it permits nothing that is known, and what prohibits it prohibits nothing
// else.
func Function(name string) string {
	name = strings.ToLower(name)
	if known, ok := functions[name]; ok {
		return known
	}
	return name
}

// Tokens are the words of a list, parted by blanks or, in early documents, by commas; each once.
func Tokens(text string) []string {
	all := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r <= ' ' || r == '\u00a0' })
	out := all[:0]
	for _, one := range all {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}
