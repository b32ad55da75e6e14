package document

import (
	"testing"
)

func TestDatesAreReadInTheirForms(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"2024-05-06": "2024-05-06T00:00:00Z", "2024-05-06T07:08:09Z": "2024-05-06T07:08:09Z",
		"2024-05-06T07:08:09+02:00": "2024-05-06T05:08:09Z",
		"2024-05-06T07:08:09+0200":  "2024-05-06T05:08:09Z", "2024-05-06 07:08": "2024-05-06T07:08:00Z",
		"2024-05": "2024-05-01T00:00:00Z", "1066": "1066-01-01T00:00:00Z",
		"May 6, 2024": "2024-05-06T00:00:00Z", "6 May 2024": "2024-05-06T00:00:00Z",
		"06.05.2024": "2024-05-06T00:00:00Z", "Mon, 06 May 2024 07:08:09 GMT": "2024-05-06T07:08:09Z",
		"2024-05-06T07:08:09.123Z": "2024-05-06T07:08:09Z", " 2024-05-06 ": "2024-05-06T00:00:00Z",
	} {
		if got := ParseDate(s).Format("2006-01-02T15:04:05Z07:00"); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
	for _, s := range []string{"", "soon", "0000-00-00", "2024-13-01", "99999-01-01", "P1D"} {
		if got := ParseDate(s); !got.IsZero() {
			t.Errorf("%q: %s", s, got)
		}
	}
}

func TestSizesAreForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB",
		4 << 20: "4 MiB", 3 << 30: "3 GiB"} {
		if got := FormatBytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
