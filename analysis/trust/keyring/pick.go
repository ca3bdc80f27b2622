package keyring

import (
	"errors"
	"fmt"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/gpg"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/ssh"
)

// Pick looks in the content of a file for one public key and returns a file that has that key
// and no other, with whom it says that it belongs to.
func Pick(content []byte, name trust.KeyName) (file []byte, owner string, err error) {
	switch {
	case !name.IsWhole():
		return nil, "", fmt.Errorf("%s does not identify a key: the document must have its whole fingerprint", name)
	case name.Type == trust.GPG && len(content) > 0 && gpg.Is(content):
		file, owner, err = gpg.Pick(content, name)
	case name.Type == trust.SSH:
		file, owner, err = ssh.Pick(content, name)
	default:
		return nil, "", errors.New("it holds no public keys of this type")
	}
	if err == nil && file == nil {
		err = fmt.Errorf("it holds other keys, but not %s", name)
	}
	return file, owner, err
}
