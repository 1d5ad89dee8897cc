// What our BPF programs need of the kernel's interface, written by hand: a generated
// vmlinux.h has four megabytes. All of this is stable: UAPI, or relocated at load time.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))
#define GLOBAL __attribute__((noinline)) // the verifier looks at such a function once, not at each call
#define KERNEL_TYPE __attribute__((preserve_access_index)) // offsets come from the kernel's BTF

// Maps are described by the types of these fields.
#define UINT(name, value) int (*name)[value]
#define TYPE(name, type) typeof(type) *name

enum { MAP_HASH = 1, MAP_ARRAY = 2, MAP_PERCPU_ARRAY = 6, MAP_LRU_HASH = 9, MAP_RINGBUF = 27 };
enum { NOEXIST = 1 };
enum { RB_NO_WAKEUP = 1 };

struct task_struct;
static void *(*map_lookup)(void *map, const void *key) = (void *)1;
static long (*map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static u64 (*ktime_get_ns)(void) = (void *)5;
static u32 (*prandom_u32)(void) = (void *)7;
static u32 (*smp_processor_id)(void) = (void *)8;
static u64 (*current_pid_tgid)(void) = (void *)14;
static u64 (*current_task)(void) = (void *)35;
static long (*probe_read_user)(void *dst, u32 size, const void *addr) = (void *)112;
static long (*probe_read_kernel)(void *dst, u32 size, const void *addr) = (void *)113;
static long (*ringbuf_output)(void *map, void *data, u64 size, u64 flags) = (void *)130;
static struct task_struct *(*current_task_btf)(void) = (void *)158;
static void *(*task_pt_regs)(struct task_struct *task) = (void *)175;
static u64 (*get_attach_cookie)(void *ctx) = (void *)174;
static long (*loop)(u32 n, void *callback, void *ctx, u64 flags) = (void *)181;

static long (*copy_from_user_task)(void *dst, u32 size, const void *addr, struct task_struct *task, u64 flags) = (void *)191;

// Registers of an interrupted thread, in the kernel's order.
struct pt_regs {
	u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

struct perf_event_data {
	struct pt_regs regs;
	u64 sample_period, addr;
};

// BOUND makes the compiler forget what it knows of v and mask it again, so that the
// verifier, too, sees the bound.
#define BOUND(v, mask) ({ asm volatile("" : "+r"(v)); v &= (mask); asm volatile("" : "+r"(v)); v; })
