count = int(input())
table = [list(map(int, input().split())) for _ in range(count)]
element = 1
for other in range(1, count + 1):
    high, low = max(element, other), min(element, other)
    element = table[high - 1][low - 1]
print(element)
