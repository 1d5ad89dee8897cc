# Cache conflicts (the paper's section 4): which instructions load a block again that was loaded a
# short time ago, and into which set of the cache. An event is an access with its address that has
# missed the cache, for example behind the engine cache(32K).
#
# The blocks of the last 64 misses have slots 0 to 63 of the associative array; B0 has the blocks.
# The next miss replaces slot I0. If a block is there, the cache has lost it in between: a conflict.
# An instruction and a set have one of slots 64 to 127: B1 has the PC, B2 the set in the low half
# of a word, and the number of conflicts in the high half. I2 is the next one. When all are in use,
# and when a number has reached its largest value, the program interrupts.
#
# Keys of blocks have bit 31 clear and keys of instructions have it set, so none is taken for
# another.

.host   conflicts
.sample pc addr
.entry  load addr misses

.const  K0 0xfc0                # the bits of an address that are the number of the set: 64 sets
.const  K1 0xffffffffffffffc0   # those without the offset in the block: blocks of 64 bytes
.const  K2 0x7fffffff
.const  K3 0x80000000
.const  K4 0
.base   B0 0 64         # blocks
.base   B1 0 128        # PCs, from word 64
.base   B2 128 128      # sets and counts, from word 192
.width  I0 6
.width  I1 7            # the slot of this block, or of this instruction and set
.width  I2 7
.index  I2 64

block:  write I0, V1
        wr B0|I0, V0 ; inc I0 ; done

misses: cmp addr, K4
        and V0, addr, K1 ; if eq goto done      # no address is known
        and V1, V0, K2 ; match I1, result
        rd B0|I1 ; if !hit goto block
        cmp M, V0
        inval I1 ; if !eq goto block            # another block with the same key loses the slot
        write I0, V1
        wr B0|I0, V0 ; inc I0
        and V2, addr, K0
        shl1 V3, pc
        xor V3, V3, V2
        or V3, V3, K3 ; match I1, result
        rd B1|I1 ; if !hit goto new
        cmp M, pc ; rd B2|I1.value
        cmp M, V2 ; if !eq goto alias
        if !eq goto alias
        dsinc B2|I1.high
        if !dsat goto done likely
        interrupt
alias:  inval I1                # another pair with the same key: its count remains for software
new:    write I2, V3
        wr B1|I2, pc
        wr B2|I2, V2
        dsinc B2|I2.high ; inc I2
        if !isat goto done likely
        interrupt
