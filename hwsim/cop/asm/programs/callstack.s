# Call-stack monitoring (the paper's section 4): a stack is built from entries and returns of
# functions, and each other event is counted in the calling context in which it happens.
#
# Contexts and events are the nodes of a tree, and node 0 is its root. Below a context are the
# functions that were entered in it, and the events that happened in it. B0 has the PC of a node.
# B1 has its parent in the low half of a word and its count in the high half. B2 has the hash of the
# PCs from the root to the node, which is also its key in the associative array. I0 is the number of
# nodes. I1 is the node of the function that runs, and V3 its hash: the stack is the way from the
# root to I1. A return of a function whose entry was not seen leads to the root.
#
# When all nodes are in use, and when a count has reached its largest value, the program interrupts.
# Software takes over the counts, and makes a new tree of the function that runs and its callers.

.host   stack
.sample pc
.entry  enter arg result load store call type edge addr const direct op find
.entry  return leave
.entry  goroutine other

.const  K1 0
.const  K2 16           # the class of an entry
.base   B0 0 64         # PCs
.base   B1 64 64        # parents and counts
.base   B2 128 64       # hashes
.width  I0 6
.width  I1 6
.width  I2 6            # the node of this event
.index  I0 1

find:   shl1 V4, V3
        add V4, V4, V3
        add V4, V4, pc ; match I2, result       # the hash: 3 times that of the parent, plus the PC
        rd B0|I2 ; if !hit goto new
        cmp M, pc ; rd B1|I2.value
        cmp M, I1 ; if !eq goto alias
        cmp class, K2 ; if !eq goto alias
count:  dsinc B1|I2.high ; if eq goto entry
        cmp I0, K1 ; if dsat goto interrupt
        if !eq goto done likely
        interrupt
entry:  mov V3, V4
        cmp I0, K1 ; mov I1, I2 ; if dsat goto interrupt
        if !eq goto done likely
        interrupt
alias:  inval I2                # another node with the same hash: its count remains for software
new:    write I0, V4 ; mov I2, I0
        wr B0|I2, pc
        wr B1|I2, I1
        wr B2|I2, V4
        cmp class, K2 ; inc I0 ; goto count

leave:  rd B1|I1.value
        set I1, M
        rd B2|I1
        mov V3, M ; done

other:  mov V3, K1 ; clr I1 ; done
