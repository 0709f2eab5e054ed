_, births = map(int, input().split())
has_taro = set()
for _ in range(births):
    family, sex = input().split()
    is_taro = sex == "M" and family not in has_taro
    print("Yes" if is_taro else "No")
    if is_taro:
        has_taro.add(family)
