input()
numbers = sorted(map(int, input().split()))
rounds = 0
while numbers[-2] > 0:
    numbers[-1] -= 1
    numbers[-2] -= 1
    numbers.sort()
    rounds += 1
print(rounds)
