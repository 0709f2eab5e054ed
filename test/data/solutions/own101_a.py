input()
lights = input().split()
print(sum(left == right for left, right in zip(lights, lights[1:])))
