# The simple sampler, the comparison point of the paper (section 5.3): it keeps each K0th
# event, and interrupts when the sub-arrays are full.
#
# V0 counts events. PCs are in B0, words in B1. I0 is the index of the next sample in both: it
# has as many bits as the sub-arrays need, so it wraps to 0 when they are full.

.host   samples
.sample pc value
.entry  all take

.const  K0 64           # the period
.const  K1 1
.const  K2 0
.base   B0 0 128        # PCs
.base   B1 128 128      # words
.width  I0 7

take:   add V0, V0, K1
        cmp V0, K0
        wr B0|I0, pc ; if !eq goto done likely   # the next sample overwrites this PC
        wr B1|I0, value ; inc I0
        mov V0, K2 ; if isat goto interrupt
        done
