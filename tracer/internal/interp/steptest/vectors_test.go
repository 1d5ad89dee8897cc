package steptest_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/interp"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
)

// What a processor must have for the forms of a prefix.
var features = map[byte][]string{
	0: {"ssse3", "sse4_1", "sse4_2", "aes", "pclmulqdq", "sha_ni", "gfni"},
	2: {"avx", "avx2", "fma", "aes", "pclmulqdq", "vaes", "vpclmulqdq", "gfni", "avx512f", "avx512bw", "avx512dq"},
	4: {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vbmi2", "avx512vbmi", "avx512_bitalg", "avx512_vpopcntdq", "avx512ifma", "avx512cd",
		"gfni", "vaes", "vpclmulqdq"},
}

// missing returns what this processor does not have.
func missing(prefix byte) (names []string) {
	info, _ := os.ReadFile("/proc/cpuinfo")
	has := map[string]bool{}
	for line := range strings.Lines(string(info)) {
		if strings.HasPrefix(line, "flags") {
			for _, f := range strings.Fields(line) {
				has[f] = true
			}
		}
	}
	for _, f := range features[prefix] {
		if !has[f] {
			names = append(names, f)
		}
	}
	return names
}

// fromForm is set for the process that executes the forms from this number on.
const fromForm = "PEP_STEPTEST_FROM"

// TestVectorsAndProcessor compares the machine with the processor, for random instructions of all encodings that the
// decoder accepts. A process of its own executes them: if it dies, the processor does not know an instruction that the
// decoder accepts.
func TestVectorsAndProcessor(t *testing.T) {
	if from := os.Getenv(fromForm); from != "" {
		n, _ := strconv.Atoi(from)
		vectorForms(t, n)
		return
	}
	for from := "0"; from != ""; {
		cmd := exec.Command(os.Args[0], "-test.run=^TestVectorsAndProcessor$", "-test.v", fmt.Sprintf("-test.short=%v", testing.Short()))
		cmd.Env = append(os.Environ(), fromForm+"="+from)
		out, err := cmd.CombinedOutput()
		from = ""
		for line := range strings.Lines(string(out)) {
			if at, ok := strings.CutPrefix(line, "at "); ok {
				from = at
			} else if strings.HasPrefix(line, "wrong: ") {
				t.Error(line)
			} else if _, text, ok := strings.Cut(line, ".go:"); ok && err == nil {
				t.Log(strings.TrimSpace(text))
			}
		}
		if err == nil {
			return
		}
		at, insn, _ := strings.Cut(strings.TrimSpace(from), " ")
		if insn == "" || strings.Contains(string(out), "--- FAIL") {
			t.Fatalf("%s", out)
		}
		t.Errorf("the processor refuses %s", insn)
		n, _ := strconv.Atoi(at)
		from = strconv.Itoa(n + 1)
	}
}

func vectorForms(t *testing.T, first int) {
	lack := map[byte][]string{}
	for prefix := range features {
		if lack[prefix] = missing(prefix); lack[prefix] != nil {
			t.Logf("not tested: prefix %d, as this processor has no %s", prefix, strings.Join(lack[prefix], " "))
		}
	}
	native, err := steptest.NewNative(lack[4] == nil)
	must(t, err)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	times := 150
	if testing.Short() {
		times = 20
	}
	c, m := new(interp.Code), new(interp.Machine)
	memory := make([]uint64, 1<<13)
	c.Init(unsafe.Pointer(&memory[0]), 1<<16)
	c.Exact = true
	m.Init(c)
	compared, accepted := 0, map[byte]int{}
	for i, f := range steptest.VectorForms() {
		if i < first || lack[f.Prefix] != nil {
			continue
		}
		ok := 0
		for try := 0; try < times && (ok > 0 || try < 20); try++ {
			if ok > 0 {
				native.Fill(r)
			}
			insn := f.Random(r, native)
			native.Set(insn)
			if !interpreted(c, m, native) {
				continue
			}
			if ok == 0 {
				accepted[f.Prefix]++
			}
			ok++
			fmt.Printf("at %d % x\n", i, insn)
			native.Run()
			if what := differs(m, native, len(insn)); what != "" {
				fmt.Printf("wrong: % x: %s; registers %x, masks %x, vectors %x\n", insn, what, native.In.R, native.In.K, native.In.V)
				break
			}
			compared++
		}
	}
	t.Logf("%d instructions compared, of %v forms by prefix", compared, accepted)
	runtime.KeepAlive(memory)
}

// interpreted interprets the instruction, if the machine knows it.
func interpreted(c *interp.Code, m *interp.Machine, n *steptest.Native) bool {
	c.Clear()
	copy(m.R[:], n.In.R[:])
	copy(m.R[24:], n.In.K[:])
	copy(m.Vectors[:], n.In.V[:])
	m.MXCSR = 0x1f80
	m.Reset(n.Entry, n.In.Flags)
	return m.Run(1) == interp.Done
}

// differs compares the machine with what the processor did.
func differs(m *interp.Machine, n *steptest.Native, size int) string {
	const arithmetic = 0x8c5
	out := n.Out
	for i, hw := range out.R {
		if i != 4 && m.R[i] != hw {
			return fmt.Sprintf("register %d is %#x, the processor has %#x", i, m.R[i], hw)
		}
	}
	for i, hw := range out.K {
		if m.R[24+i] != hw {
			return fmt.Sprintf("mask %d is %#x, the processor has %#x", i, m.R[24+i], hw)
		}
	}
	for i, hw := range out.V {
		if m.Vectors[i] != hw && (i < 16 || n.In.V[i] != [8]uint64{}) {
			return fmt.Sprintf("vector %d is %x, the processor has %x", i, m.Vectors[i], hw)
		}
	}
	if m.Flags() != out.Flags&arithmetic {
		return fmt.Sprintf("flags %#x, the processor has %#x", m.Flags(), out.Flags&arithmetic)
	}
	if m.PC != n.Entry+uint64(size) {
		return fmt.Sprintf("PC is %#x too large", m.PC-n.Entry-uint64(size))
	}
	for at := 0x3c00; at < 0x4600; at += 8 {
		hw := binary.LittleEndian.Uint64(n.Data[at:])
		if v, ok := m.Load(n.Address()+uint64(at), 8); !ok || v != hw {
			return fmt.Sprintf("memory %#x is %#x, the processor has %#x", at, v, hw)
		}
	}
	return ""
}
