# Value profiling (section 5 and the appendix of the paper): which values do loads load, and how
# often is it the same one? The comments S0 to S14 number the states of the paper's flow chart as
# far as our text of the paper has them.
#
# Each slot profiles one load, with one value, the active value. The PC of the load is in the
# associative array: 32 bits, made of the tuple's PC by hash 2. The rest of the slot is a word of
# the data array:
#
#       bits  0-31   value    the active value
#       bits 32-39   hits     samples with the active value since it was selected
#       bits 40-47   misses   samples with another value since then
#       bits 48-63   total    samples of the load; 0 if the slot is not in use
#
# There are as many slots as the data array has words: no .width says how many bits I0 and I1
# have, so they have as many as the data array needs, and no .base says where B0 begins, so it is 0.
#
#       I0      the slot of the load
#       I1      the victim: the slot that the next new load may replace
#       I2      failed replacements, less the successful ones; at least 0
#       I3      loads that have been replaced since the last interrupt
#
# The host clears slots, I2 and I3 after each interrupt. It knows by I3 which interrupt it was.

.host   values
.sample pc value
.entry  arg result load store call type edge addr const more direct third op  low
.store  0xc000b 2       # keys of the associative array are made by hash 2
.mask   2               # the filter with a bit for each PC uses hash 2
.target T0 fail
.target T1 low          # the host reads here where the routine for the lower halves of values begins
.target T2 upper        # and the one for the upper halves
.target T3 slot

.width  I2 16
.width  I3 16

.const  K0 31           # R: a slot with more samples cannot be replaced; all ones in binary
.const  K1 1
.const  K2 1024         # failed replacements that interrupt; the host sets K12 times the slots
.const  K3 512          # replaced loads that interrupt; the host sets K13 times the slots
.const  K4 0
.const  K5 0xffffffff
.const  K6 16           # KEEP: with more hits than this the slot keeps its active value
.const  K7 0            # RF, the misses for a hit at which the active value is given up: all ones
.const  K8 0xffffffff   # in K7 add 1/2, in K8 add 1, in K9 add 2, in K14 add 4; here RF is 7
.const  K9 0xffffffff
.const  K10 0x0001000100000000  # total 1, misses 0, hits 1
.const  K11 1           # 1: the victim advances also if its replacement fails
.const  K12 4           # FTH
.const  K13 2           # DTH
.const  K14 0xffffffff

        # S0: which slot has this load?
low:    match I0 ; and V0, value, K5            # V0 = the lower half of the value
slot:   if !hit goto miss ; rd B0|I0.value      # M = the active value; if there is no slot, no one reads M
        # S1: count the sample. S2: is it the active value?
        cmp V0, M ; dsinc B0|I0.total
        if dsat goto off                        # the slot cannot count further samples
        if !eq goto differ
        dsinc B0|I0.hits                        # S3: yes
        if !dsat goto done likely
off:    inval I0 ; done                         # TURN_OFF: the slot keeps its data and gets no more samples

        # S9: no slot has this load. The victim is the slot I1.
miss:   rd B0|I1.total ; rand V1, K0            # V1 = a random number from 0 to R
        cmp M, V1                               # S10: is the victim worth more?
        if gt goto T0 ; cmp M, K4               # S11: yes: to fail. Else: is the slot in use?
        or V0, V0, K10 ; wr B0|I1 ; write I1 ; inc I1   # S13: the slot gets this load; the next slot is the victim
        sdec I2 ; if eq goto done likely        # a slot that was not in use
        inc I3                                  # S14: a load was replaced
        cmp I3, K3
        if lt goto done likely
        interrupt                               # THRASH: too many were

differ: dsinc B0|I0.misses                      # S4: another value. M = misses
        if dsat goto off ; shl1 V1, M ; rd B0|I0.hits   # V1 = 2 * misses; then M = hits
        # S5: 2 * misses > 2 * RF * hits?
        and V2, M, K7                           # V2 = hits * (2 * RF), bit by bit
        shl1 V3, M
        and V4, V3, K8
        add V2, V2, V4
        shl1 V3, V3
        and V4, V3, K9
        add V2, V2, V4
        shl1 V3, V3
        and V4, V3, K14
        add V2, V2, V4
        cmp V1, V2
        if !gt goto done likely ; cmp M, K6     # S6: no. Else: hits > KEEP?
        if !gt goto select
        inval I0 ; done                         # S7: yes: TURN_OFF, as the counts are worth keeping
select: wr B0|I0.value, V0                      # S8: no: this value becomes the active value, with 1 hit
        wr B0|I0.hits, K1                       # total counts on: it includes the samples that hits
        dclr B0|I0.misses ; done                # and misses forget here

fail:   sinc I2 ; cmp K11, K4                   # S11: the replacement failed, the sample is ignored
        cmp I2, K2 ; if eq goto stay likely
        inc I1
stay:   if lt goto done likely                  # S12
        interrupt                               # FULL: the slots have loads that are worth keeping

        # The second pass: the same with the upper half of the value.
upper:  shr8 V0, value
        shr8 V0, V0
        shr8 V0, V0
        shr8 V0, V0 ; match I0 ; goto T3
