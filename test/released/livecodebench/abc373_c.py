input()
print(max(map(int, input().split())) + max(map(int, input().split())))
