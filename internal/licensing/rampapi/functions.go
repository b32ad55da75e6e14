package rampapi

import (
	"slices"
	"strings"
	"unicode"

	"google.golang.org/protobuf/types/known/structpb"

	wire "frontdesk/wire/ramp"

	compv1 "frontdesk/wire/comp/v1"
	rampv1 "frontdesk/wire/ramp/v1"
)

// functions are CoMP's functions by the words that terms have for them.
var functions = map[string]compv1.Function{
	"all": compv1.Function_FUNCTION_ALL, "ai-all": compv1.Function_FUNCTION_AI_ALL,
	"ai-train": compv1.Function_FUNCTION_AI_TRAIN,
	"ai-input": compv1.Function_FUNCTION_AI_INPUT, "ai-index": compv1.Function_FUNCTION_AI_INDEX,
	"search": compv1.Function_FUNCTION_SEARCH,
}

// otherFunction is what a word means that is no function, such as "SUMMARIZE": text is put into a
// model.
const otherFunction = "ai-input"

// function is the word that terms have for a function, as requesters spell it: FUNCTION_AI_INPUT,
// ai_input, ai-input. A word that is none and speaks of training is ai-train: nothing that
// prohibits it is sold for it under another name.
func function(text string) string {
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	word := strings.TrimPrefix(strings.Join(parts, "-"), "function-")
	if _, ok := functions[word]; ok {
		return word
	}
	if slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(training, part) }) {
		return "ai-train"
	}
	return otherFunction
}

// training are words for training and for what is done as training is.
var training = []string{"train", "training", "aitrain", "aitraining", "pretrain", "pretraining", "finetune",
	"finetuning", "tune", "tuning"}

// intended are the functions that a requester declares, each once; none when it declares none,
// which is not all.
func intended(r *rampv1.Requester) []string {
	var all []string
	for _, text := range r.GetIntendedUse() {
		if word := function(text); strings.TrimSpace(text) != "" && !slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	return all
}

// comp are CoMP's functions for words of terms.
func comp(words []string) []compv1.Function {
	var all []compv1.Function
	for _, word := range words {
		if f, ok := functions[word]; ok {
			all = append(all, f)
		}
	}
	return all
}

// users are the kinds of users that there are.
var users = []string{"commercial", "non-commercial", "education", "government", "personal"}

// using is what a requester says of who uses what it gets, and where; empty for nothing.
func using(r *rampv1.Requester) (user, country string, err error) {
	if user, err = said(r, extUserCategory); err != nil {
		return "", "", err
	}
	if user = strings.ReplaceAll(strings.ToLower(user), "_", "-"); user != "" && !slices.Contains(users, user) {
		return "", "", &wire.Invalid{Path: "requester.ext." + extUserCategory,
			Problem: "has to be one of " + strings.Join(users, ", ")}
	}
	if country, err = said(r, extGeo); err != nil {
		return "", "", err
	}
	if country = strings.ToUpper(country); country != "" &&
		(len(country) != 2 || strings.Trim(country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
		return "", "", &wire.Invalid{Path: "requester.ext." + extGeo,
			Problem: "has to be an ISO 3166-1 code of two letters such as DE"}
	}
	return user, country, nil
}

// said is a text in a requester's ext; empty for none.
func said(r *rampv1.Requester, key string) (string, error) {
	switch value := r.GetExt().GetFields()[key].GetKind().(type) {
	case nil, *structpb.Value_NullValue:
		return "", nil
	case *structpb.Value_StringValue:
		return strings.TrimSpace(value.StringValue), nil
	}
	return "", &wire.Invalid{Path: "requester.ext." + key, Problem: "has to be a text"}
}
