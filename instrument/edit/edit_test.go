package edit

import (
	"fmt"
	"testing"
)

func Example() {
	b := New([]byte("if a && b {"))
	b.Insert(11, " n++")
	b.Insert(0, "{ ")
	b.Replace(5, 7, "then")
	fmt.Println(b)
	// Output: { if a then b { n++
}

func TestEdits(t *testing.T) {
	const text = "0123456789"
	for _, test := range []struct {
		name string
		edit func(b *Buffer)
		want string
	}{
		{"No edit changes nothing.", func(b *Buffer) {}, text},
		{"Insertions at one offset keep their order.", func(b *Buffer) {
			b.Insert(5, "a")
			b.Insert(0, "x")
			b.Insert(5, "b")
		}, "x01234ab56789"},
		{"Insertions stand before what replaces the text there.", func(b *Buffer) {
			b.Replace(5, 7, "R")
			b.Insert(5, "i")
		}, "01234iR789"},
		{"An insertion at the end of a replaced text stays.", func(b *Buffer) {
			b.Insert(7, "i")
			b.Replace(5, 7, "R")
		}, "01234Ri789"},
		{"Edits within replaced text are dropped.", func(b *Buffer) {
			b.Insert(6, "lost")
			b.Replace(7, 8, "lost")
			b.Replace(5, 9, "R")
		}, "01234R9"},
		{"Text can be inserted at both ends.", func(b *Buffer) {
			b.Insert(10, "e")
			b.Insert(0, "s")
		}, "s0123456789e"},
		{"Moved text takes the edits within it along.", func(b *Buffer) {
			b.Insert(3, "i")
			b.Replace(4, 5, "")
			b.Replace(2, 6, "")
			b.Move(2, 6, 9)
		}, "01678" + "2i35" + "9"},
		{"Moved text does not take the insertions at its end.", func(b *Buffer) {
			b.Insert(4, "i")
			b.Replace(2, 4, "")
			b.Move(2, 4, 8)
		}, "01i4567" + "23" + "89"},
		{"Texts can be moved to one place, with others between.", func(b *Buffer) {
			b.Replace(0, 5, "")
			b.Insert(6, "<")
			b.Move(0, 1, 6)
			b.Insert(6, "|")
			b.Move(3, 5, 6)
			b.Insert(6, ">")
		}, "5<0|34>6789"},
	} {
		b := New([]byte(text))
		test.edit(b)
		if got := b.String(); got != test.want {
			t.Errorf("%s got %s, want %s", test.name, got, test.want)
		}
		if b.Changed() != (test.want != text) {
			t.Errorf("%s Changed is wrong", test.name)
		}
	}
}
