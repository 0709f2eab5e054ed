number = input().strip()
print(number.rstrip("0").rstrip("."))
