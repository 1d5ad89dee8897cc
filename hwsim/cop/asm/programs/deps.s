# Memory dependence profiling (the paper's section 4): which loads read what which stores have
# stored. An event is a load or a store with its address.
#
# The 64 addresses that stores have written to most recently have slots 0 to 63 of the associative
# array. B0 has the PC of the last store to the address, B1 the address. The next address replaces
# slot I0. If a load finds its address, it depends on that store. A pair of a store and a load has
# one of slots 96 to 127. If its number is i, word B2|i is the count, B2|i-32 the PC of the load and
# B2|i-64 the PC of the store. I2 is the next one. When all are in use, the program interrupts.
#
# Keys of addresses have bit 31 clear and keys of pairs have it set, so none is taken for another.

.host   deps
.sample pc addr
.entry  load loads
.entry  store stores

.const  K1 1
.const  K2 0x7fffffff
.const  K3 0x80000000
.const  K4 32
.const  K5 64
.const  K6 0
.base   B0 0 64         # PCs of stores
.base   B1 64 64        # their addresses
.base   B2 128 128      # pairs
.width  I0 6
.width  I1 7            # the slot of this address, or of this pair
.width  I2 7
.width  I3 7            # words of a pair
.index  I2 96

stores: cmp addr, K6
        and V0, addr, K2 ; match I1, result ; if eq goto done    # no address is known
        if hit goto again
        write I0, V0
        wr B1|I0, addr
        wr B0|I0, pc ; inc I0 ; done
again:  wr B1|I1, addr          # another address with the same key loses the slot
        wr B0|I1, pc ; done

loads:  cmp addr, K6
        and V0, addr, K2 ; match I1, result ; if eq goto done
        rd B1|I1 ; if !hit goto done
        cmp M, addr ; rd B0|I1
        mov V2, M ; if !eq goto done    # V2: the store
        shl1 V1, V2
        xor V1, V1, pc
        or V1, V1, K3 ; match I1, result
        xor V3, I1, K4 ; set I3 ; if !hit goto new
        xor V3, I1, K5 ; set I3 ; rd B2|I3
        cmp M, pc ; rd B2|I3
        cmp M, V2 ; if !eq goto alias
        if !eq goto alias
        dinc B2|I1 ; done
alias:  inval I1                # another pair with the same key: its count remains for software
new:    write I2, V1
        wr B2|I2, K1
        xor V3, I2, K4 ; set I3
        wr B2|I3, pc
        xor V3, I2, K5 ; set I3
        wr B2|I3, V2 ; inc I2
        if !isat goto done likely
        interrupt
