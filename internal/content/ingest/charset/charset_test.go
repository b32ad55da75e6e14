package charset

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// texts are sentences in the languages whose pages were written in other encodings than Latin-1.
var encodedTexts = map[string][]string{
	"ru":    {"Первая лампа висела над дверью, и никто не знал, кто её сделал.", "windows-1251", "koi8-r"},
	"el":    {"Η πρώτη που είδαμε κρεμόταν πάνω από μια πόρτα και κανείς δεν ήξερε.", "windows-1253", "iso-8859-7"},
	"he":    {"הראשון שראינו היה תלוי מעל דלת, ואיש לא ידע מי עשה אותו.", "windows-1255"},
	"ar":    {"كانت أول واحدة رأيناها معلقة فوق باب ولم يعرف أحد من صنعها.", "windows-1256"},
	"th":    {"อันแรกที่เราเห็นแขวนอยู่เหนือประตู และไม่มีใครรู้ว่าใครทำ", "windows-874"},
	"ja":    {"最初に見たものは戸口の上に掛かっていて、誰が作ったのか誰も知らなかった。", "shift_jis", "euc-jp"},
	"zh":    {"我们看到的第一个挂在门的上方，没有人知道是谁做的。", "gb18030"},
	"zh-TW": {"我們看到的第一個掛在門的上方，沒有人知道是誰做的。", "big5"},
	"ko":    {"처음 본 것은 문 위에 걸려 있었고, 누가 만들었는지 아무도 몰랐다.", "euc-kr"},
	"de":    {"Die ältere Öllampe hing über der Tür; größer war keine.", "windows-1252"},
}

func encoded(t *testing.T, text, name string) string {
	t.Helper()
	encoding, _ := charset.Lookup(name)
	bytes, err := encoding.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func TestPagesThatDoNotSayTheirEncodingAreRead(t *testing.T) {
	t.Parallel()
	for language, entry := range encodedTexts {
		for _, name := range entry[1:] {
			for _, head := range []string{"<html><title>x</title><p>", "<html dir=ltr lang=\"" + language + "\"><p>",
				"<html lang='en'><meta charset=utf-8><p>" + strings.Repeat(" ", 10)} {
				if strings.Contains(head, "'en'") && name != "windows-1252" {
					continue // a page that says a language of other letters is read in its encodings
				}
				if decoded := DecodePage(encoded(t, head+entry[0]+"</p>", name), ""); !strings.Contains(decoded,
					entry[0]) {
					t.Errorf("%s in %s below %q became %q", language, name, head, decoded)
				}
			}
		}
	}
}

func TestWhatAPageSaysOfItsEncodingIsBelievedIfItFits(t *testing.T) {
	t.Parallel()
	polish := "Zażółć gęślą jaźń."
	for head, name := range map[string]string{
		"<!-- " + strings.Repeat("late ", 900) + "--><meta charset=iso-8859-2>":    "iso-8859-2",
		"<?xml version='1.0' encoding='iso-8859-2'?><html>":                        "iso-8859-2",
		"<meta http-equiv=Content-Type content='text/html; charset=windows-1250'>": "windows-1250",
		"<html lang=pl><meta charset=utf-8>":                                       "windows-1250", // which it is not
		"<meta charset=iso-8859-1>":                                                "utf-8",        // which it is
		"<html lang=pl><meta charset=no-such-encoding>":                            "iso-8859-2",
	} {
		if decoded := DecodePage(encoded(t, head+polish, name), ""); !strings.HasSuffix(decoded, polish) {
			t.Errorf("%.60s: %q", head, decoded[max(0, len(decoded)-60):])
		}
	}
	cut := "<p>" + strings.Repeat("Grüße aus Köln. ", 20)
	if decoded := DecodePage(cut+"\xc3", ""); decoded != cut+"\ufffd" {
		t.Errorf("one broken character made %q", decoded)
	}
}

func FuzzPagesAreDecoded(f *testing.F) {
	for _, s := range []string{"<meta charset=shift_jis>\x93\x8c", "<html lang=ja>\xa4\xa2", "\xff\xfe<\x00",
		"<?xml encoding='utf-16'?>\xd8\x00", "\x1b$B", "<html lang=vi>\xd2\xe3\xff"} {
		f.Add(s, "")
	}
	f.Add("\xcf\xf0", "text/html; charset=windows-1251")
	f.Fuzz(func(t *testing.T, data, media string) {
		if !utf8.ValidString(DecodePage(data, media)) {
			t.Fatalf("%q is not decoded", data)
		}
	})
}
