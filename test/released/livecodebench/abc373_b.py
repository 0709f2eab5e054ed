keys = input()
places = [keys.index(letter) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
print(sum(abs(after - before) for before, after in zip(places, places[1:])))
