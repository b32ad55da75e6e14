package docs

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"frontdesk/internal/testkit/process"
)

// tab is an example in one of several languages. Those of TypeScript and Python are run by the
// tests of these clients.
var tab = regexp.MustCompile("(?ms)^```([a-z]+) tab\n(.*?)^```$")

// said is what the examples of each page print, in their order, in whatever language.
func said(t *testing.T) (said map[string][]string) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, "testdata/tabs.json")), &said); err != nil {
		t.Fatal(err)
	}
	return said
}

// tabs are the examples of each page in a language, in their order.
func tabs(t *testing.T, language string) map[string][]string {
	found := map[string][]string{}
	for _, p := range pages(t) {
		for _, block := range tab.FindAllStringSubmatch(p.text, -1) {
			if block[1] == language {
				found[filepath.Base(p.path)] = append(found[filepath.Base(p.path)], block[2])
			}
		}
	}
	return found
}

// TestEachExampleIsThereInEveryLanguage holds that no tab is forgotten, nor what it prints.
func TestEachExampleIsThereInEveryLanguage(t *testing.T) {
	t.Parallel()
	want := said(t)
	for _, language := range []string{"sh", "go", "ts", "python"} {
		found := tabs(t, language)
		for page, all := range found {
			if len(all) != len(want[page]) {
				t.Errorf("%s has %d examples in %s, and testdata/tabs.json %d", page, len(all), language,
					len(want[page]))
			}
		}
		if len(found) != len(want) {
			t.Errorf("%d pages have examples in %s, and %d are in testdata/tabs.json", len(found), language, len(want))
		}
	}
}

// TestExamplesRunAsTheyStand runs the tabs for a shell, and those in Go as one program, against the
// demo.
func TestExamplesRunAsTheyStand(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	world := exec.CommandContext(t.Context(), "./world.sh", folder)
	world.Env = append(os.Environ(), "FRONTDESK_BINARY="+process.Binary(t))
	world.Stderr = os.Stderr
	world.Cancel = func() error { return world.Process.Signal(syscall.SIGTERM) }
	out, err := world.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := world.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = world.Cancel(); _ = world.Wait() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(process.Binary(t), filepath.Join(folder, "frontdesk")); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "PLATFORM_KEY=sample_key",
		"PLATFORM_SECRET="+strings.TrimSpace(read(t, filepath.Join(folder, "secret.txt"))),
		"BUYER_KEY="+read(t, filepath.Join(folder, "buyer.pem")))
	program := build(t, tabs(t, "go"), strings.TrimSpace(address))
	for page, wants := range said(t) {
		for i, want := range wants {
			shell := strings.ReplaceAll(tabs(t, "sh")[page][i], "https://desk.example.com", strings.TrimSpace(address))
			for _, command := range []*exec.Cmd{
				exec.CommandContext(t.Context(), "sh", "-ec", shell),
				exec.CommandContext(t.Context(), program, name(page, i)),
			} {
				command.Dir, command.Env = folder, env
				if out, err := command.CombinedOutput(); err != nil || !regexp.MustCompile(want).Match(out) {
					t.Errorf("%s, example %d: %v, want %s\n%s\n%s", page, i+1, err, want, command, out)
				}
			}
		}
	}
}

// name is that of an example's function.
func name(page string, i int) string {
	return "example_" + strings.NewReplacer("-", "_", ".md", "").Replace(page) + "_" + string(rune('a'+i))
}

// build makes one program of the examples in Go, which runs the one that its argument names.
func build(t *testing.T, examples map[string][]string, address string) string {
	t.Helper()
	folder := t.TempDir()
	main := "package main\n\nimport \"os\"\n\nfunc main() {\n\tmap[string]func(){\n"
	files := []string{filepath.Join(folder, "main.go")}
	for page, all := range examples {
		for i, text := range all {
			function := name(page, i)
			main += "\t\t\"" + function + "\": " + function + ",\n"
			text = strings.NewReplacer("func main()", "func "+function+"()", "https://desk.example.com",
				address).Replace(text)
			file := filepath.Join(folder, function+"_.go")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	if err := os.WriteFile(files[0], []byte(main+"\t}[os.Args[1]]()\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "examples")
	made := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", program}, files...)...)
	made.Dir = "../.."
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("the examples in Go cannot be built: %v\n%s", err, out)
	}
	return program
}
