package progress_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/internal/progress"
)

// screen returns what a terminal shows in its line after it got the text.
func screen(text string) string {
	line := []byte{}
	at := 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\r':
			at = 0
		case strings.HasPrefix(text[i:], "\x1b[K"):
			line = line[:at]
			i += len("\x1b[K") - 1
		default:
			line = append(line[:at], append([]byte{text[i]}, line[min(at+1, len(line)):]...)...)
			at++
		}
	}
	return string(line)
}

func TestBar(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	var out bytes.Buffer
	b := &progress.Bar{W: &out, Total: 100_000_000, Now: func() time.Time { return now }}
	for _, x := range []struct {
		after time.Duration // since the line before
		done  uint64
		want  string
	}{
		{0, 0, ""},
		{900 * time.Millisecond, 1_000_000, ""}, // shorter than a second
		{1100 * time.Millisecond, 2_000_000, "[>                             ]   2% of 100000000 events, 1 min 38 s left"},
		// too soon
		{100 * time.Millisecond, 3_000_000, "[>                             ]   2% of 100000000 events, 1 min 38 s left"},
		{42 * time.Second, 33_400_000, "[==========>                   ]  33% of 100000000 events, 1 min 28 s left"},
		{5900 * time.Millisecond, 99_000_000, "[=============================>]  99% of 100000000 events, 1 s left"},
		{time.Second, 100_000_000, "[==============================] 100% of 100000000 events, 0 s left"},
		{time.Second, 100_000_001, "100000001 events in 52 s"},
	} {
		now = now.Add(x.after)
		b.At(x.done)
		if got := screen(out.String()); got != x.want {
			t.Errorf("after %d events: got %q, want %q", x.done, got, x.want)
		}
	}
	b.End()
	if got := screen(out.String()); got != "" {
		t.Errorf("%q is left", got)
	}
}

func TestWithoutATotal(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	var out bytes.Buffer
	b := &progress.Bar{W: &out, Now: func() time.Time { return now }}
	b.At(0)
	now = now.Add(2*time.Hour + 3*time.Minute + 4*time.Second)
	b.At(7)
	if got, want := screen(out.String()), "7 events in 2 h 3 min"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A run that shows nothing leaves no escape sequences either.
func TestShortRun(t *testing.T) {
	var out bytes.Buffer
	b := &progress.Bar{W: &out, Total: 10, Now: func() time.Time { return time.Unix(5, 0) }}
	b.At(1)
	b.End()
	if out.Len() > 0 {
		t.Errorf("%q", &out)
	}
}

// There is no bar on anything but a terminal. A new pseudo-terminal is one.
func TestTerminals(t *testing.T) {
	pipe, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer end.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if progress.New(end, 1, false) != nil || progress.New(null, 1, false) != nil ||
		progress.New(&bytes.Buffer{}, 1, false) != nil {
		t.Error("a pipe, the null device or a buffer is a terminal")
	}
	var none *progress.Bar
	none.At(1)
	none.End()
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals here: %v", err)
	}
	defer pty.Close()
	if progress.New(pty, 1, false) == nil || progress.New(pty, 1, true) != nil {
		t.Error("a pseudo-terminal is no terminal, or quiet is ignored")
	}
}
