input()
time = 0
for health in map(int, input().split()):
    rounds, left = divmod(health, 5)
    time += 3 * rounds
    while left > 0:
        time += 1
        left -= 3 if time % 3 == 0 else 1
print(time)
