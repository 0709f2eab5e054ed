print(sum(len(input()) == place for place in range(1, 13)))
