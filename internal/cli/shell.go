package cli

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/build"
)

//go:embed shell
var shellFiles embed.FS

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is the command's example.
func (completionCommand) Help() string {
	return "The script goes to standard output.\n\nExamples:\n\n" +
		"\tfrontdesk completion bash > /etc/bash_completion.d/frontdesk\n" +
		"\tfrontdesk completion zsh > ~/.zsh/frontdesk.zsh    # and source it in ~/.zshrc\n" +
		"\tfrontdesk completion fish > ~/.config/fish/completions/frontdesk.fish"
}

// Run prints the script.
func (c completionCommand) Run(env *command.Environment, app *kong.Kong) error {
	return printShell(env, c.Shell+".tmpl", app)
}

type manCommand struct{}

// Help is the command's example.
func (manCommand) Help() string {
	return "Example:\n\n\tfrontdesk man > /usr/local/share/man/man1/frontdesk.1"
}

// Run prints the page.
func (manCommand) Run(env *command.Environment, app *kong.Kong) error {
	return printShell(env, "man.tmpl", app)
}

// shellNode is a command, or the program itself, as the scripts and the page see it.
type shellNode struct {
	Path     string // "ramp tenant add", empty for the program
	Help     string
	Detail   string
	Usage    string
	Children []string // the words that go on
	Flags    []*kong.Flag
}

func printShell(env *command.Environment, name string, app *kong.Kong) error {
	made := template.New("").Funcs(template.FuncMap{
		"join": strings.Join, "quote": shellQuote, "roff": roff, "summary": summaryOf,
	})
	if _, err := made.ParseFS(shellFiles, "shell/"+name); err != nil {
		return err
	}
	return made.ExecuteTemplate(env.Stdout, name, map[string]any{
		"Nodes": shellNodes(app.Model.Node, nil), "Version": build.Current().Version, "About": app.Model.Help,
	})
}

// shellNodes lists a command and those below it, in the order of the help.
func shellNodes(node *kong.Node, path []string) []shellNode {
	one := shellNode{
		Path: strings.Join(path, " "), Help: node.Help, Detail: node.Detail, Usage: node.Summary(), Flags: node.Flags,
	}
	all := []shellNode{one}
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			all[0].Children = append(all[0].Children, child.Name)
			all = append(all, shellNodes(child, append(slices.Clone(path), child.Name))...)
		}
	}
	return all
}

// shellQuote makes one word of a text for a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// summaryOf is the first sentence of a help.
func summaryOf(text string) string {
	if sentence, _, more := strings.Cut(text, ". "); more {
		return sentence + "."
	}
	return text
}

// roff makes running text of a text for a manual page: nothing of it is a command.
func roff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(strings.TrimRight(line, "\n"))
		switch {
		case strings.TrimSpace(line) == "":
			b.WriteString(".PP\n")
		case strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "    "):
			fmt.Fprintf(&b, ".br\n\\&    %s\n", strings.TrimSpace(line))
		default:
			fmt.Fprintf(&b, "\\&%s\n", line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
