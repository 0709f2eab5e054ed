_, moved = map(int, input().split())
cards = input().split()
print(*(cards[-moved:] + cards[:-moved]))
