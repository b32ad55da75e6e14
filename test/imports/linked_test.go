package imports

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The binary speaks gRPC by the library that speaks Connect, and has no second stack for it.
func TestBinaryHasOneStackOfRPC(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../../cmd/frontdesk").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(out))
	found := false
	for _, path := range all {
		found = found || path == "connectrpc.com/connect"
		if strings.HasPrefix(path, "google.golang.org/grpc") {
			t.Errorf("the binary holds %s", path)
		}
	}
	if !found {
		t.Errorf("the binary holds %d packages, and not the one that speaks gRPC", len(all))
	}
}

// What the benchmarks and the tests of test/interop share with the program has the program's
// version: with another, it and all that stands on it would be compiled and looked at twice.
func TestModulesShareVersions(t *testing.T) {
	t.Parallel()
	ours := versions(t, "../../go.mod")
	for _, file := range []string{"../../bench/go.mod", "../interop/go.mod"} {
		shared := 0
		for path, version := range versions(t, file) {
			if has, ok := ours[path]; ok {
				shared++
				if version != has {
					t.Errorf("%s takes %s %s, and go.mod %s", file, path, version, has)
				}
			}
		}
		if shared < 10 {
			t.Errorf("%s shares %d modules with go.mod: the search is broken", file, shared)
		}
	}
}

var requirement = regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`)

func versions(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, m := range requirement.FindAllStringSubmatch(string(text), -1) {
		found[m[1]] = m[2]
	}
	return found
}
