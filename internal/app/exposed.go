package app

// exposed is called after a program ran that could write what consents cover.
func (o *Options) exposed() {
	o.gate().Expose()
	o.gate().Recheck(o.Config)
}

// made removes from the consents what confined code left.
func (o *Options) made(paths []string) { o.gate().Narrow(o.Config, paths) }

// watching looks at what plugins, hooks and servers leave where other programs run it, from now until the returned function is called.
func (s *Session) watching() func() {
	end := s.confined.Watching("a plugin, a hook or a server")
	return func() {
		if s.plugins.exposed() {
			s.confined.Expose()
		}
		end()
	}
}
