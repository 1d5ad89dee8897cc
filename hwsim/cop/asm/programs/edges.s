# Edge profiling, pass 1 (the paper's section 4): how often each branch goes either way. An event
# is the outcome of a branch, as taps of edges report it: the PC is that of the branch, the value
# is the number of the outcome. An if has the outcomes 0 (true) and 1 (false). The outcomes of a
# switch above 1 belong to pass 2, targets.s.
#
# A branch has a slot: its PC is in B0, and the counts of its outcomes 0 and 1 are the low and the
# high half of a word in B1. I0 is the number of slots in use. When all are in use, and when a count
# has reached its largest value, the program interrupts, and software takes over all counts.

.host   edges
.sample pc value
.entry  edge branch

.const  K1 1
.base   B0 0 128        # PCs
.base   B1 128 128      # counts
.width  I0 7
.width  I1 7            # the slot of this branch

branch: match I1 ; cmp value, K1
        rd B0|I1 ; if gt goto done
        cmp M, pc ; if !hit goto new
        cmp value, K1 ; if !eq goto alias
        if eq goto one
        dsinc B1|I1.value
        if !dsat goto done likely
        interrupt
one:    dsinc B1|I1.high
        if !dsat goto done likely
        interrupt

alias:  inval I1                # another PC with the same low bits: its counts remain for software
new:    wr B0|I0, pc ; write I0 ; mov I1, I0
        cmp value, K1 ; inc I0
        if eq goto newone
        dsinc B1|I1.value ; if isat goto interrupt
        done
newone: dsinc B1|I1.high ; if isat goto interrupt
        done
