package console

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html/template"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"

	"frontdesk/internal/ask/i18n"
)

// names are what no language has its own words for.
var names = regexp.MustCompile(`^(disabled|connect|CSV|RAMP|Frontdesk|rel|UTC|SHA-256|HTTP|MCP|NLWeb|JSON|DE|USD|EUR)$`)

// word is what a template says itself; quoted is what stands as it is in every language.
var (
	word       = regexp.MustCompile(`\p{L}[\p{L}’'-]+`)
	quoted     = regexp.MustCompile(`(?s)<(code|pre|script|style)\b.*?</(code|pre|script|style)>`)
	attributes = regexp.MustCompile(`[a-z-]+="[^"]*"`)
	tag        = regexp.MustCompile(`(?s)<[^>]*>`)
	example    = regexp.MustCompile(`^placeholder="\S*"$`) // of what is written there
	spelled    = regexp.MustCompile(`(?:aria-label|placeholder|title|alt|data-is)="([^"]*)"`)
)

// unsaid are the words of a template that are in one language alone. What it says by a function is
// a gap.
func unsaid(root *parse.ListNode) (all []string) {
	var text strings.Builder
	var walk func(list *parse.ListNode)
	walk = func(list *parse.ListNode) {
		if list == nil {
			return
		}
		for _, node := range list.Nodes {
			var branch *parse.BranchNode
			switch node := node.(type) {
			case *parse.TextNode:
				text.Write(node.Text)
			case *parse.IfNode:
				branch = &node.BranchNode
			case *parse.WithNode:
				branch = &node.BranchNode
			case *parse.RangeNode:
				branch = &node.BranchNode
			default:
				text.WriteString(" · ")
			}
			if branch != nil {
				walk(branch.List)
				text.WriteString(" ")
				walk(branch.ElseList)
			}
		}
	}
	walk(root)
	plain := quoted.ReplaceAllString(text.String(), "")
	for _, attribute := range spelled.FindAllStringSubmatch(plain, -1) {
		if !example.MatchString(attribute[0]) {
			plain += " " + attribute[1]
		}
	}
	plain = tag.ReplaceAllString(attributes.ReplaceAllString(plain, " "), " ")
	for _, w := range word.FindAllString(plain, -1) {
		if !names.MatchString(w) {
			all = append(all, w)
		}
	}
	return all
}

