#include "textflag.h"

// The runtime's description of a goroutine begins with the bounds of its stack: the lowest address, and the highest.
TEXT ·stackUsed(SB), NOSPLIT, $0-16
	MOVQ (TLS), AX
	MOVQ AX, routine+0(FP)
	MOVQ 8(AX), AX
	SUBQ SP, AX
	MOVQ AX, used+8(FP)
	RET
