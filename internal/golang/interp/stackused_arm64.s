#include "textflag.h"

// The runtime's description of a goroutine begins with the bounds of its stack: the lowest address, and the highest.
TEXT ·stackUsed(SB), NOSPLIT, $0-16
	MOVD g, R0
	MOVD R0, routine+0(FP)
	MOVD 8(R0), R0
	MOVD RSP, R1
	SUB  R1, R0
	MOVD R0, used+8(FP)
	RET
