package csvtext

import (
	"encoding/csv"
	"strings"
	"testing"
)

func TestSafe(t *testing.T) {
	for text, want := range map[string]string{"": "", "/": "/", "a=b": "a=b", "=1+1": "'=1+1", "+1": "'+1", "-1": "-1",
		"-12.5": "-12.5", "-0": "-0", "-1e3": "-1e3", "-1.5E-7": "-1.5E-7", "-1e+7": "-1e+7", "-": "'-", "-.5": "'-.5",
		"-1.": "'-1.",
		"-1e": "'-1e", "-e1": "'-e1", "--1": "'--1", "-1-1": "'-1-1", "-1 ": "'-1 ",
		"-1+cmd|' /C calc'!A0": "'-1+cmd|' /C calc'!A0",
		"-1e+-1":               "'-1e+-1", "-١": "'-١", "＝1": "'＝1", "－1": "'－1", "＋1": "'＋1", "＠x": "'＠x",
		"\xff=":    "\xff=",
		"@SUM(A1)": "'@SUM(A1)",
		"\t=1":     "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1", "ü": "ü", "'=1": "'=1"} {
		if got := Safe(text); got != want {
			t.Errorf("Safe(%q) is %q, want %q", text, got, want)
		}
	}
}

func TestAppend(t *testing.T) {
	for _, text := range []string{"a", "", "a,b", `"`, `a"b`, "a\nb", "a\r\nb", " a", "\ta", "ü", "'=1"} {
		line := append(Append([]byte("x,"), text), ",y\n"...)
		got, err := csv.NewReader(strings.NewReader(string(line))).Read()
		want := strings.ReplaceAll(text, "\r\n", "\n") // as encoding/csv reads it
		if err != nil || len(got) != 3 || got[1] != want {
			t.Errorf("%q is read as %q, %v", line, got, err)
		}
	}
}
