"""The part of Aar's `agent` package that extensions use, provided by aura.

aura's own code, standard library only. Modules of Aar that are not listed in aura's documentation do not exist here, so that
importing them raises ImportError.
"""

# The modules of Aar that an extension tried to import and that aura deliberately does not provide.
missing: set[str] = set()
