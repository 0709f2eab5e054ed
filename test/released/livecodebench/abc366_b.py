lines = [input() for _ in range(int(input()))][::-1]
for row in range(max(map(len, lines))):
    letters = [line[row] if row < len(line) else "*" for line in lines]
    print("".join(letters).rstrip("*"))
