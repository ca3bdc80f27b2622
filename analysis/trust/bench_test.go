package trust_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/keyring"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/trusttest"
)

// One signature of one step, as it is assessed for the first time; the peers are the programs
// that people verify with, a process each.
func BenchmarkVerify(b *testing.B) {
	g := trusttest.NewGPG(b)
	fingerprint := g.Key("Alex", "ed25519", "0")
	key := trusttest.NewSSHKey(b, "ed25519", "x")
	files := []trust.Material{{Name: "a.pub", Content: []byte(key.Public)}, {Name: "a.asc", Content: g.Export()}}
	bare := document(fmt.Sprintf(signed, "", "", ""))
	f, err := trust.StepPayload(bare.Paths[0].Steps.At(0))
	if err != nil {
		b.Fatal(err)
	}
	sum := sha256Of(f.ByBytes)
	for _, c := range []struct {
		name, key, sig string
		peer           func(sig string) error
	}{
		{"gpg", "gpg:" + fingerprint, g.Sign(fingerprint, sum), func(sig string) error { return g.Verify(sig, sum) }},
		{"ssh", "ssh:" + key.Name, key.Sign("toolpath", sum), func(sig string) error {
			return trusttest.SSHVerify(b, "alex "+key.Public+"\n", "alex", "toolpath", sig, sum)
		}},
	} {
		m := document(fmt.Sprintf(signed, signature("human:alex", c.key, "author", c.sig), keyEntry(c.key), ""))
		b.Run(c.name+"/ours", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				keys, _ := keyring.New(files, time.Now())
				b.StartTimer()
				trust.Each(m, func(s trust.Signature) bool {
					if r := keys.Assess(s, time.Now()); r.State != trust.Valid {
						b.Fatalf("%+v", r)
					}
					return true
				})
			}
		})
		b.Run(c.name+"/program", func(b *testing.B) {
			for b.Loop() {
				if err := c.peer(c.sig); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
