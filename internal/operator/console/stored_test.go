package console

import (
	"go/ast"
	"go/parser"
	"go/token"
	"html/template"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// verb is a verb of package fmt, and figures is what stands for one in a test.
var (
	verb    = regexp.MustCompile(`%[.\d]*[a-z]`)
	figures = func(verb string) string {
		if strings.ContainsAny(verb, "df") {
			return "7"
		}
		return "x"
	}
)

// written is a text that an expression of the source makes, with "x" for what it does not say.
func written(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := literal(e)
		return text
	case *ast.BinaryExpr:
		return written(e.X) + written(e.Y)
	case *ast.CallExpr:
		if called(e) == "Sprintf" {
			return written(e.Args[0])
		}
	}
	return "x"
}

// storedBy are the texts that a source gives to members of a name, or to a function.
func storedBy(t *testing.T, path, name string) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	add := func(e ast.Expr) {
		text := strings.ReplaceAll(verb.ReplaceAllStringFunc(written(e), figures), "%%", "%")
		if text != "x" {
			all = append(all, text)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == name {
				add(n.Value)
			}
		case *ast.CallExpr:
			if called(n) == name {
				add(n.Args[0])
			}
		}
		return true
	})
	if len(all) == 0 {
		t.Errorf("%s stores nothing as %s", path, name)
	}
	return all
}

// TestWhatIsStoredIsKnown holds that the console knows the texts that programs store in English, so
// that it tells them in the language of whoever reads them.
func TestWhatIsStoredIsKnown(t *testing.T) {
	t.Parallel()
	stored := map[string][]string{
		"cause": {
			"3 disputes of 9 (33.3 %)", "3 reports far from the estimate of 9 (33.3 %)", "one reason at 4 providers",
			"3 deliveries that failed of 9 (33.3 %), in month 12 in a row",
			"3 contents with another hash than attested of 9 (33.3 %)",
		},
		"finding": append(storedBy(t, "../../licensing/disputes/judge.go", "Finding"),
			storedBy(t, "../../licensing/disputes/judge.go", "says")...),
		"domain": append(storedBy(t, "../../identity/domain_verification.go", "Detail"),
			storedBy(t, "../../licensing/exchange/verify.go", "Detail")...),
	}
	for _, d := range []reports.Difference{
		{Kind: reports.Unbought}, {Kind: reports.Unbought, Delivery: transactions.Delivery{Transaction: "txn-1"}},
		{Kind: reports.Unused}, {Kind: reports.Unused, Logged: true},
		{Kind: reports.Unused, Delivered: transactions.DeliveryTotal{Times: 1, Bytes: 5}},
		{Kind: reports.Unused, Delivered: transactions.DeliveryTotal{Times: 2, Bytes: 5}},
		{Kind: reports.Unrecorded, Sale: transactions.Transaction{Unit: "tokens"}},
		{Kind: reports.Unrecorded, Sale: transactions.Transaction{Method: "instructions"}},
	} {
		stored["difference"] = append(stored["difference"], d.Why())
	}
	terms, err := policy.New([]policy.Rule{
		{Match: policy.Match{Path: []string{"/a/**"}, Host: []string{"b.example"}}, Access: policy.Open},
		{Match: policy.Match{Type: []string{"Recipe"}}, Access: policy.Open},
		{Match: policy.Match{Path: []string{"/b"}, Host: []string{"a.example"}}, Access: policy.Open},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range terms.Explain(policy.Facts{URL: "https://a.example/b"}).Steps {
		stored["rule"] = append(stored["rule"], step.Why)
	}
	f := console()
	for _, language := range []string{"de", "es", "fr", "it", "ja", "pt"} {
		tells := template.Must(f.Templates(language).New("tells").Parse(`{{told .Group .Text}}`))
		for group, texts := range stored {
			for _, text := range texts {
				var out strings.Builder
				if err := tells.Execute(&out, struct{ Group, Text string }{group, text}); err != nil {
					t.Fatal(err)
				}
				if strings.Contains(out.String(), `lang="en"`) {
					t.Errorf("%s in %s: %q is not known", group, language, text)
				}
			}
		}
	}
}
