#!/usr/bin/env bash
# Makes the Python environments of the trainers that test/trainers runs, on a CPU:
#   .venv-llamafactory  stock LLaMA-Factory
#   .venv-trainers      verl, TRL, Axolotl, ms-swift
#   .venv-mathverify    math-verify, with which our judge of mathematics is compared
#   .venv-inspect       Inspect AI, which reads the logs of our evaluations
#   .venv-verifiers     verifiers, which evaluates by the package that we export for it
#   .venv-skyrl         SkyRL without what it needs: its loader of tasks, which the trainers' Python imports
# Each is built once from its lock file in test/trainers/requirements, in a cache folder named by what went into
# it, and linked from here: a second call, or one from another clone, installs nothing. About 4 GB together.
#
# COA_TRAINERS_PYTHON names the Python to use (3.11 to 3.13); by default the first of these that is found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/retry.sh
source scripts/retry.sh

fail() {
  printf 'setup-trainers: %s\n' "$@" >&2
  exit 1
}

find_python() {
  local python
  for python in ${COA_TRAINERS_PYTHON:-python3.11 python3.12 python3.13 python3}; do
    "$python" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
      2>/dev/null && { command -v "$python"; return 0; }
  done
  fail 'no Python 3.11 to 3.13 with venv was found.' \
    '  Debian, Ubuntu:  sudo apt-get install -y python3 python3-venv' \
    '  elsewhere:       install one and name it: COA_TRAINERS_PYTHON=/path/to/python3.11 make trainers'
}

# Where the home folder can't be written the environments stay in this clone.
find_cache() {
  local cache="${XDG_CACHE_HOME:-${HOME:-}/.cache}/coa-distill/venvs"
  mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || { cache="$PWD/.venv-cache" && mkdir -p "$cache"; }
  echo "$cache"
}

# What an environment is made of: the Python, the lock, and how it is built (count up when build() changes).
recipe=1
key_of() {
  { "$python" -c 'import sys; print(sys.version, sys.base_prefix)'; echo "$recipe"; cat "$1"; } |
    "$python" -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()[:16])'
}

# LLaMA-Factory imports torchaudio, whose native parts crash beside a CPU build of torch; it does without them.
drop_native_torchaudio() {
  rm -f "$1"/lib/python3*/site-packages/torchaudio/lib/*.so
}

# build TARGET LOCK MODULE...: the modules are imported as a proof that the environment works
build() {
  local target="$1" lock="$2"
  shift 2
  rm -rf "$target"
  "$python" -m venv "$target"
  retry "$target/bin/pip" install -qq --no-input --disable-pip-version-check --progress-bar off \
    --no-deps --requirement "$lock"
  drop_native_torchaudio "$target"
  local module
  for module in "$@"; do
    HF_HUB_OFFLINE=1 "$target/bin/python" -c "import $module" || fail \
      "$target was installed, but '$module' can't be imported (see above)." \
      '  If it misses CUDA libraries, pip took the GPU build of torch: set PIP_EXTRA_INDEX_URL to the index of' \
      '  CPU builds that pytorch.org names, and run this again.'
  done
  touch "$target/.complete"
}

# environment NAME MODULE...: links .venv-NAME to its environment, which is built unless it is there
environment() {
  local name="$1" lock="test/trainers/requirements/$1.txt"
  shift
  local target
  target="$cache/$name-$(key_of "$lock")"
  if [ ! -e "$target/.complete" ]; then
    echo "setup-trainers: installing .venv-$name (a minute or two)"
    # Two clones may come at the same time: the later one waits, and finds the work done.
    (
      if command -v flock >/dev/null; then flock 9; fi
      [ -e "$target/.complete" ] || build "$target" "$lock" "$@"
    ) 9>"$target.lock"
  fi
  # An environment of that name that is no link was made by other means, and would swallow the link.
  [ -L ".venv-$name" ] || rm -rf ".venv-$name"
  ln -sfn "$target" ".venv-$name"
}

python="$(find_python)"
cache="$(find_cache)"
environment llamafactory torch transformers datasets llamafactory
environment trainers torch transformers datasets verl trl
environment mathverify math_verify latex2sympy2_extended
environment inspect inspect_ai
environment verifiers verifiers.v1 hatchling
environment skyrl skyrl loguru
