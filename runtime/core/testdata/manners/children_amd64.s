#include "textflag.h"

#define SYS_getpid	39
#define SYS_clone	56
#define SYS_vfork	58
#define SYS_execve	59
#define SYS_kill	62
#define SYS_exit_group	231
#define SIGKILL	9

// func child(flags, how uintptr, path *byte, argv, envp **byte) (pid int)
TEXT ·child(SB), NOSPLIT, $0-48
	MOVL	$SYS_vfork, AX
	MOVQ	flags+0(FP), DI
	TESTQ	DI, DI
	JEQ	make
	MOVL	$SYS_clone, AX
make:
	XORL	SI, SI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	SYSCALL
	TESTQ	AX, AX
	JEQ	inChild
	MOVQ	AX, pid+40(FP)
	RET
inChild:
	CALL	·childWork(SB)
	CMPQ	how+8(FP), $1
	JLT	kill
	JEQ	exit
	MOVQ	path+16(FP), DI
	MOVQ	argv+24(FP), SI
	MOVQ	envp+32(FP), DX
	MOVL	$SYS_execve, AX
	SYSCALL
	JMP	exit
kill:
	MOVL	$SYS_getpid, AX
	SYSCALL
	MOVL	AX, DI
	MOVL	$SIGKILL, SI
	MOVL	$SYS_kill, AX
	SYSCALL
exit:
	MOVL	$7, DI
	MOVL	$SYS_exit_group, AX
	SYSCALL
	INT	$3
