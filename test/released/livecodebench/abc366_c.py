import sys
from collections import Counter

bag = Counter()
for query in sys.stdin.read().splitlines()[1:]:
    kind, *ball = query.split()
    if kind == "1":
        bag[ball[0]] += 1
    elif kind == "2":
        bag[ball[0]] -= 1
        if bag[ball[0]] == 0:
            del bag[ball[0]]
    else:
        print(len(bag))
