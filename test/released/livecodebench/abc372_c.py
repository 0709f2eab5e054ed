import sys

_, _, text, *queries = sys.stdin.read().split()
letters = list(text)


def near(place):
    """How many times ABC stands where it would hold the letter of this place."""
    return sum("".join(letters[start : start + 3]) == "ABC" for start in range(max(0, place - 2), place + 1))


count = text.count("ABC")
for place, letter in zip(queries[::2], queries[1::2]):
    at = int(place) - 1
    count -= near(at)
    letters[at] = letter
    count += near(at)
    print(count)
