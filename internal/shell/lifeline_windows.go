package shell

// watchParent does nothing: the job object ends this process with its parent.
func watchParent(string, func()) error { return nil }
