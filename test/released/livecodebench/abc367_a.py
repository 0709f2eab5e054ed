shout, sleep, wake = map(int, input().split())
hours_to_wake = (wake - sleep) % 24
hours_to_shout = (shout - sleep) % 24
print("No" if hours_to_shout < hours_to_wake else "Yes")
