package charset

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// This file finds out in which encoding a page is. What is valid UTF-8 is UTF-8, whatever it says
// of itself; for the rest a page's own word counts as long as it fits what is there, and then what
// pages in its language were written in.

// DecodePage converts a page to UTF-8. media is the media type that its server gives, which may
// name an encoding; empty for none.
func DecodePage(data, media string) string {
	head := []byte(data[:min(len(data), 1024)])
	found, name, certain := charset.DetermineEncoding(head, cmp.Or(media, "text/html"))
	if name != "utf-16le" && name != "utf-16be" && name != "iso-2022-jp" && utf8.ValidString(data) {
		return strings.TrimPrefix(data, "\ufeff")
	}
	if !certain {
		found, name = declaredEncoding(data)
	}
	if found != nil && name != "utf-8" {
		if decoded, ok := decodeAs(data, found); ok {
			return decoded
		}
	}
	if nearlyUTF8(data) {
		return strings.ToValidUTF8(strings.TrimPrefix(data, "\ufeff"), "\ufffd")
	}
	return guessed(data)
}

// Bounds of the search for what a page says of itself, and of the sample by which its encoding is
// guessed, in bytes.
const (
	longestHead = 64 << 10
	sampleSize  = 4 << 10
)

// declaredEncoding is the encoding that a page names, wherever in its head; nil for none that is
// known.
func declaredEncoding(data string) (encoding.Encoding, string) {
	head := lowered(data)
	if end := strings.Index(head, "?>"); end > 0 && strings.HasPrefix(strings.TrimSpace(head), "<?xml") {
		if _, label, found := strings.Cut(head[:end], "encoding"); found {
			return charset.Lookup(labelIn(label))
		}
	}
	for at := 0; ; {
		next := strings.Index(head[at:], "charset")
		if next < 0 {
			return nil, ""
		}
		at += next + len("charset")
		if tag := strings.LastIndexByte(head[:at], '<'); tag >= 0 && strings.HasPrefix(head[tag:], "<meta") {
			if found, name := charset.Lookup(labelIn(head[at:])); found != nil {
				return found, name
			}
		}
	}
}

// lowered is the head of a page in lower case, of ASCII.
func lowered(data string) string {
	head := []byte(data[:min(len(data), longestHead)])
	for i, c := range head {
		if c >= 'A' && c <= 'Z' {
			head[i] = c | 0x20
		}
	}
	return string(head)
}

// labelIn is the label that follows an equals sign at the beginning of a text, in quotes or
// without.
func labelIn(s string) string {
	s = strings.TrimLeft(s[:min(len(s), 100)], " \t\r\n")
	s, found := strings.CutPrefix(s, "=")
	if !found {
		return ""
	}
	s = strings.TrimLeft(s, " \t\r\n\"'")
	if end := strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("_:.-", r))
	}); end >= 0 {
		s = s[:end]
	}
	return s
}

// declaredLanguage is the language that a page's first element names, without region; empty if it
// names none.
func declaredLanguage(data string) string {
	head := lowered(data)
	start := strings.Index(head, "<html")
	if start < 0 {
		return ""
	}
	head = head[start:min(len(head), start+1000)]
	if end := strings.IndexByte(head, '>'); end >= 0 {
		head = head[:end]
	}
	for _, mark := range []string{" lang", "\nlang", "\tlang", ":lang"} {
		if _, label, found := strings.Cut(head, mark); found {
			label, _, _ = strings.Cut(labelIn(label), "-")
			return label
		}
	}
	return ""
}

// decodeAs decodes a page; ok is false where so much of it does not fit the encoding that the page
// cannot be in it.
func decodeAs(data string, as encoding.Encoding) (decoded string, ok bool) {
	decoded, err := as.NewDecoder().String(data)
	if err != nil {
		return "", false
	}
	misfits := strings.Count(decoded, "\ufffd")
	beyond := 0
	for i := range len(data) {
		if data[i] >= utf8.RuneSelf {
			beyond++
		}
	}
	return strings.ToValidUTF8(strings.TrimPrefix(decoded, "\ufeff"), "\ufffd"), misfits*20 <= beyond
}

// nearlyUTF8 says whether a text is UTF-8 but for a few characters, as where a program cut one in
// two.
func nearlyUTF8(data string) bool {
	fits, misfits := 0, 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRuneInString(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			misfits++
		case size > 1:
			fits++
		}
		i += size
	}
	return misfits*4 <= fits
}

// older are the encodings that pages in a language were written in before UTF-8, by what the HTML
// standard (section 13.2.3.2) and the habits of each country say; "" is for languages that need no
// other than Latin-1, and for pages that do not say their language all of them come into question.
var older = map[string][]string{
	"": {"windows-1252"}, "ja": {"shift_jis", "euc-jp"}, "zh": {"gb18030", "big5"}, "ko": {"euc-kr"},
	"ru": {"windows-1251", "koi8-r", "iso-8859-5"}, "uk": {"windows-1251", "koi8-u"}, "be": {"windows-1251"},
	"bg": {"windows-1251"}, "sr": {"windows-1251", "windows-1250"}, "mk": {"windows-1251"}, "kk": {"windows-1251"},
	"el": {"windows-1253"}, "tr": {"windows-1254"}, "az": {"windows-1254"}, "he": {"windows-1255"},
	"ar": {"windows-1256", "iso-8859-6"}, "fa": {"windows-1256"}, "ur": {"windows-1256"}, "th": {"windows-874"},
	"vi": {"windows-1258"},
	"pl": {"windows-1250", "iso-8859-2"}, "cs": {"windows-1250", "iso-8859-2"}, "sk": {"windows-1250", "iso-8859-2"},
	"hu": {"windows-1250", "iso-8859-2"}, "sl": {"windows-1250", "iso-8859-2"}, "hr": {"windows-1250", "iso-8859-2"},
	"ro": {"windows-1250", "iso-8859-2"}, "bs": {"windows-1250"}, "sq": {"windows-1250"},
	"lt": {"windows-1257"}, "lv": {"windows-1257"}, "et": {"windows-1257", "windows-1252"},
}

