limit, _ = map(int, input().split())
boarded = []
for weight in map(int, input().split()):
    if sum(boarded) + weight > limit:
        break
    boarded.append(weight)
print(len(boarded), sum(boarded))
