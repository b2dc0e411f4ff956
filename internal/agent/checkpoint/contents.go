package checkpoint

// Contents holds a path as it was and as it is. A side that is no file is empty.
type Contents struct {
	Before, After string
	// Known is false if a content is not kept. Directory is set for what was or is a directory, which has no content.
	Known, Directory bool
}

// Contents returns what a step would change back: the content before, and the present one.
func (s *Store) Contents(step Step) (Contents, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isDirectory(step.want) || isDirectory(step.now) {
		return Contents{Directory: true}, nil
	}
	before, known, err := s.content(step.want)
	if err != nil || !known {
		return Contents{}, err
	}
	after, known, err := s.content(step.now)
	return Contents{Before: before, After: after, Known: known}, err
}

func isDirectory(e *entry) bool { return e != nil && e.Type == dir }

// content returns the content of a file, or where a link leads. An entry that is not there has an empty one. The caller holds the lock.
func (s *Store) content(e *entry) (text string, known bool, err error) {
	switch {
	case e == nil:
		return "", true, nil
	case e.Type == link:
		return e.Target, true, nil
	case e.Type != file || !s.objects.has(e.Hash):
		return "", false, nil
	}
	data, err := s.objects.get(e.Hash)
	return string(data), err == nil, err
}
