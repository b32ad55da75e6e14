package reference

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/cli"
)

// chapters are the pages of the commands: each has those that its words name, with those below
// them.
var chapters = []struct{ page, title, words string }{
	{"commands-start", "Commands to begin", "demo,serve,config,settings,docs,connect,version,completion,man,upgrade"},
	{"commands-content", "Commands for content and answers", "ingest,sources,content,questions,eval,model"},
	{"commands-tuning", "Commands to mend answers", "tuning"},
	{"commands-terms", "Commands for terms and visitors", "terms,licences,visitors"},
	{"commands-keys", "Commands for keys and people", "keys,console"},
	{"commands-agent", "Commands of agents", "ask,await,intent,intake,mcp,check,verify"},
	{"commands-books", "Commands for the ledger and backups", "ledger,backup,restore"},
	{"commands-buyers", "Commands for buyers and their accounts",
		"ramp requester,ramp account,ramp subscription,ramp license"},
	{"commands-sales", "Commands for sales and disputes", "ramp report,ramp disputes,ramp evidence,ramp attest"},
	{"commands-exchange", "Commands of an Exchange", "ramp"},
	{"commands-buy", "Commands of buyers and providers",
		"ramp discover,ramp fetch,ramp resolve,ramp buy,ramp dispute,ramp usage,ramp delegate," +
			"ramp push,ramp withdraw,ramp refresh,ramp verify-domain"},
	{"commands-edge", "Commands of edges and Brokers", "edge,broker"},
}

// commands are the pages of the commands, made of their help.
func commands(t *testing.T) map[string]string {
	texts := make([]string, len(chapters))
	firsts := make([][]string, len(chapters))
	describe(t, nil, func(words []string, text string) {
		name := strings.Join(words, " ")
		best, longest := -1, 0
		for i, chapter := range chapters {
			for prefix := range strings.SplitSeq(chapter.words, ",") {
				if (name == prefix || strings.HasPrefix(name, prefix+" ")) && len(prefix) > longest {
					best, longest = i, len(prefix)
				}
			}
		}
		if best < 0 {
			t.Errorf("no page is for `frontdesk %s`: add it to chapters", name)
			return
		}
		texts[best] += text
		firsts[best] = append(firsts[best], name)
	})
	pages := map[string]string{}
	var rows [][]string
	for i, chapter := range chapters {
		pages["reference/"+chapter.page+".md"] = page(t, "commands",
			"title", chapter.title, "first", firsts[i][0], "commands", texts[i])
		var names []string
		for _, name := range firsts[i] {
			words := strings.Fields(name)
			if len(words) == 1 || len(words) == 2 && words[0] == "ramp" && !slices.Contains(firsts[i], "ramp") {
				names = append(names, "`"+name+"`")
			}
		}
		rows = append(rows, []string{"[" + chapter.title + "](" + chapter.page + ".md)", strings.Join(names, ", ")})
	}
	pages["reference/commands.md"] = page(t, "commands.md", "pages", table([]string{"page", "commands"}, rows))
	return pages
}

var child = regexp.MustCompile(`(?m)^  ([a-z][a-z -]*?)(?: \([a-z, -]+\))?(?:  .*)?$`)

// describe tells of each command below the one that words name.
func describe(t *testing.T, words []string, tell func(words []string, text string)) {
	t.Helper()
	var out, log bytes.Buffer
	if code := cli.Main(context.Background(), append(slices.Clone(words), "--help"), nil, &out, &log); code != 0 {
		t.Fatalf("frontdesk %q --help: %d %s", words, code, log.String())
	}
	usage, help, _ := strings.Cut(out.String(), "\n")
	if len(words) > 0 {
		tell(words, commandText(words, usage, help))
	}
	if !strings.Contains(usage, " <command>") {
		return
	}
	prefix := strings.Join(append(slices.Clone(words), ""), " ")
	_, list, _ := strings.Cut(help, "\nFlags:\n")
	if len(words) == 0 { // all on one screen, behind the names of their groups
		list = regexp.MustCompile(`(?m)^(?:[A-Z]| ).{18} ([a-z]+) +[A-Z].*$`).ReplaceAllString(help, "  $1")
	}
	for _, line := range child.FindAllStringSubmatch(list, -1) {
		if rest, is := strings.CutPrefix(line[1], prefix); is && !strings.Contains(rest, " ") {
			describe(t, append(slices.Clone(words), rest), tell)
		}
	}
}

// commandText is the part of a page that describes a command.
func commandText(words []string, usage, help string) string {
	about, details, _ := strings.Cut("\n"+help, "\nArguments:\n")
	if details == "" {
		about, details, _ = strings.Cut("\n"+help, "\nFlags:\n")
		details = "Flags:\n" + details
	} else {
		details = "Arguments:\n" + details
	}
	var prose, shown []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(about), "\n\n") {
		switch {
		case paragraph == "Examples:" || paragraph == "Example:":
		case strings.HasPrefix(paragraph, "    "):
			for line := range strings.Lines(paragraph) {
				shown = append(shown, strings.TrimPrefix(strings.TrimRight(line, "\n"), "    "))
			}
		default:
			prose = append(prose, strings.ReplaceAll(paragraph, "\n", " "))
		}
	}
	text := fmt.Sprintf("## `frontdesk %s`\n\n%s\n\n", strings.Join(words, " "), plain(strings.Join(prose, "\n\n")))
	if len(shown) > 0 {
		text += "```sh\n" + strings.Join(shown, "\n") + "\n```\n\n"
	}
	return text + "```\n" + usage + "\n" + withoutCommon(details) + "```\n\n"
}

// common are flags that many commands have, which the page of all commands describes.
var common = regexp.MustCompile(`(?m)^(?: {6}| {2}-h, )--(?:help|config|data|store|set)\b.*\n(?: {8,}\S.*\n)*`)

// withoutCommon leaves the common flags out of what describes arguments and flags.
func withoutCommon(details string) string {
	details = common.ReplaceAllString(strings.TrimSpace(details)+"\n", "")
	details = regexp.MustCompile(`\n{3,}`).ReplaceAllString(details, "\n\n")
	details = strings.Replace(details, "Flags:\n\n", "Flags:\n", 1)
	details = regexp.MustCompile(`(?:\n|^)Flags:\n+(\S|$)`).ReplaceAllString(details, "\n$1")
	if details = strings.TrimSpace(details); details == "" {
		return ""
	}
	return "\n" + details + "\n"
}

// plain keeps text from being read as markup.
func plain(text string) string {
	return strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`).Replace(text)
}
