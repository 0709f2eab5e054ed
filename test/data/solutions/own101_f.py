tides = [tuple(map(int, input().split())) for _ in range(int(input()))]
print(max(tides, key=lambda tide: tide[1])[0])
