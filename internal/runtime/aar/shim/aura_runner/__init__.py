"""aura's runner of extensions: the guest's side of the protocol that aura's documentation describes."""
