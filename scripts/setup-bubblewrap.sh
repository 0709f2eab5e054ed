#!/usr/bin/env bash
# Installs bubblewrap and python3 for `make quickstart` where that needs no question: as root, or with a sudo that asks
# for no password. Takes 20 s at most and never fails: without them the example runs in Pyodide, which is slower.
set -uo pipefail

limit_s=20
{ command -v bwrap && /usr/bin/python3 -c ''; } >/dev/null 2>&1 && exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then as_root=(sudo -n); fi
command='apt-get install -y bubblewrap python3'
if ! command -v apt-get >/dev/null 2>&1; then
  echo "setup-bubblewrap: not installed, as this machine has no apt-get. Install bubblewrap and python3 to isolate programs." >&2
  exit 0
fi
if ! "${as_root[@]}" true 2>/dev/null; then
  echo "setup-bubblewrap: not installed, as that needs a password. To isolate programs: sudo $command" >&2
  exit 0
fi

echo "setup-bubblewrap: installing bubblewrap (at most $limit_s s)"
packages='bubblewrap python3'
# Only what fetches is cut off: an installation that is killed would leave the package system broken.
fetch() {
  local get="apt-get install -y -qq --no-install-recommends --download-only $packages"
  $get || { apt-get update -qq && $get; }
}
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-download $packages; }
{
  "${as_root[@]}" timeout "$limit_s" bash -c "packages='$packages'; $(declare -f fetch); fetch" &&
    "${as_root[@]}" bash -c "packages='$packages'; $(declare -f install); install"
} >/dev/null 2>&1 </dev/null
if ! command -v bwrap >/dev/null 2>&1; then
  echo "setup-bubblewrap: '$command' did not end well within $limit_s s. The example runs in Pyodide, which is slower." >&2
fi
exit 0
