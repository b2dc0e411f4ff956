module language-servers

go 1.25

require github.com/idelchi/aura/sdk v0.1.1
