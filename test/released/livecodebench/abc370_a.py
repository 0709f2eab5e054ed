left, right = input().split()
print("Invalid" if left == right else "Yes" if left == "1" else "No")
