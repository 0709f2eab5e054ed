print(input().replace(".", ""))
