package install

import "context"

// Staged describes plugins that are about to be installed. Its JSON form is the input of the command of plugins.verify.
type Staged struct {
	Version int `json:"v"`
	// Action is "add" or "update".
	Action string `json:"action"`
	// Name is the name of the plugin or pack. Dir is the directory with its files as they will be installed, or a Python file.
	Name string `json:"name"`
	Dir  string `json:"dir"`
	// URL is where it comes from. Ref and Commit are empty for a copy of a directory.
	URL    string `json:"url"`
	Ref    string `json:"ref,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Previous is the commit of the installed version that an update replaces.
	Previous string `json:"previous_commit,omitempty"`
	// Signed is the signature that was verified; nil if there was none.
	Signed *Signed `json:"signed,omitempty"`
	// Index is the index from which it is installed; nil if there is none.
	Index   *Indexed `json:"index,omitempty"`
	Plugins []Facts  `json:"plugins"`
}

// stagedVersion is the version of the form of Staged.
const stagedVersion = 1

// inspect calls Inspect with a unit that is ready.
func (o Options) inspect(ctx context.Context, ready prepared, s Staged) error {
	if o.Inspect == nil {
		return nil
	}
	s.Version, s.Dir, s.Plugins = stagedVersion, ready.dir, ready.facts
	return o.Inspect(ctx, s)
}
