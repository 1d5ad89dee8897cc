package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCheckoutsOfAgainst(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "now"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "cmd", "pepbuild"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, tt := range []struct {
		against string
		want    []named
		err     string // part of it
	}{
		{"a", []named{{"a", filepath.Join(dir, "a")}}, ""},
		{"a,old=b", []named{{"a", filepath.Join(dir, "a")}, {"old", filepath.Join(dir, "b")}}, ""},
		{"a,old=a", []named{{"a", filepath.Join(dir, "a")}, {"old", filepath.Join(dir, "a")}}, ""},
		{"", nil, "-against names no checkout to compare with"},
		{"c", nil, "-against c: no checkout of this project"},
		{"a,b,a", nil, "-against a: another checkout has the name a: write NAME="},
		{"now", nil, "-against now: another checkout has the name now: write NAME="},
	} {
		got, err := parseCheckouts(tt.against)
		switch {
		case tt.err == "" && (err != nil || !slices.Equal(got, tt.want)):
			t.Errorf("%q: got %v, %v, want %v", tt.against, got, err, tt.want)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%q: got error %v, want %s", tt.against, err, tt.err)
		}
	}
}

func TestWordsOfAList(t *testing.T) {
	for list, want := range map[string][]string{"": {}, "a": {"a"}, "a,,b,": {"a", "b"}} {
		if got := words(list); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", list, got, want)
		}
	}
}
