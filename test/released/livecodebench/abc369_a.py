first, second = map(int, input().split())
found = {2 * first - second, 2 * second - first}
if (first + second) % 2 == 0:
    found.add((first + second) // 2)
print(len(found))
