package lineage

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"runtime"
	"testing"
)

// Verifying a spine, and what its hashes and tags alone cost: SHA-256 over the same bytes
// and HMAC-SHA-256 over the same messages. Compare "rows/s" of the two.
func BenchmarkVerifySpine(b *testing.B) {
	const rows = 20_000
	key := NewKey([]byte("secret"))
	log, head := spineOf(b, rows, key, ProfileLegacy)
	report := func(b *testing.B) {
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	}
	b.Run("verify", func(b *testing.B) {
		b.SetBytes(int64(len(log)))
		b.ReportAllocs()
		for b.Loop() {
			v, err := VerifySpine(bytes.NewReader(log), ParseHead(head), key, nil)
			if err != nil || v.Status != StatusOK {
				b.Fatal(v, err)
			}
		}
		report(b)
	})
	b.Run("hash-and-tag", func(b *testing.B) {
		var preimages, messages [][]byte
		for line := range bytes.Lines(log) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			at, ok := scanRow(line)
			if !ok {
				b.Fatalf("not canonical: %s", line)
			}
			p := append(append(append([]byte(domainTag), line[:at.entryHashMember]...), line[at.modelMember:at.versionMember-1]...), '}')
			preimages = append(preimages, p)
			messages = append(messages, append(bytes.Clone(line[:at.hmacMember]), line[at.modelMember:]...))
		}
		mac := hmac.New(sha256.New, key.derived)
		var sum [sha256.Size]byte
		b.SetBytes(int64(len(log)))
		for b.Loop() {
			for i := range preimages {
				sum = sha256.Sum256(preimages[i])
				mac.Reset()
				mac.Write(messages[i])
				mac.Sum(sum[:0])
			}
		}
		runtime.KeepAlive(sum)
		report(b)
	})
}
