module shout

go 1.25
