areas, divisor = map(int, input().split())
steps = list(map(int, input().split()))
around = sum(steps) % divisor

# Prefix sums of two rounds; of the earlier starts, those more than a round ago are taken out again.
prefixes = [0]
for step in steps + steps:
    prefixes.append((prefixes[-1] + step) % divisor)
seen = [0] * divisor
pairs = 0
for end, prefix in enumerate(prefixes[:-1]):
    if end >= areas:
        seen[prefixes[end - areas]] -= 1
        pairs += seen[prefix]
    seen[prefix] += 1
print(pairs)
