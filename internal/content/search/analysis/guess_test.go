package analysis

import "testing"

func TestJapaneseIsToldByItsKana(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for text, want := range map[string]string{
		"花屋つむぎ 水瀬町の小さな花屋です。花束、鉢植え、花びんをそろえています。": "ja",
		"USB ケーブル 1.5 m":    "ja",
		"北京市朝阳区建国路九十三号院五号楼": "",
		"A tea bowl from Japan, called matcha-wan (抹茶わん), with a spout and a stand of cherry wood": "en",
	} {
		if got := a.Guess(text); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}
