package process

// ReaperArgument is the first argument of a program that is started to run Reap.
const ReaperArgument = "__reap"

// ReaperStatus is the exit status of Reap if the program could not be started. The error is then on standard error.
const ReaperStatus = 126
