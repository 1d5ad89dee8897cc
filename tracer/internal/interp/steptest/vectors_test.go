package steptest_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
)

// vectorsOfGo has an example of each vector instruction in the code of Go's own commands and of a program with most of
// the packages for ciphers, images and numbers.
const vectorsOfGo = `
addsd f20f58c9, addss f30f58c9, aesdec 660f38dec1, aesdeclast 660f38dfc1, aesenc 660f38dcc0, aesenclast 660f38ddc1,
aesimc 660f38dbc1, aeskeygenassist 660f3adfca01, andnpd 660f55d0, andpd 660f54d0, cmpnltsd f20fc2c205, comisd
660f2fc1, cvtsd2si f20f2dd9, cvtsd2ss f20f5ac0, cvtsi2sd f20f2ac6, cvtsi2ss f3480f2ac8, cvtss2sd f30f5ac1, cvttsd2si
f20f2cc0, divsd f20f5eca, divss f30f5eca, kmovb c5f992c9, kmovq c4e1fb92c8, kmovw c57893f9, maxsd f20f5fc1, minsd
f20f5dc2, movapd 660f28da, movaps 0f28ea, movd 660f6ecf, movdqa 660f6fe6, movdqu f30f6f06, movq f30f7e06, movsd
f20f1011, movss f30f1016, movups 0f10c1, mulsd f20f59ca, mulss f30f59ca, orpd 660f56d0, paddd 660ffec4, paddq
66450fd4c1, palignr 660f3a0fdb04, pand 660fdbc2, pandn 660fdfc6, pblendw 660f3a0ed7f0, pclmulhqhqdq 660f3a44e811,
pclmulhqlqdq 660f3a44c101, pclmullqhqdq 660f3a44c810, pclmullqlqdq 660f3a44c800, pcmpeqb 660f74c8, pcmpeqd 66450f76e5,
pcmpestri 660f3a610f0c, pextrb 660f3a140600, pextrd 660f3a16c801, pinsrb 660f3a200600, pinsrd 660f3a220002, pinsrq
66480f3a220001, pinsrw 660fc4c104, pmovmskb 660fd7c1, por 660febc2, pshufb 660f3800cf, pshufd 660f70c000, pshufhw
f30f70c000, pshuflw f20f70c000, psignb 660f3808c0, pslld 660f72f410, pslldq 660f73fd04, psrad 66410f72e31f, psrld
660f72d414, psrldq 660f73d908, psrlq 660f73d320, psubd 66450ffafe, punpcklbw 660f60c0, punpcklqdq 660f6cc1, pxor
660fefca, roundsd 660f3a0bd903, sha1msg1 0f38c9ca, sha1msg2 0f38cacc, sha1nexte 0f38c8f2, sha1rnds4 0f3accc500,
sha256msg1 0f38ccdc, sha256msg2 0f38cdde, sha256rnds2 0f38cbd1, shufps 0fc6e010, sqrtsd f20f51c8, subsd f20f5cd0,
subss f30f5cc8, ucomisd 660f2eca, ucomiss 0f2eca, vbroadcasti128 c4427d5a7010, vextractf32x4 62f37d4819ca01,
vfmadd231sd c4e2e9b9ca, vfmadd231ss c4e269b9c1, vfnmadd231sd c4e2f1bdc2, vgf2p8affineqb 62f3fd48cec100, vinserti128
c4c37d38450001, vmovaps c4c17829c2, vmovdqa c5fd7f07, vmovdqa64 62f1fd486f0e, vmovdqu c5fe6f16, vmovdqu64
62f1fe486f08, vmovntdq c5fde707, vpaddd c51dfee4, vpaddq c5fdd4c4, vpalignr c4430d0fc708, vpand c5d5dbf4, vpandq
62f1e548dbc9, vpblendd c4e35d02e2f0, vpbroadcastb c4e27d78c8, vpclmulhqhqdq 62f3754844e811, vpclmullqlqdq
62f3754844c800, vpcmpeqb c5e574c2, vpcmpnequq 62f385481ec904, vpcompressq 62f2fd498bc9, vperm2f128 c4e34506c603,
vperm2i128 c4e30d46d802, vpermb 62f27d488dc4, vpermi2b 62f27d4875cc, vpmovmskb c5fdd7c0, vpopcntb 62f27d4854d9, vpor
c5fdebc7, vporq 62f1d548ebd0, vpshufb c4427d00fa, vpshufd c5fd70d7fa, vpslld c5fd72f701, vpslldq c5b573ff0c, vpsllq
c5e573f13f, vpsrld c5c572d71f, vpsrldq c5fd73df04, vpsrlq c5e573d213, vpternlogd 62d3554825cb96, vptest c4e27d17db,
vpxor c5f9efc0, vpxorq 6251ad48efd2, vzeroupper c5f877, xorps 0f57c0`

// TestVectorsOfGo checks that none of them ends a window.
func TestVectorsOfGo(t *testing.T) {
	native, err := steptest.NewNative(false)
	must(t, err)
	c, m := newVectorMachine()
	for _, example := range strings.Split(vectorsOfGo, ",") {
		words := strings.Fields(example)
		insn, err := hex.DecodeString(words[1])
		must(t, err)
		for i := range native.In.R {
			native.In.R[i] = native.Address() + 0x4000
		}
		native.Set(insn)
		if !interpreted(c, m, native) || m.PC != native.Entry+uint64(len(insn)) {
			t.Errorf("%s is not interpreted", words)
		}
	}
}

func newVectorMachine() (*interp.Code, *interp.Machine) {
	c, m := new(interp.Code), new(interp.Machine)
	memory := make([]uint64, 1<<13)
	c.Init(unsafe.Pointer(&memory[0]), 1<<16)
	c.Exact = true
	m.Init(c)
	return c, m
}

// What a processor must have for the forms of a prefix.
var features = map[byte][]string{
	0: {"ssse3", "sse4_1", "sse4_2", "aes", "pclmulqdq", "sha_ni", "gfni"},
	2: {"avx", "avx2", "fma", "aes", "pclmulqdq", "vaes", "vpclmulqdq", "gfni"},
	4: {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vbmi2", "avx512vbmi", "avx512_bitalg", "avx512_vpopcntdq",
		"avx512ifma", "avx512cd", "gfni", "vaes", "vpclmulqdq"},
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
		short := fmt.Sprintf("-test.short=%v", testing.Short())
		cmd := exec.Command(os.Args[0], "-test.run=^TestVectorsAndProcessor$", "-test.v", short)
		cmd.Env = append(os.Environ(), fromForm+"="+from)
		out, err := cmd.CombinedOutput()
		from = ""
		for line := range strings.Lines(string(out)) {
			if at, ok := strings.CutPrefix(line, "at "); ok {
				from = at
			} else if strings.HasPrefix(line, "wrong: ") {
				t.Error(line)
			} else if _, text, ok := strings.Cut(line, "_test.go:"); ok && err == nil {
				_, text, _ = strings.Cut(text, ": ")
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
	c, m := newVectorMachine()
	compared, accepted := 0, map[byte]int{}
	for i, f := range steptest.VectorForms() {
		if i < first || lack[f.Features()] != nil {
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
				fmt.Printf("wrong: % x: %s; registers %x, masks %x, vectors %x\n", insn, what, native.In.R, native.In.K,
					native.In.V)
				break
			}
			compared++
		}
	}
	t.Logf("%d instructions compared, of %v forms by prefix", compared, accepted)
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
		if m.Vectors[i] != hw {
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
