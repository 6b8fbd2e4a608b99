package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestTable: each fault of the table can be put in: where the code moved, the table
// moves with it.
func TestTable(t *testing.T) {
	t.Chdir("../..")
	all, err := readFaults("tools/mutate/faults.txt")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d faults, %v", len(all), err)
	}
	for _, f := range all {
		if _, err := f.put(); err != nil {
			t.Error(err)
		}
		there := map[string]bool{}
		files, _ := filepath.Glob(filepath.Join(f.pkg, "*_test.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range testNames(string(text)) {
				there[name] = true
			}
		}
		for name := range strings.SplitSeq(strings.Trim(f.tests, "^$()"), "|") {
			if !there[name] {
				t.Errorf("%s: %s has no test %s", f.title, f.pkg, name)
			}
		}
	}
}

// TestPut: a fault takes the place of lines that are there once.
func TestPut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.tf")
	if err := os.WriteFile(file, []byte("a {\n  b = 1\n  c = { # of\n  d = 2 }\n  b = 1\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f          fault
		text, want string
	}{
		{fault{before: []string{"c = { # of", "d = 2 }"}, after: []string{"e = 3"}}, "a {\n  b = 1\ne = 3\n  b = 1\n}\n", ""},
		{fault{before: []string{"b = 1"}}, "", "2 times, not once"},
		{fault{before: []string{"b = 1"}, line: 5}, "a {\n  b = 1\n  c = { # of\n  d = 2 }\n}\n", ""},
		{fault{before: []string{"b = 2"}}, "", "0 times, not once"},
	} {
		c.f.file = file
		text, err := c.f.put()
		if text != c.text || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %q, %v", c.f.before, text, err)
		}
	}
	all, err := loadHCL(file)
	if err != nil || len(all) != 2 || all[1].title != file+": a: b = 1 -> (nothing)" || all[1].line != 5 {
		t.Errorf("got %+v, %v", all, err)
	}
}

// TestSince: those that survived before are no news, one as often as it was there.
func TestSince(t *testing.T) {
	before := result{survived: []string{"a", "b", "b"}}
	for want, survived := range [][]string{{"b", "a"}, {"b", "b", "b"}, {"a", "c", "d"}} {
		if got := (result{survived: survived}).since(before); got != want {
			t.Errorf("%v: %d are new, want %d", survived, got, want)
		}
	}
}

// TestReport: what is written is read again, with the survivors of each folder.
func TestReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.md")
	if r, err := readReport(file); err != nil || len(r) != 0 {
		t.Errorf("without a file: %v, %v", r, err)
	}
	want := report{
		"a":   {made: 9, noticed: 3, equivalent: 1, survived: []string{"a/x.go: f: b || c -> b", "a/y.go: g: 1 -> 1 + 1"}},
		"a/b": {made: 2, noticed: 2},
	}
	if err := want.write(file); err != nil {
		t.Fatal(err)
	}
	if got, err := readReport(file); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, want)
	}
}
