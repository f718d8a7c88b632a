# A formula for a Homebrew tap. The release workflow fills in {{version}}, {{repository}} and the checksums, and attaches it to the release.
class Attune < Formula
  desc "Workspaces, tags, state sharing and team access as YAML: plan, apply, drift"
  homepage "https://github.com/{{repository}}"
  version "{{version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/{{repository}}/releases/download/v{{version}}/attune-darwin-arm64"
      sha256 "{{sha256 attune-darwin-arm64}}"
    end
    on_intel do
      url "https://github.com/{{repository}}/releases/download/v{{version}}/attune-darwin-x64"
      sha256 "{{sha256 attune-darwin-x64}}"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/{{repository}}/releases/download/v{{version}}/attune-linux-arm64"
      sha256 "{{sha256 attune-linux-arm64}}"
    end
    on_intel do
      url "https://github.com/{{repository}}/releases/download/v{{version}}/attune-linux-x64"
      sha256 "{{sha256 attune-linux-x64}}"
    end
  end

  def install
    bin.install Dir["attune-*"].first => "attune"
    generate_completions_from_executable(bin/"attune", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/attune --version")
  end
end
