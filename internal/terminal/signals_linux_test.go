package terminal

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// forwards is the environment variable that makes a process of this test a command that started a program. It is the
// program, for the shell. With the other it is a program that tells of interrupts.
const forwards, tells = "TEST_FORWARDS", "TEST_TELLS"

func TestMain(m *testing.M) {
	if os.Getenv(tells) != "" {
		tell()
		return
	}
	script := os.Getenv(forwards)
	if script == "" {
		os.Exit(m.Run())
	}
	program := exec.Command("sh", "-c", script)
	program.Stdout = os.Stdout
	if err := program.Start(); err != nil {
		panic(err)
	}
	stop := Forward(program, func() {
		time.Sleep(50 * time.Millisecond) // sleep is dead by then
		fmt.Println("signal")
	})
	fmt.Println("ready")
	err := program.Wait()
	stop()
	stop()
	fmt.Println(err)
}

// tell prints a line for each interrupt, until another signal comes.
func tell() {
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	fmt.Println("program")
	for s := range signals {
		if s == syscall.SIGTERM {
			fmt.Println("end")
			return
		}
		fmt.Println("interrupt")
	}
}

// start starts this test as a command. It is killed if it takes too long.
func start(t *testing.T, script string, stdout *os.File, attr *syscall.SysProcAttr) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), forwards+"="+script)
	cmd.Stdin, cmd.Stdout, cmd.SysProcAttr = stdout, stdout, attr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop(); cmd.Process.Kill(); cmd.Wait() })
	return cmd
}

// TestForward sends signals to a command that has no terminal.
func TestForward(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) { // as nohup does; and then the program ignores it, too
			t.Logf("this test has to ignore %v", s)
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := start(t, "exec sleep 60", w, &syscall.SysProcAttr{Setsid: true})
		w.Close()
		lines := bufio.NewScanner(r)
		for _, want := range []string{"ready", "signal", "signal: " + s.String()} {
			if !lines.Scan() || lines.Text() != want {
				t.Errorf("%v: %q, want %q", s, lines.Text(), want)
			}
			if want == "ready" {
				cmd.Process.Signal(s)
			}
		}
		r.Close()
	}
}

// TestForwardCtrlC types ctrl-C at a terminal, which sends it to the program by itself.
func TestForwardCtrlC(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := start(t, tells+"=1 exec '"+os.Args[0]+"'", slave, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	slave.Close()
	lines := bufio.NewScanner(master)
	seen := make(map[string]int)
	for lines.Scan() {
		line := strings.TrimPrefix(lines.Text(), "^C")
		seen[line]++
		switch {
		case seen["ready"] == 1 && seen["program"] == 1 && seen["signal"] == 0 && (line == "ready" || line == "program"):
			master.Write([]byte{3})
		case seen["signal"] == 1 && seen["interrupt"] > 0 && (line == "signal" || line == "interrupt") &&
			seen["interrupt"] == 1:
			time.Sleep(300 * time.Millisecond) // a second interrupt would have come by then
			cmd.Process.Signal(syscall.SIGTERM)
		}
		if seen["end"] > 0 {
			break
		}
	}
	if seen["interrupt"] != 1 || seen["end"] != 1 {
		t.Errorf("the terminal showed %v", seen)
	}
}
