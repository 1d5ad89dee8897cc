/* Declarations for BPF programs on x86-64, as far as probe.c needs them. The numbers of
   helpers and map types are those of the kernel's uapi/linux/bpf.h, and struct regs has the
   layout of struct pt_regs of arch/x86/include/asm/ptrace.h. They are written here so that
   nobody needs the kernel's headers to compile the program. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

#define SEC(name) __attribute__((section(name), used))
#define inline __inline__ __attribute__((always_inline))

/* A map's definition: struct { uint(type, ARRAY); type(key, u32); … } name SEC(".maps") */
#define uint(name, value) int(*name)[value]
#define type(name, t) t *name

enum {
	HASH = 1,
	ARRAY = 2,
	PERCPU_ARRAY = 6,
};

enum { ANY = 0, NOEXIST = 1 };

static void *(*const map_lookup)(void *map, const void *key) = (void *)1;
static long (*const map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*const map_delete)(void *map, const void *key) = (void *)3;
static u64 (*const ktime)(void) = (void *)5;
static u64 (*const current_pid_tgid)(void) = (void *)14;
static long (*const copy_from_user)(void *dst, u32 size, const void *src) = (void *)148;
static u64 (*const attach_cookie)(void *ctx) = (void *)174;
static long (*const loop)(u32 n, void *f, void *ctx, u64 flags) = (void *)181;

struct regs {
	u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	u64 orig_ax, ip, cs, flags, sp, ss;
};
