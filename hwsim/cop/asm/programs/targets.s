# Edge profiling, pass 2 (the paper's section 4): where indirect branches go, and how often. An
# event is a dynamic call, whose value is the target, or the outcome of a branch with many outcomes.
# Its outcomes 0 and 1 belong to pass 1, edges.s.
#
# A branch and a target have a slot: the PC is in B0, the target in B1, the count in B2. I0 is the
# number of slots in use. When all are in use, the program interrupts.

.host   targets
.sample pc value
.entry  call call_
.entry  edge switch

.const  K1 1
.base   B0 0 64         # PCs
.base   B1 64 64        # targets
.base   B2 128 64       # counts
.width  I0 6
.width  I1 6            # the slot of this branch and target

switch: cmp value, K1
        shl1 V0, value ; if !gt goto done
        shl1 V0, V0             # numbers of outcomes are small: away from the bits in which PCs differ
        shl1 V0, V0
        shl1 V0, V0
        shl1 V0, V0
        shl1 V0, V0
        shl1 V0, V0
        shl1 V0, V0 ; goto find
call_:  mov V0, value
find:   xor V0, V0, pc ; match I1, result
        rd B0|I1 ; if !hit goto new
        cmp M, pc ; rd B1|I1
        cmp M, value ; if !eq goto alias
        if !eq goto alias
        dinc B2|I1 ; done
alias:  inval I1                # another pair with the same key: its count remains for software
new:    write I0, V0
        wr B0|I0, pc
        wr B1|I0, value
        wr B2|I0, K1 ; inc I0
        if !isat goto done likely
        interrupt
