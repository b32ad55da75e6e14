package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/mod/semver"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/build"
	guarded "frontdesk/internal/infra/fetch"
)

type upgradeCommand struct {
	command.ConfigFlags
	Check bool `required:"" help:"Say whether there is a newer version; nothing is installed."`
}

// Help is the command's example.
func (upgradeCommand) Help() string {
	return "It asks the address that upgrade.feed names, and only when you call it. " +
		"The exit code is 1 where there is a " +
		"newer version.\n\nExample:\n\n" +
		"\tfrontdesk upgrade --check --set upgrade.feed=https://releases.example.com/latest.json"
}

// release is what a feed of releases says of the newest one.
type release struct {
	Version   string `json:"version"`
	Published string `json:"published,omitempty"`
	Notes     string `json:"notes,omitempty"` // the address of what changed
}

const maxFeed = 64 << 10

// Run compares this version with the newest.
func (c upgradeCommand) Run(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	feed := loaded.Config.Upgrade.Feed
	if feed == "" {
		return errors.New("no feed of releases is named: set upgrade.feed to its address")
	}
	newest, err := readRelease(env, loaded.Config, feed)
	if err != nil {
		return err
	}
	own := build.Current().Version
	if !semver.IsValid(own) {
		return fmt.Errorf("this build has no version that can be compared (%s); the newest is %s", own, newest.Version)
	}
	if semver.Compare(newest.Version, own) <= 0 {
		env.Print("%s is the newest version.\n", own)
		return nil
	}
	env.Print("%s is out; this is %s. %s\n", newest.Version, own, command.Clean(newest.Notes))
	return command.ErrTold
}

// readRelease asks a feed.
func readRelease(env *command.Environment, config app.Config, feed string) (newest release, err error) {
	fetcher := config.Fetcher()
	defer fetcher.Close()
	answer, err := fetcher.Get(env.Ctx, guarded.Request{URL: feed, Own: true, MaxBytes: maxFeed})
	if err != nil {
		return newest, err
	}
	if answer.Status != http.StatusOK {
		return newest, fmt.Errorf("%s answers with status %d", feed, answer.Status)
	}
	if err := json.Unmarshal(answer.Body, &newest); err != nil || !semver.IsValid(newest.Version) {
		return newest, fmt.Errorf("%s is no feed of releases: it has no \"version\" like v1.2.3", feed)
	}
	return newest, nil
}
