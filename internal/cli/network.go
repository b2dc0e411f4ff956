package cli

import "github.com/idelchi/aura/internal/system/network"

// networkFlag is the value of --network. setting is nil if the flag is not given.
type networkFlag struct {
	text    string
	setting *network.Setting
}

// Set implements pflag.Value.
func (f *networkFlag) Set(text string) error {
	setting, err := network.ParseSetting(text)
	if err != nil {
		return err
	}
	f.text, f.setting = text, &setting
	return nil
}

// String implements pflag.Value.
func (f *networkFlag) String() string { return f.text }

// Type implements pflag.Value.
func (*networkFlag) Type() string { return "on|off|HOSTS" }
