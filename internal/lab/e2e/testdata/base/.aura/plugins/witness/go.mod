module witness

go 1.25

require github.com/idelchi/aura/sdk v0.1.0
