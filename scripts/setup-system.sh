#!/usr/bin/env bash
# Installs the system programs that the test suite needs and npm can't bring:
#   bubblewrap    runs generated code without network or files of the host (the code sandbox)
#   python3       is what runs inside it
#   iproute2      gives a network namespace its addresses, in the tests of what crawling may connect to
#   python3-numpy is what the tests of the sandbox import
# and, called with `trainers`, what their Python environments are made with and jobs are started with:
#   python3-venv  makes virtual environments
#   slurm-wlm     the tests start a Slurm cluster of one machine, as the user who runs them
#   munge         is how its daemons know each other
# and, called with `postgres`:
#   postgresql    is what the machines of a run share; the tests start a server of their own
# and, called with `browser`:
#   chromium      opens the pages of the viewer; COA_CHROMIUM names another
# Installs only as root on Debian or Ubuntu; elsewhere it says what to install, and fails. Called with `tests`, it says
# so in one line and succeeds: the tests that need what is missing do not run then.
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
  is_installed ip || printf 'iproute2 '
  [ -z "$for_browser" ] || [ -x "${COA_CHROMIUM:-/usr/bin/chromium}" ] || printf 'chromium '
  [ -z "$for_postgres" ] || has_postgres || printf 'postgresql '
  [ -n "$for_trainers" ] || return 0
  can_make_venv || printf 'python3-venv '
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

missing="$(missing_packages)"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "setup-system: installing ${missing% }"
  install_with_apt "$missing" || true
  missing="$(missing_packages)"
  [ -n "$missing" ] || exit 0
fi

if [ "${1:-}" = tests ]; then
  echo "setup-system: not installed, as that needs root and apt-get: ${missing% }; tests that need it do not run" >&2
  exit 0
fi

cat >&2 <<MESSAGE
setup-system: the tests need programs that are missing: ${missing% }
  Debian, Ubuntu:  sudo apt-get update && sudo apt-get install -y ${missing% }
  Fedora:          sudo dnf install -y ${missing% }
  Arch:            sudo pacman -S ${missing% }
  macOS:           bubblewrap exists only for Linux: run the tests in a Linux container
MESSAGE
exit 1
