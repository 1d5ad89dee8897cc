package interp

// This file finds operations whose flags nothing reads, and replaces them by cheaper ones.

import "unsafe"

// dropFlags goes through the operations of a piece from the last one to the first. What follows the piece may read the
// flags, but not behind a call or a return: no function takes or returns flags.
func (d *decoder) dropFlags(first, last uint64) {
	live := true
	for at := last; at > first; {
		at -= opSize64
		o := (*op)(unsafe.Add(nil, at))
		switch k := o.k; {
		case k == kVFlags || k == kVIndex:
			live = false
		case k >= kVector: // these read no flags, and only some operations on masks write them
		case k == kStop || k == kJmp || k == kJmpR || k == kJcc || k == kCmov || k == kCmov32 || k == kSet || k == kFlag ||
			k == kClock ||
			k == kCmpxchg16 || k == kString && o.l0 >= sScas:
			live = true
		case k == kCall || k == kCallR || k == kRet || k > kJcc && k < kJmp:
			live = false
		case k == kWide && o.l0 <= wImul || k == kCmpxchg:
			live = false
		case k == kAlu:
			if !live {
				o.l1 |= noFlags
				o.simplify()
			}
			switch o.l0 {
			case aAdc, aSbb, aRcl, aRcr, aAdcx, aAdox:
				live = true
			case aNot, aBswap, aPdep, aPext, aShlx, aShrx, aSarx, aRorx, aMulx, aCrc32, aSignFill:
			case aInc, aDec, aBt, aBts, aBtr, aBtc, aRol, aRor: // these leave some flags as they were
			case aShl, aSal, aShr, aSar, aShld, aShrd: // and these, if the count is 0
				if o.s == rZero && o.i == rZero && o.imm&31 != 0 {
					live = false
				}
			default:
				live = false
			}
		case k >= kAdd64 && k <= kClear:
			if !live {
				o.simplify()
			}
			live = false
		}
	}
}

// simplify makes an operation without flags of one with flags.
func (o *op) simplify() {
	imm := o.s == rZero
	switch o.k {
	case kAdd64, kAdd32:
		o.lea(kLea64+(o.k-kAdd64)*(kLea32-kLea64), int64(o.imm))
	case kSub64, kSub32:
		if imm {
			o.lea(kLea64+(o.k-kSub64)*(kLea32-kLea64), -int64(o.imm))
		} else {
			o.k += kSubQ64 - kSub64
		}
	case kAnd64, kAnd32, kOr64, kOr32, kXor64, kXor32:
		o.k += kSubQ64 - kSub64
	case kCmp, kTest:
		o.k = kNop
	case kClear:
		o.k, o.imm = kMovI, 0
	case kAlu:
		if o.fl > 32 {
			return
		}
		narrow := kind(o.fl >> 5)
		switch o.l0 {
		case aInc:
			o.lea(kLea64+narrow*(kLea32-kLea64), 1)
		case aDec:
			o.lea(kLea64+narrow*(kLea32-kLea64), -1)
		case aNeg:
			o.k, o.s, o.b = kSubQ64+narrow, o.b, rZero
		case aImul:
			o.k = kImulQ64 + narrow
		case aShl, aSal, aShr, aSar:
			if !imm {
				return
			}
			k := kShlQ64
			if o.l0 == aShr {
				k = kShrQ64
			} else if o.l0 == aSar {
				k = kSarQ64
			}
			if narrow != 0 {
				k += kShlQ32 - kShlQ64
			}
			o.k, o.imm = k, o.imm&uint64(63>>narrow)
		}
	}
}

// lea makes an operation that computes b + s + disp.
func (o *op) lea(k kind, disp int64) {
	if o.s != rZero {
		k++
	}
	o.k, o.i, o.sh, o.disp = k, o.s, 1, disp
}
