package app

import (
	"os"
	"path/filepath"
	"strings"
)

// VaultDSN is the address of the database that holds the keys to personal data; empty where it must
// be named and is not.
func (c Config) VaultDSN() string {
	if c.Intakes.Vault != "" {
		return c.Intakes.Vault
	}
	if _, file := c.StoreFile(); !file {
		return ""
	}
	return "sqlite:" + filepath.Join(c.Data, "vault.db")
}

// hasVault says whether there is a vault already, or one is named.
func (c Config) hasVault() bool {
	if c.Intakes.Vault != "" {
		return true
	}
	_, err := os.Stat(strings.TrimPrefix(strings.TrimPrefix(c.VaultDSN(), "sqlite:"), "//"))
	return c.VaultDSN() != "" && err == nil
}