// anyOlder are candidates for a page that does not say its language.
var anyOlder = []string{
	"windows-1252", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "windows-1251", "koi8-r", "windows-1253",
	"windows-1255", "windows-1256", "windows-874", "windows-1250",
}

// guessed decodes a page that does not say in what it is written, or says it wrongly.
func guessed(data string) string {
	candidates := anyOlder
	if language := declaredLanguage(data); language != "" {
		candidates = older[language]
		if candidates == nil {
			candidates = older[""]
		}
	}
	sample := sampleOf(data)
	var best encoding.Encoding
	most := 0
	for i, name := range candidates {
		candidate, _ := charset.Lookup(name)
		decoded, err := candidate.NewDecoder().String(sample)
		if err != nil {
			continue
		}
		if score := plausible(decoded); i == 0 || score > most {
			best, most = candidate, score
		}
	}
	decoded, err := best.NewDecoder().String(data)
	if err != nil {
		return Repair(data)
	}
	return strings.ToValidUTF8(strings.TrimPrefix(decoded, "\ufeff"), "\ufffd")
}

// sampleOf is a part of a page that has characters beyond ASCII, cut at ASCII characters.
func sampleOf(data string) string {
	first := strings.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf })
	if first < 0 {
		return ""
	}
	sample := data[first:min(len(data), first+sampleSize)]
	for len(sample) > 0 && sample[len(sample)-1] >= utf8.RuneSelf {
		sample = sample[:len(sample)-1]
	}
	return sample
}

// plausible scores a text by how much it looks like writing, over as many bytes as it was decoded
// from: letters of one script side by side, capitals at the beginning of words, no oddities.
func plausible(text string) int {
	score := 0
	var last rune
	for _, r := range text {
		if r < utf8.RuneSelf && last < utf8.RuneSelf {
			last = r
			continue
		}
		switch {
		case r == utf8.RuneError:
			score -= 20
		case unicode.IsControl(r) && r >= utf8.RuneSelf, unicode.Is(unicode.Co, r):
			score -= 10
		case unicode.IsLetter(r) || unicode.IsMark(r):
			score += beside(last, r)
		case r >= utf8.RuneSelf && unicode.IsLetter(last) && !unicode.IsPunct(r):
			score -= 3 // a sign at the end of a word
		}
		last = r
	}
	return score
}

// frequent are characters of which Chinese texts are full, in both forms.
var frequent = func() map[rune]bool {
	all := map[rune]bool{}
	for _, r := range "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她" +
		"里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老" +
		"从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机" +
		"给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产" +
		"入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提" +
		"感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛" +
		"林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权" +
		"往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式" +
		"李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据" +
		"导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏" +
		"這個來國說們為時會過還後對學發經現將與進實點種聲話問機給幾業間麼東電門聽氣關並內產員書報馬張難數" +
		"車應親務記邊戰許覺題統請愛讓認論義術結連遠資隊帶條變聯權該領傳紅達辦運強區轉輕語滿寫識極黃錢黨設" +
		"雙歷" {
		all[r] = true
	}
	return all
}()

// frequentHangul are syllables of which Korean texts are full.
var frequentHangul = func() map[rune]bool {
	all := map[rune]bool{}
	for _, r := range "이다는에의가을를은지고하한도로기서어아사나자리대인있것수그들시만해게정일여부주와보니전원라상장구" +
		"과우제스동었성조으면신소공미적화안국내무유중교방개선했않없년명문때생경학입실말물분오위회후모간건" +
		"용연산본또세" {
		all[r] = true
	}
	return all
}()

// beside scores a letter or sign beyond ASCII by itself and by what stands before it.
func beside(last, r rune) int {
	switch {
	case r >= 0xff61 && r <= 0xff9f, r >= 0x3130 && r < 0x3190: // half kana and single jamo, into which much decodes
		return -3
	case unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return 4
	case unicode.Is(unicode.Hangul, r):
		if frequentHangul[r] {
			return 5
		}
		return 1
	case unicode.Is(unicode.Han, r):
		if frequent[r] {
			return 5
		}
		return 1
	case !unicode.IsLetter(last) && !unicode.IsMark(last):
		return 1
	case unicode.IsUpper(r) && unicode.IsLower(last):
		return -4
	case !sameScript(last, r):
		return -4
	case unicode.Is(unicode.Latin, r) && r >= utf8.RuneSelf && last >= utf8.RuneSelf:
		return -2 // letters with accents stand alone among others
	case strings.ContainsRune(frequentLetters, r):
		return 4
	}
	return 2
}

// frequentLetters are the usual ones of Cyrillic, Greek, Hebrew and Arabic: another encoding makes
// rare ones of them.
const frequentLetters = "оеаинтсрвл" + "αοιετνσρκπ" + "ויהלאתמרבנ" + "اليمونرتبه"

// sameScript says whether two letters can stand in one word.
func sameScript(a, b rune) bool {
	for _, script := range []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Arabic,
		unicode.Hebrew, unicode.Thai} {
		if unicode.Is(script, a) {
			return unicode.Is(script, b)
		}
	}
	return false
}
