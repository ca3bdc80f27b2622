package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolpath-ls/toolpath-ls/analysis/toolpath"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust"
	"github.com/toolpath-ls/toolpath-ls/analysis/trust/keyring"
)

func newKeys() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Fetch the public keys that a Toolpath document names",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := newFetcher()
	var actor, into string
	fetch := &cobra.Command{
		Use:   "fetch DOC [--actor NAME] [--into FOLDER]",
		Short: "Fetch the keys of a document's actors from where it says that they are",
		Long: `fetch reads the href of each key that the document defines for its actors, and shows what is
there: whose key it is, and whether it is the one whose fingerprint the document has. Nothing
is trusted by that. With --into those that are it are written to a folder, such as
.toolpath/keys or one of your own that you name to verify --trusted; look at what is shown
first.

It is the one command that uses the network: https alone, with redirections to https alone, to no
address of this machine or of a private network, up to 1 MB each, in 15 seconds.

Exit code: 0 all keys were had, 1 some were not, 2 DOC could not be read, or a file not written.`,
		Args: oneDocument("keys fetch"),
		RunE: func(cmd *cobra.Command, args []string) error {
			doc, err := readSigned(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return f.fetchAll(cmd.Context(), keysToFetch(doc.model, actor), into, cmd.OutOrStdout())
		},
	}
	fetch.Flags().StringVar(&actor, "actor", "", "actor whose keys are fetched (default: all)")
	fetch.Flags().StringVar(&into, "into", "", "folder that the keys are written to")
	cmd.AddCommand(fetch)
	return cmd
}

// Bounds of what is fetched.
const (
	maxFetched   = 1 << 20 // bytes of one answer
	fetchTimeout = 15 * time.Second
	maxFetches   = 50 // keys of one document
	maxRedirects = 3
)

// fetchable is a key of an actor and where the document says that it is.
type fetchable struct {
	actor string
	name  trust.KeyName
	href  string
}

// keysToFetch returns the keys of a document's actors that have an href, each once.
func keysToFetch(m *toolpath.Document, actor string) (all []fetchable) {
	seen := map[fetchable]bool{}
	add := func(name string, def toolpath.ActorDefinition) {
		if actor != "" && name != actor {
			return
		}
		for _, k := range def.Value.Get("keys").Elements() {
			f := fetchable{name, trust.NewKeyName(k.Get("type").Text(), k.Get("fingerprint").Text()), k.Get("href").Text()}
			if f.href != "" && !seen[f] {
				seen[f] = true
				all = append(all, f)
			}
		}
	}
	for _, p := range m.Paths {
		for _, name := range p.ActorNames() {
			def, _ := p.Actor(toolpath.At{}, name)
			add(name, def)
		}
		for _, s := range p.Steps.All() {
			if s.Nodes.Meta == 0 {
				continue
			}
			for k, v := range s.Value(s.Nodes.Meta).Get("actors").Members() {
				add(k.Text(), toolpath.NewActorDefinition(k, v))
			}
		}
	}
	return all
}

// fetcher reads from https URLs.
type fetcher struct{ client *http.Client }

func newFetcher() fetcher {
	dialer := &net.Dialer{Timeout: fetchTimeout, Control: publicOnly}
	return fetcher{fetchClient(&http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true, DisableKeepAlives: true})}
}

func fetchClient(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, Timeout: fetchTimeout, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != "https" || len(via) > maxRedirects {
			return errors.New("it leads on to what is not https, or too often")
		}
		return nil
	}}
}

// publicOnly refuses addresses of this machine and of private networks: a document must not
// make somebody's machine ask them.
func publicOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || netip.MustParsePrefix("100.64.0.0/10").Contains(ip) {
		return fmt.Errorf("%s is an address of this machine or of a private network", ip)
	}
	return nil
}

// fetchAll shows what is at each href, and writes the keys that are the document's.
func (f fetcher) fetchAll(ctx context.Context, keys []fetchable, into string, out io.Writer) error {
	if len(keys) == 0 {
		fmt.Fprintln(out, "no key of an actor has an href")
		return exit(exitFindings)
	}
	missing := false
	for i, k := range keys {
		if i == maxFetches {
			fmt.Fprintf(out, "the other %d keys are not fetched; name an actor with --actor\n", len(keys)-i)
			missing = true
			break
		}
		fmt.Fprintf(out, "%s, %s\n  from %s\n", escaped(k.actor), escaped(k.name.String()), escaped(k.href))
		file, owner, err := f.key(ctx, k)
		if err != nil {
			missing = true
			fmt.Fprintf(out, "  not had: %s\n", escaped(err.Error()))
			continue
		}
		fmt.Fprintf(out, "  the key with this fingerprint; it says that it is of: %s\n", orNone(owner))
		if into == "" {
			continue
		}
		name, err := writeKey(into, k, file)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  written to %s\n", name)
	}
	if missing {
		return exit(exitFindings)
	}
	return nil
}

// key fetches a key and makes sure that it is the one that the document names.
func (f fetcher) key(ctx context.Context, k fetchable) (file []byte, owner string, err error) {
	u, err := url.Parse(k.href)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, "", errors.New("only https is used, without a user's name")
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("User-Agent", "toolpath-ls")
	response, err := f.client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("the answer is %s", response.Status)
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxFetched+1))
	switch {
	case err != nil:
		return nil, "", err
	case len(content) > maxFetched:
		return nil, "", fmt.Errorf("the answer has more than %d bytes", maxFetched)
	}
	return keyring.Pick(content, k.name)
}

// writeKey writes a key to a new file of the folder, named after its actor and fingerprint.
func writeKey(folder string, k fetchable, content []byte) (string, error) {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
				return r
			}
			return '-'
		}, s)
	}
	extension := map[string]string{trust.GPG: ".asc", trust.SSH: ".pub"}[k.name.Type]
	short := k.name.Fingerprint[max(0, len(k.name.Fingerprint)-16):]
	name := filepath.Join(folder, plain(k.actor[:min(len(k.actor), 60)])+"-"+plain(short)+extension)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("%s is there already, and is not written over", name)
	}
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	return name, errors.Join(err, f.Close())
}
