package micro_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/tracer/internal/interp/micro"
)

var update = flag.Bool("update", false, "write micro.h for the programs in C")

// TestHeaderHasTheNumbersOfMicro keeps the C program and package micro in step.
func TestHeaderHasTheNumbersOfMicro(t *testing.T) {
	const name = "../bpf/micro.h"
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Written by go test ./tracer/internal/interp/micro -update; do not edit. The meanings are in package micro.\n#pragma once\n\nenum {\n")
	line := func(name string, n int) {
		name = strings.ToUpper(strings.ReplaceAll(name, " ", "_"))
		fmt.Fprintf(&b, "\t%s = %d,\n", name, n)
	}
	for _, k := range micro.Kinds() {
		line("kind_"+k.String(), int(k))
	}
	for i, s := range []string{"none", "register", "immediate", "in_memory"} {
		line(s, i)
	}
	for i, s := range []string{"signed", "write_only", "src_high", "dst_high", "clobber", "third", "count_cl", "noted"} {
		line("flag_"+s, 1<<i)
	}
	for i, s := range []string{"result", "addr", "first", "second", "named"} {
		line("have_"+s, 1<<i)
	}
	for _, s := range micro.Stops() {
		line("stop_"+stopWord(s), int(s))
	}
	b.WriteString("};\n")
	if *update {
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is out of date: run go test ./tracer/internal/interp/micro -update, then go generate ./tracer/internal/interp/bpf (%v)", name, err)
	}
	if n := unsafe.Sizeof(micro.Op{}); n != micro.OpSize {
		t.Errorf("an Op has %d bytes, want %d", n, micro.OpSize)
	}
	if micro.InMemory != 3 || micro.FlagNoted != 128 || micro.HaveNamed != 16 {
		t.Error("numbers of operands, flags or fields have changed: change the lists above")
	}
}

func stopWord(s micro.Stop) string {
	words := map[micro.Stop]string{micro.Unsupported: "unsupported", micro.String: "string", micro.StoresFull: "stores_full", micro.Divide: "divide"}
	if w, ok := words[s]; ok {
		return w
	}
	return s.String()
}
