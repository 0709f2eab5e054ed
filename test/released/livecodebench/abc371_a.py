a_b, a_c, b_c = input().split()
# Who stands between the others is older than one and younger than the other.
if a_b != a_c:
    print("A")
elif a_b == b_c:
    print("B")
else:
    print("C")
