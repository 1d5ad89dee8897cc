# Call-stack monitoring (the paper's section 4): a stack is built from entries and returns of
# functions, and each other event is counted in the calling context in which it happens.
#
# Contexts and events are the nodes of a tree, and node 0 is its root. Below a context are the
# functions that were entered in it, and the events that happened in it. B0 has the PC of a node,
# B1 its parent in the low half of a word and its count in the high half. I0 is the number of nodes.
# The key of a node in the associative array is a hash of the PCs on the way from the root.
#
# I1 is the node of the function that runs, and V3 its hash. B2 is the stack of its callers, a ring:
# the node of each is in the low half of a word, its hash in the high half. I4 is the top, I5 the
# number of callers. The ring has 127 callers; for those further out, the root is taken.
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
.base   B2 128 128      # the stack
.width  I0 6
.width  I1 6
.width  I2 6            # the node of this event
.width  I4 7
.width  I5 7
.index  I0 1

find:   shl1 V4, V3
        add V4, V4, V3
        add V4, V4, pc ; match I2, result       # the hash of the node: 3 times that of its parent, plus the PC
        rd B0|I2 ; if !hit goto new
        cmp M, pc ; rd B1|I2.value
        cmp M, I1 ; if !eq goto alias
        cmp class, K2 ; if !eq goto alias
count:  dsinc B1|I2.high ; if eq goto enter_
        cmp I0, K1 ; if dsat goto interrupt
        if !eq goto done likely
        interrupt
enter_: wr B2|I4.value, I1
        wr B2|I4.high, V3 ; inc I4
        mov V3, V4 ; sinc I5
        cmp I0, K1 ; mov I1, I2 ; if dsat goto interrupt
        if !eq goto done likely
        interrupt
alias:  inval I2                # another node with the same hash: its count remains for software
new:    write I0, V4 ; mov I2, I0
        wr B0|I2, pc
        wr B1|I2, I1
        cmp class, K2 ; inc I0 ; goto count

leave:  cmp I5, K1
        dec I4 ; if eq goto other       # the caller is not known
        rd B2|I4.value ; sdec I5
        set I1, M ; rd B2|I4.high
        mov V3, M ; done

other:  mov V3, K1 ; clr I1
        clr I5 ; done
