package owner

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/infra/build"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/store/backup"
	"frontdesk/internal/operator/settings"
)

// Backup writes all that is kept into one file.
type Backup struct {
	File string `arg:"" help:"The file to write."`
	command.ConfigFlags
	Replace bool `help:"Replace a file of that name."`
}

// Help is the command's example.
func (Backup) Help() string {
	return "The file holds the database as it was at one moment, whichever engine it is on, " +
		"the files of the data folder, and the configuration. " +
		"A server may run meanwhile, and write. The file gets its name when it was written and read back. " +
		"It holds the secrets that these hold: keep it so.\n\n" +
		"Example:\n\n\tfrontdesk backup /var/backups/frontdesk-$(date +%F).backup"
}

// Run writes a backup.
func (c Backup) Run(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	contents, err := backup.Create(env.Ctx, c.File, backupSource(env, loaded),
		backup.Options{Program: "frontdesk " + build.Current().Version, Replace: c.Replace})
	if err != nil {
		return err
	}
	env.Print("Wrote %s, and read it back: %s.\n", c.File, holds(contents))
	if err := noteBackup(env, loaded, contents); err != nil {
		fmt.Fprintf(env.Stderr, "The console cannot tell of this backup: %s\n", command.Clean(err.Error()))
	}
	if contents.Rows["submission_record"] > 0 {
		env.Print("It does not hold %s, with the keys to what agents submitted: what is erased stays erased. "+
			"To move to another machine, stop the server, restore there, "+
			"and move the vault there, too; keep no copy of it.\n", vaultName(loaded.Config))
	}
	return nil
}

// Restore puts a backup in place.
type Restore struct {
	File string `arg:"" help:"The backup."`
	command.ConfigFlags
	Replace bool `help:"Replace the present database and files."`
	Check   bool `help:"Only read the file, and say what it holds."`
}

// Help is the command's example.
func (Restore) Help() string {
	return "Restore uses the database and the data folder of the configuration here. Without a configuration, " +
		"it writes that of the backup to " + command.DefaultFile + ". " +
		"End servers that use the database first. A restore that is broken off leaves everything as it was. " +
		"The database may be on another engine. If there is a ledger, run `frontdesk ledger resume` afterwards.\n\n" +
		"Examples:\n\n\tfrontdesk restore --check site.backup\n\tfrontdesk restore site.backup\n" +
		"\tfrontdesk restore --replace --store postgres://frontdesk@localhost/frontdesk site.backup"
}

// Run puts a backup in place.
func (c Restore) Run(env *command.Environment) error {
	contents, err := backup.Verify(env.Ctx, c.File)
	if err != nil {
		return err
	}
	if c.Check {
		env.Print("%s is whole: %s.\nIt was written by %s on %s from %s.\n", c.File, holds(contents),
			command.Clean(contents.Program), contents.Created.Format("2006-01-02 15:04:05 UTC"),
			command.Clean(contents.Layout.Engine))
		return nil
	}
	if err := c.configuration(env, contents); err != nil {
		return err
	}
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	if _, err := backup.Restore(env.Ctx, c.File, backupSource(env, loaded), c.Replace); err != nil {
		return err
	}
	env.Print("Restored %s.\n", holds(contents))
	if contents.Rows["submission_record"] > 0 {
		env.Print("What agents submitted can be read as far as its keys are in %s, which no backup holds. "+
			"Where they are on another machine, stop the server there and move the vault "+
			"here before `frontdesk serve`.\n", vaultName(loaded.Config))
	}
	if contents.Rows["ledger_head"] == 0 {
		env.Print("`frontdesk serve` serves it.\n")
		return nil
	}
	env.Print("`frontdesk ask` and `frontdesk mcp` answer at once. `frontdesk serve` waits until you say how the " +
		"ledger goes on, which may be older than what was signed " +
		"since the backup was made: `frontdesk ledger resume` gives it a new name, and is always right; " +
		"`frontdesk ledger resume --complete` keeps the name, if nothing was signed since.\n")
	return nil
}

// configuration writes the backup's configuration where there is none, and says when the one that
// is there is another.
func (c Restore) configuration(env *command.Environment, contents backup.Contents) error {
	path := c.ConfigFile(env)
	if contents.Config == nil {
		return nil
	}
	if path == "" {
		path = command.DefaultFile
	}
	there, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case bytes.Equal(there, contents.Config):
		return nil
	default:
		fmt.Fprintf(env.Stderr, "%s is kept; the configuration of the backup is another.\n", path)
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(contents.Config)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	env.Print("Wrote %s.\n", path)
	return nil
}

// vaultName names the vault to the owner, without the password that an address may have.
func vaultName(config app.Config) string {
	if file, ok := (store.Config{DSN: config.VaultDSN()}).File(); ok {
		return "the vault " + file
	}
	return "the vault that intakes.vault names"
}

// noteBackup has the console tell when the last backup was made. A database of another version is
// left as it is.
func noteBackup(env *command.Environment, loaded *app.Loaded, contents backup.Contents) error {
	now := store.SchemaVersion{ID: settings.Schema.ID, Version: len(settings.Schema.Steps)}
	if !slices.Contains(contents.Layout.Schemas, now) {
		return nil
	}
	db, err := store.Open(env.Ctx, store.Config{
		DSN: loaded.Config.DSN(), Log: app.NewLog(app.Log{Level: "error"}, env.Stderr),
		Schemas: []store.Schema{settings.Schema},
	})
	if err != nil {
		return err
	}
	defer db.Close()
	return settings.New(db, time.Now).Mark(env.Ctx, settings.BackedUp, "", true)
}

// backupSource is what a configuration says is to be kept.
func backupSource(env *command.Environment, loaded *app.Loaded) backup.Source {
	source := backup.Source{
		Store:  loaded.Config.Database(app.NewLog(app.Log{Level: "error"}, env.Stderr)),
		Data:   loaded.Config.Data,
		Config: loaded.File(),
	}
	if vault, ok := (store.Config{DSN: loaded.Config.VaultDSN()}).File(); ok {
		source.Apart = append(source.Apart, vault)
	}
	return source
}

// holds says in words what a backup holds.
func holds(c backup.Contents) string {
	said := []string{command.Plural(int(c.AllRows()), "row") + " of " + command.Plural(len(c.Layout.Tables), "table")}
	if c.Files > 0 {
		said = append(said, command.Plural(c.Files, "file")+" of the data folder")
	}
	if c.Config != nil {
		said = append(said, "the configuration")
	}
	return fmt.Sprintf("%s, in %.1f MB", strings.Join(said, ", "), float64(c.Size)/1e6)
}
