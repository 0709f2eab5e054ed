"""Never stops writing."""

import sys

while True:
    sys.stdout.write("x" * 10_000)
