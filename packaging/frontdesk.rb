# Homebrew formula of Frontdesk, filled in by packaging/release.sh.
class Frontdesk < Formula
  desc "Front desk of a site for people's questions and for AI agents"
  homepage "@URL@"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@URL@/frontdesk-@VERSION@-darwin-arm64.tar.gz"
      sha256 "@DARWIN_ARM64@"
    end
    on_intel do
      url "@URL@/frontdesk-@VERSION@-darwin-amd64.tar.gz"
      sha256 "@DARWIN_AMD64@"
    end
  end

  on_linux do
    on_arm do
      url "@URL@/frontdesk-@VERSION@-linux-arm64.tar.gz"
      sha256 "@LINUX_ARM64@"
    end
    on_intel do
      url "@URL@/frontdesk-@VERSION@-linux-amd64.tar.gz"
      sha256 "@LINUX_AMD64@"
    end
  end

  def install
    bin.install "frontdesk"
    man1.install "frontdesk.1"
    bash_completion.install "completions/frontdesk.bash" => "frontdesk"
    zsh_completion.install "completions/frontdesk.zsh" => "_frontdesk"
    fish_completion.install "completions/frontdesk.fish"
  end

  test do
    assert_match "frontdesk v#{version}", shell_output("#{bin}/frontdesk version")
  end
end
