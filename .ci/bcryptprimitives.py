#!/usr/bin/env python3
"""Writes a bcryptprimitives.dll for a wine that has none (before 8.5). Every Go program needs it.

The library has no code: its one function, ProcessPrng, is forwarded to the one of advapi32 that does the same, RtlGenRandom.

usage: bcryptprimitives.py FILE
"""
import struct
import sys

BASE = 0x1000  # where the only section is loaded
FILE = 0x200  # and where it is in the file

names = [b"bcryptprimitives.dll\0", b"ProcessPrng\0", b"advapi32.SystemFunction036\0"]
at = BASE + 40 + 4 + 4 + 2  # behind the directory and its three tables of one entry
library, function, target = at, at + len(names[0]), at + len(names[0]) + len(names[1])
directory = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, library, 1, 1, 1, BASE + 40, BASE + 44, BASE + 48)
exports = directory + struct.pack("<IIH", target, function, 0) + b"".join(names)

dos = b"MZ" + bytes(58) + struct.pack("<I", 64)
coff = struct.pack("<4sHHIIIHH", b"PE\0\0", 0x8664, 1, 0, 0, 0, 112 + 16 * 8, 0x2022)
optional = struct.pack("<HBBIIIII", 0x20B, 1, 0, 0, 0x200, 0, 0, BASE)
optional += struct.pack("<QIIHHHHHHIIIIHH", 0x180000000, 0x1000, 0x200, 6, 0, 0, 0, 6, 0, 0, 0x2000, FILE, 0, 3, 0x100)
optional += struct.pack("<QQQQII", 0x100000, 0x1000, 0x100000, 0x1000, 0, 16)
optional += struct.pack("<II", BASE, len(exports)) + bytes(15 * 8)
section = struct.pack("<8sIIIIIIHHI", b".rdata", len(exports), BASE, 0x200, FILE, 0, 0, 0, 0, 0x40000040)

with open(sys.argv[1], "wb") as out:
    out.write((dos + coff + optional + section).ljust(FILE, b"\0") + exports.ljust(0x200, b"\0"))
