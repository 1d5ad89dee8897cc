# Correlation of branches (the paper's section 4): which outcome follows which. A pair is a branch
# with its outcome, and the branch before it in the stream with its outcome. Outcomes are 0 and 1,
# as in edges.s; an outcome above 1 is in no pair. Nor is the first branch after another goroutine
# goes on.
#
# V1 is the branch before: its PC, shifted by one, with the outcome in the lowest bit; 0 is none. A
# pair has a slot: the branch before is in B0, this branch in B1, the count in B2. I0 is the number
# of slots in use. When all are in use, the program interrupts.

.host   follow
.sample pc value
.entry  edge branch
.entry  goroutine other

.const  K1 1
.const  K2 0
.base   B0 0 64         # branches before
.base   B1 64 64        # branches
.base   B2 128 64       # counts
.width  I0 6
.width  I1 6            # the slot of this pair

other:  mov V1, K2 ; done

branch: cmp value, K1
        shl1 V0, pc ; if gt goto other
        or V0, V0, value        # this branch
        cmp V1, K2
        shl1 V2, V1 ; if eq goto next
        add V2, V2, V1
        add V2, V2, V0 ; match I1, result
        rd B0|I1 ; if !hit goto new
        cmp M, V1 ; rd B1|I1
        cmp M, V0 ; if !eq goto alias
        if !eq goto alias
        dinc B2|I1
next:   mov V1, V0 ; done
alias:  inval I1                # another pair with the same key: its count remains for software
new:    write I0, V2
        wr B0|I0, V1
        wr B1|I0, V0
        wr B2|I0, K1 ; inc I0
        mov V1, V0 ; if !isat goto done likely
        interrupt
