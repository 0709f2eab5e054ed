votes, first, second = map(int, input().split())
most = max(first, second)
print("Yes" if 2 * most > votes else "No")
