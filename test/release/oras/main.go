// Command oras stands in for the program of that name in the rehearsal of a
// release: the guide on installing shows its commands, and the Go module proxy
// does not serve it everywhere. It is made of the same library, and knows the
// commands and flags of oras 1.3 that the guide uses:
//
//	oras push --artifact-type TYPE --artifact-platform OS/ARCH --oci-layout FOLDER:TAG FILE:MEDIATYPE
//	oras manifest index create --artifact-type TYPE --oci-layout FOLDER:TAG TAG...
//	oras cp --from-oci-layout FOLDER:TAG REGISTRY/REPOSITORY:TAG
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/content/oci"
	"oras.land/oras-go/v2/registry/remote"
)

func main() {
	if err := run(context.Background(), strings.Join(os.Args[1:], "\n")+"\n"); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args string) error {
	for words, command := range map[string]func(context.Context, *call) error{
		"push\n":                    push,
		"manifest\nindex\ncreate\n": createIndex,
		"cp\n":                      copyOut,
	} {
		if rest, ok := strings.CutPrefix(args, words); ok {
			c, err := parse(strings.Split(strings.TrimSuffix(rest, "\n"), "\n"))
			if err != nil {
				return err
			}
			return command(ctx, c)
		}
	}
	return fmt.Errorf("unknown command %q", args)
}

// call is what a command was called with.
type call struct {
	artifactType string
	platform     string
	layout       *oci.Store
	tag          string
	args         []string
}

func parse(args []string) (*call, error) {
	var c call
	var layout, from bool
	flags := flag.NewFlagSet("oras", flag.ContinueOnError)
	flags.StringVar(&c.artifactType, "artifact-type", "", "")
	flags.StringVar(&c.platform, "artifact-platform", "", "")
	flags.BoolVar(&layout, "oci-layout", false, "")
	flags.BoolVar(&from, "from-oci-layout", false, "")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() < 2 || layout == from {
		return nil, fmt.Errorf("a layout and more was expected, not %q", args)
	}
	folder, tag, _ := strings.Cut(flags.Arg(0), ":")
	store, err := oci.New(folder)
	c.layout, c.tag, c.args = store, tag, flags.Args()[1:]
	return &c, err
}

func push(ctx context.Context, c *call) error {
	name, mediaType, _ := strings.Cut(c.args[0], ":")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	layer, err := oras.PushBytes(ctx, c.layout, mediaType, data)
	if err != nil {
		return err
	}
	layer.Annotations = map[string]string{ocispec.AnnotationTitle: filepath.Base(name)}
	system, arch, _ := strings.Cut(c.platform, "/")
	text, err := json.Marshal(ocispec.Platform{OS: system, Architecture: arch})
	if err != nil {
		return err
	}
	config, err := oras.PushBytes(ctx, c.layout, ocispec.MediaTypeImageConfig, text)
	if err != nil {
		return err
	}
	manifest, err := oras.PackManifest(
		ctx,
		c.layout,
		oras.PackManifestVersion1_1,
		c.artifactType,
		oras.PackManifestOptions{
			Layers: []ocispec.Descriptor{layer}, ConfigDescriptor: &config,
		},
	)
	if err != nil {
		return err
	}
	return c.layout.Tag(ctx, manifest, c.tag)
}

func createIndex(ctx context.Context, c *call) error {
	index := ocispec.Index{MediaType: ocispec.MediaTypeImageIndex, ArtifactType: c.artifactType}
	index.SchemaVersion = 2
	for _, tag := range c.args {
		entry, text, err := oras.FetchBytes(ctx, c.layout, tag, oras.DefaultFetchBytesOptions)
		if err != nil {
			return err
		}
		var manifest ocispec.Manifest
		if err := json.Unmarshal(text, &manifest); err != nil {
			return err
		}
		config, err := content.FetchAll(ctx, c.layout, manifest.Config)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(config, &entry.Platform); err != nil {
			return err
		}
		entry.ArtifactType = manifest.ArtifactType
		entry.Annotations = nil // where it is in the layout
		index.Manifests = append(index.Manifests, entry)
	}
	text, err := json.Marshal(index)
	if err != nil {
		return err
	}
	_, err = oras.TagBytes(ctx, c.layout, ocispec.MediaTypeImageIndex, text, c.tag)
	return err
}

func copyOut(ctx context.Context, c *call) error {
	repository, err := remote.NewRepository(c.args[0])
	if err != nil {
		return err
	}
	_, err = oras.Copy(ctx, c.layout, c.tag, repository, repository.Reference.Reference, oras.DefaultCopyOptions)
	return err
}