// TestNoTemplateSpeaksOneLanguageAlone holds that every template of the console takes what it says
// from the words of pages.
func TestNoTemplateSpeaksOneLanguageAlone(t *testing.T) {
	t.Parallel()
	for _, one := range console().Templates("en").Templates() {
		if one.Tree == nil {
			continue
		}
		if words := unsaid(one.Tree.Root); len(words) > 0 {
			t.Errorf("%s says in English: %q", one.Name(), words)
		}
	}
	for text, want := range map[string]string{
		`<p>{{say "a.b"}}</p><code>curl {{.}}</code><input type="text" name="find">`: "[]",
		`<p>{{if .}}Nothing{{else}}{{range .}}is{{end}}{{end}}</p>`:                  "[Nothing is]",
		`<a aria-label="Offer to {{.}}" href="x">{{.}}</a>`:                          "[Offer to]",
	} {
		trees, err := parse.Parse("one", text, "", "", map[string]any{"say": 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(unsaid(trees["one"].Root)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// sentenceLike is a text of more than one word for people.
var sentenceLike = regexp.MustCompile(`\p{L}{2,} \p{L}{2,}`)

// TestNoPageIsWrittenInCode reads the source of the console's packages: what they say to people are
// texts of the words of pages, each of which there is, and not sentences in the code. What is noted
// of somebody's deeds is for logs.
func TestNoPageIsWrittenInCode(t *testing.T) {
	t.Parallel()
	f := console()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		for _, at := range spoken(file, f.Says) {
			t.Errorf("%s: %s", set.Position(at.pos), at.text)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	source := `package p
func a() { v.Say("no.text"); _ = "Two words"; o.Note(r, v, "did this thing"); panic("it is broken") }
func b() (did, to string, err error) { return "did this thing", "other words", nil }`
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, at := range spoken(file, func(string) bool { return false }) {
		found = append(found, at.text)
	}
	if want := `[there is no text no.text says "Two words" says "other words"]`; fmt.Sprint(found) != want {
		t.Errorf("%v, want %s", found, want)
	}
}

// remark is what is wrong at a place of a source.
type remark struct {
	pos  token.Pos
	text string
}

// spoken finds sentences in a source, and keys of words that are not there.
func spoken(file *ast.File, says func(string) bool) (all []remark) {
	quiet := map[ast.Node]bool{}
	silence := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool { quiet[n] = true; return true })
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				quiet[n.Tag] = true
			}
		case *ast.FuncDecl:
			deeds(n.Type, n.Body, silence)
		case *ast.FuncLit:
			deeds(n.Type, n.Body, silence)
		case *ast.AssignStmt:
			if to, ok := n.Lhs[0].(*ast.Ident); ok && (to.Name == "did" || to.Name == "columns") {
				silence(n)
			}
		case *ast.CallExpr:
			name := called(n)
			switch name {
			case "Note", "panic", "Errorf", "Error", "ErrorContext", "TableOf", "Fields":
				silence(n)
			case "Say", "say", "Count", "Fail":
				for _, arg := range n.Args {
					key, ok := literal(arg)
					if !ok || !strings.Contains(key, ".") || strings.HasSuffix(key, "_") ||
						strings.HasSuffix(key, ".") {
						continue
					}
					if name == "Count" {
						key += "_other"
					}
					if !says(key) {
						all = append(all, remark{arg.Pos(), "there is no text " + key})
					}
				}
			}
		case *ast.BasicLit:
			text, ok := literal(n)
			if ok && !quiet[n] && sentenceLike.MatchString(text) && !machine.MatchString(text) {
				all = append(all, remark{n.Pos(), "says " + n.Value})
			}
		}
		return true
	})
	return all
}

// deeds silences what a function says that it did.
func deeds(of *ast.FuncType, body *ast.BlockStmt, silence func(ast.Node)) {
	if body == nil || of.Results == nil || len(of.Results.List[0].Names) == 0 ||
		of.Results.List[0].Names[0].Name != "did" {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if back, ok := n.(*ast.ReturnStmt); ok && len(back.Results) > 0 {
			silence(back.Results[0])
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
}

// called is the name of what is called.
func called(call *ast.CallExpr) string {
	switch of := call.Fun.(type) {
	case *ast.Ident:
		return of.Name
	case *ast.SelectorExpr:
		return of.Sel.Name
	}
	return ""
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// TestFormsSayTheirTexts holds the choices of forms, which are read from operations.
func TestFormsSayTheirTexts(t *testing.T) {
	t.Parallel()
	f := console()
	for _, in := range forms {
		for _, one := range inputs(in, nil) {
			for _, choice := range one.Choices {
				key := "form." + one.Name + "_" + choice.Name
				if choice.Name == "" {
					key += "none"
				}
				if !f.Says(key) && !slices.Contains(signatures, choice.Name) {
					t.Errorf("%T: there is no text %s", in, key)
				}
			}
		}
	}
}

// signatures are what forms of addresses are called in every language.
var signatures = []string{"hmac", "cloudfront", "akamai", "fastly", "ed25519"}

// machine are texts that are for programs, and names that are the same in every language.
var machine = regexp.MustCompile(`^(default-src |[#<]|-----|BIF |GET |POST |(the page is elsewhere|form of the console|wrong token|not allowed|not yet valid|Agent Intake|Agentic Intent|Web Bot Auth)$)`)

// TestLabelsSayWhatTheirButtonsSay holds that the label of a button or link in a list, which says
// of what it is, has what is seen in it: people say that to a computer that they speak to (WCAG
// 2.5.3).
func TestLabelsSayWhatTheirButtonsSay(t *testing.T) {
	t.Parallel()
	f := console()
	for _, language := range i18n.Languages {
		texts := template.Must(f.Templates(language).New("text").Parse(`{{say .}}`))
		say := func(key string) string {
			var out strings.Builder
			if err := texts.Execute(&out, key); err != nil {
				t.Fatal(err)
			}
			return strings.ToLower(out.String())
		}
		for label, seen := range map[string]string{
			"inbox.answer_of": "inbox.answer", "inbox.open_of": "inbox.open", "inbox.open_bind": "inbox.open",
			"inbox.done_bind": "inbox.done", "inbox.again_of": "inbox.again", "measures.close_of": "measures.close",
			"measures.lift_of": "measures.lift", "domains.revoke_of": "domains.revoke",
		} {
			if !strings.Contains(say(label), say(seen)) {
				t.Errorf("%s: %q does not say %q", language, say(label), say(seen))
			}
		}
	}
}
