"""Holds more memory in four processes together than each may; prints when nothing has stopped them."""

import os
import time

children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        held = bytearray(b"x") * (40 << 20)
        time.sleep(2)
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
print("not stopped")
