at = {}
tired = 0
for _ in range(int(input())):
    key, hand = input().split()
    tired += abs(int(key) - at.get(hand, int(key)))
    at[hand] = int(key)
print(tired)
