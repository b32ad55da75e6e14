package imports

import (
	"os/exec"
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
